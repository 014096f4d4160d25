//===- test/Runtime/CUDA/CudaModuleTest.cpp - what the cuda device loads, and what it refuses ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/CUDA/DeviceFixture.h"
#include "test/Runtime/CUDA/Scratch.h"

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::cuda;

namespace {

TEST(CudaModule, RanksSourcesAndCubins) {
  auto fake = makeFake();
  fake->capability = 90;
  std::shared_ptr<Device> device = openDevice().take();
  EXPECT_EQ(device->properties().arch, "sm_90");
  EXPECT_GT(device->rank("cuda", "sm_90a"), device->rank("cuda", "sm_80"));
  EXPECT_GT(device->rank("cuda", "sm_80"), device->rank("cuda", "sm_75"));
  EXPECT_GE(device->rank("cuda", "sm_75"), 0);
  for (const char *arch : {"sm_100", "sm_80a", "x86-64-v3", ""})
    EXPECT_LT(device->rank("cuda", arch), 0) << arch;
  EXPECT_LT(device->rank("cpu", "sm_80"), 0);
  EXPECT_TRUE(device->accepts(ImageKind::Cubin, "sm_90a"));
  EXPECT_TRUE(device->accepts(ImageKind::Cubin, "sm_90"));
  EXPECT_FALSE(device->accepts(ImageKind::Cubin, "sm_80"));
  EXPECT_FALSE(device->accepts(ImageKind::CpuObject, "x86-64-v3"));
  EXPECT_TRUE(device->accepts(ImageKind::CudaSource, ""));
}

TEST(CudaModule, CubinNeedsNeitherNvrtcNorCache) {
  auto fake = makeFake();
  ScratchFolder folder;
  DeviceOptions options;
  options.cacheDir = folder.path() + "/cache";
  std::shared_ptr<Device> device = openDevice(options).take();
  const int before = FakeNvrtc::call;
  const format::Kernel kernel = scaleRecord();
  EXPECT_TRUE(device->loadModule(imageOf(kernel, ImageKind::Cubin)).isOk());
  EXPECT_EQ(FakeNvrtc::call, before);
  EXPECT_FALSE(std::filesystem::exists(options.cacheDir));
}

TEST(CudaModule, CompiledOnceWithACache) {
  ScratchFolder folder;
  const format::Kernel kernel = scaleRecord();
  for (int run = 0; run < 2; ++run) {
    auto fake = makeFake();
    DeviceOptions options;
    options.cacheDir = folder.path();
    options.warn = failOnWarning;
    std::shared_ptr<Device> device = openDevice(options).take();
    const int before = FakeNvrtc::call;
    EXPECT_TRUE(device->loadModule(imageOf(kernel)).isOk());
    EXPECT_EQ(FakeNvrtc::call > before, run == 0);
  }
}

TEST(CudaModule, RefusesWhatItCannotRun) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  const format::Kernel good = scaleRecord();
  format::Kernel kernel = good;
  kernel.sharedBytes = 101377;
  expectError(device->loadModule(imageOf(kernel)).status(), Code::Unsupported,
              "needs 101377 bytes of shared memory, this GPU has 101376");
  kernel = good;
  kernel.cluster = 2;
  expectError(device->loadModule(imageOf(kernel)).status(), Code::Unsupported,
              "runs in clusters of 2 blocks, which GPUs have from sm_90 on");
  kernel = good;
  kernel.threads = 1025;
  expectError(device->loadModule(imageOf(kernel)).status(), Code::Package, "1025");
  kernel = good;
  kernel.name = "k_absent";
  expectError(device->loadModule(imageOf(kernel)).status(), Code::Environment, "finding kernel k_absent");
  ModuleImage image = imageOf(good, ImageKind::Cubin);
  image.arch = "sm_80";
  expectError(device->loadModule(image).status(), Code::Environment, "was built for sm_80, this GPU is sm_86");
  image = imageOf(good, ImageKind::Cubin);
  image.bytes = "no image";
  expectError(device->loadModule(image).status(), Code::Environment, "does not accept the image");
  device.reset();
  expectClean(*fake, "after refusals");
}

} // namespace
