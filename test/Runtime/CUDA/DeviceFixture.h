//===- test/Runtime/CUDA/DeviceFixture.h - a cuda device over the fakes, with one kernel ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_CUDA_DEVICEFIXTURE_H
#define CUPOLA_TEST_RUNTIME_CUDA_DEVICEFIXTURE_H

#include "lib/Runtime/CUDA/CudaDevice.h"
#include "test/Runtime/CUDA/FakeDriver.h"
#include "test/Runtime/CUDA/FakeNvrtc.h"

#include <gtest/gtest.h>

namespace cupola::runtime::cuda {

inline constexpr const char *kernelName = "k_0123456789abcdef";

/// (bindings, in, out, slot, step): out[i] = factor * in[i] for i < grid * threads, factor = bindings[slot].
/// A reference with bit 63 names a word of the bindings. Adds the step number to word 0 of the flags.
inline void scaleKernel(const CuLaunchConfig &config, void *const *parameters) {
  const auto *bindings = reinterpret_cast<const uint64_t *>(*static_cast<const uint64_t *>(parameters[0]));
  const auto resolve = [&](void *parameter) {
    const uint64_t reference = *static_cast<const uint64_t *>(parameter);
    const bool indirect = reference & format::kReferenceBit;
    return reinterpret_cast<float *>(indirect ? bindings[reference & 0xffffffff] : reference);
  };
  const float *in = resolve(parameters[1]);
  float *out = resolve(parameters[2]);
  const float factor = float(bindings[*static_cast<const uint32_t *>(parameters[3])]);
  for (unsigned i = 0; i < config.gridX * config.blockX; ++i)
    out[i] = factor * in[i];
  *reinterpret_cast<uint32_t *>(bindings[0]) += *static_cast<const uint32_t *>(parameters[4]);
}

inline format::Kernel scaleRecord() {
  format::Kernel kernel;
  kernel.name = kernelName;
  kernel.threads = 4;
  kernel.sharedBytes = 64 * 1024;
  return kernel;
}

inline std::unique_ptr<FakeDriver> makeFake() {
  auto fake = std::make_unique<FakeDriver>();
  fake->kernels[kernelName] = {scaleKernel, {8, 8, 8, 4, 4}};
  FakeNvrtc::call = FakeNvrtc::failAt = FakeNvrtc::programs = 0;
  FakeNvrtc::major = 13, FakeNvrtc::minor = 0;
  return fake;
}

/// `blas`: null to look for one on this machine, if it is asked for.
inline Result<std::shared_ptr<Device>> openDevice(DeviceOptions options = {},
                                                  std::shared_ptr<const CublasLt> blas = nullptr) {
  if (options.cacheDir.empty())
    options.cacheDir = "none";
  CUPOLA_ASSIGN(std::shared_ptr<Driver> driver, Driver::create(FakeDriver::table()));
  CUPOLA_ASSIGN(std::shared_ptr<Nvrtc> nvrtc, Nvrtc::create(FakeNvrtc::table(), "fake"));
  return CudaDevice::create(driver, options, nvrtc, std::move(blas));
}

inline ModuleImage imageOf(const format::Kernel &kernel, ImageKind kind = ImageKind::CudaSource) {
  ModuleImage image;
  image.kind = kind;
  image.name = "m0.cu";
  image.arch = kind == ImageKind::CudaSource ? "sm_80" : "sm_86";
  image.bytes = kind == ImageKind::CudaSource ? "source" : "cube";
  image.kernels = {&kernel};
  return image;
}

/// Device memory that frees itself.
struct Memory {
  std::shared_ptr<Device> device;
  DeviceAddress address = 0;
  ~Memory() {
    if (device)
      device->free(address);
  }
  Status allocate(std::shared_ptr<Device> of, uint64_t bytes) { return keep(of, of->allocate(bytes)); }
  Status allocateGrowing(std::shared_ptr<Device> of, uint64_t bytes) { return keep(of, of->allocateGrowing(bytes)); }

private:
  Status keep(std::shared_ptr<Device> of, Result<DeviceAddress> result) {
    CUPOLA_TRY(result.status());
    device = of;
    address = *result;
    return {};
  }
};

inline void expectClean(const FakeDriver &fake, const std::string &when) {
  EXPECT_EQ(fake.leaks(), "") << when;
  EXPECT_EQ(FakeNvrtc::programs, 0) << when;
  for (const std::string &violation : fake.violations)
    ADD_FAILURE() << when << ": " << violation;
}

inline void expectError(const Status &status, Code code, const char *part) {
  EXPECT_EQ(status.code(), code);
  EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
}

} // namespace cupola::runtime::cuda

#endif // CUPOLA_TEST_RUNTIME_CUDA_DEVICEFIXTURE_H
