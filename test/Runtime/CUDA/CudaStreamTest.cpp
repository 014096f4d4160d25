//===- test/Runtime/CUDA/CudaStreamTest.cpp - streams of the cuda device: transfers, launches, recordings ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/PinnedRing.h"
#include "test/Runtime/CUDA/DeviceFixture.h"
#include "test/Runtime/CUDA/Scratch.h"

#include <cstring>

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::cuda;

namespace {

TEST(CudaStream, TheCallersMemoryIsFreeAfterASmallUpload) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  std::unique_ptr<Stream> stream = device->createStream(nullptr).take();
  constexpr size_t count = 20; // more than the ring has slots
  Memory memory;
  ASSERT_TRUE(memory.allocate(device, count * 8).isOk());
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t value = 100 + i;
    ASSERT_TRUE(stream->upload(memory.address + 8 * i, &value, 8).isOk());
    value = 0;
  }
  EXPECT_EQ(fake->count("cuStreamSynchronize"), 0u);
  std::vector<uint64_t> back(count);
  ASSERT_TRUE(stream->download(back.data(), memory.address, count * 8).isOk());
  EXPECT_EQ(back[0], 0u) << "the fake runs work late";
  ASSERT_TRUE(stream->synchronize().isOk());
  for (uint64_t i = 0; i < count; ++i)
    EXPECT_EQ(back[i], 100 + i);
}

TEST(CudaStream, LargeUploadsGoStraight) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  std::unique_ptr<Stream> stream = device->createStream(nullptr).take();
  const std::vector<char> bytes(PinnedRing::slotBytes + 1, 'x');
  Memory memory;
  ASSERT_TRUE(memory.allocate(device, bytes.size()).isOk());
  ASSERT_TRUE(stream->upload(memory.address, bytes.data(), bytes.size()).isOk());
  ASSERT_TRUE(stream->synchronize().isOk());
  EXPECT_EQ(fake->count("cuMemHostAlloc"), 0u);
  EXPECT_EQ(std::memcmp(reinterpret_cast<const char *>(memory.address), bytes.data(), bytes.size()), 0);
}

TEST(CudaStream, NothingIsNothing) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  std::unique_ptr<Stream> stream = device->createStream(nullptr).take();
  const uint64_t before = fake->calls;
  LaunchArguments arguments;
  EXPECT_TRUE(stream->upload(0, nullptr, 0).isOk());
  EXPECT_TRUE(stream->download(nullptr, 0, 0).isOk());
  EXPECT_TRUE(stream->copy(0, 0, 0).isOk());
  EXPECT_TRUE(stream->fill(0, 1, 0).isOk());
  EXPECT_TRUE(stream->launch(arguments).isOk());
  EXPECT_EQ(*device->allocate(0), 0u);
  EXPECT_EQ(fake->calls, before);
}

TEST(CudaStream, RecordingExcludesTransfers) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  std::unique_ptr<Stream> stream = device->createStream(nullptr).take();
  auto memory = std::make_unique<Memory>();
  ASSERT_TRUE(memory->allocate(device, 64).isOk());
  EXPECT_TRUE(stream->canRecord());
  EXPECT_EQ(stream->endRecording().status().code(), Code::Usage);
  ASSERT_TRUE(stream->beginRecording().isOk());
  uint64_t word = 0;
  for (const Status &status : {stream->upload(memory->address, &word, 8), stream->download(&word, memory->address, 8),
                               stream->synchronize(), stream->beginRecording()})
    EXPECT_EQ(status.code(), Code::Usage);
  stream.reset(); // while it records
  memory.reset();
  device.reset();
  expectClean(*fake, "a stream destroyed while it records");
}

TEST(CudaStream, TheCallersStreamIsNotDestroyed) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  const DriverApi api = FakeDriver::table();
  CuContext popped = nullptr;
  CuContext current = reinterpret_cast<CuContext>(uintptr_t(0xC0));
  CuStream native = nullptr;
  ASSERT_EQ(api.ctxPushCurrent(current), cuSuccess);
  ASSERT_EQ(api.streamCreate(&native, 0), cuSuccess);
  device->createStream(native).take().reset();
  EXPECT_EQ(fake->count("cuStreamDestroy"), 0u);
  EXPECT_EQ(api.streamDestroy(native), cuSuccess);
  EXPECT_EQ(api.ctxPopCurrent(&popped), cuSuccess);
  device.reset();
  expectClean(*fake, "after the caller's stream");
}

/// A device with one kernel, and a launch of it that multiplies by one.
struct OneKernel {
  std::unique_ptr<FakeDriver> fake = makeFake();
  std::shared_ptr<Device> device;
  format::Kernel kernel = scaleRecord();
  std::unique_ptr<Module> module;
  std::unique_ptr<Stream> stream;
  Memory memory;
  uint64_t references[2] = {};
  uint32_t slot = 1;
  LaunchArguments arguments;

  explicit OneKernel(int capability = 86, uint32_t cluster = 0, bool cooperative = false) {
    fake->capability = capability;
    kernel.cluster = cluster;
    kernel.cooperative = cooperative;
    device = openDevice().take();
    module = device->loadModule(imageOf(kernel)).take();
    stream = device->createStream(nullptr).take();
    EXPECT_TRUE(memory.allocate(device, 64).isOk());
    const uint64_t table[] = {memory.address, 1};
    EXPECT_TRUE(stream->upload(memory.address, table, sizeof(table)).isOk());
    references[0] = references[1] = memory.address + sizeof(table);
    arguments.function = &module->function(0);
    arguments.grid = {3};
    arguments.bindings = memory.address;
    arguments.references = references;
    arguments.referenceCount = 2;
    arguments.slots = &slot;
    arguments.slotCount = 1;
    arguments.step = 12;
  }
};

TEST(CudaStream, CountsLaunchesAndReplays) {
  OneKernel one;
  EXPECT_TRUE(one.device->statistics().empty());
  ASSERT_TRUE(one.stream->launch(one.arguments).isOk());
  ASSERT_TRUE(one.stream->beginRecording().isOk());
  ASSERT_TRUE(one.stream->launch(one.arguments).isOk());
  std::unique_ptr<Recording> recording = one.stream->endRecording().take();
  EXPECT_EQ(one.device->statistics().at(0).launches, 1u) << "a recorded launch has not run";
  ASSERT_TRUE(one.stream->replay(*recording).isOk());
  EXPECT_EQ(one.device->statistics().at(0).launches, 2u);
  EXPECT_EQ(one.device->statistics().at(0).blocks, 6u);
  one.device->resetStatistics();
  EXPECT_TRUE(one.device->statistics().empty());
}

TEST(CudaStream, SyncModeNamesTheKernel) {
  const ScopedVariable sync("CUPOLA_SYNC", "1");
  OneKernel one;
  EXPECT_FALSE(one.stream->canRecord());
  one.fake->failAt = one.fake->calls + 3; // push, launch, synchronize
  one.fake->failCode = cuIllegalAddress;
  expectError(one.stream->launch(one.arguments), Code::Environment, "kernel k_0123456789abcdef at step 12 failed");
}

TEST(CudaStream, RefusesAGridThatNoLaunchHas) {
  OneKernel one;
  one.arguments.grid = {uint64_t(1) << 31};
  expectError(one.stream->launch(one.arguments), Code::Limit,
              "wants 2147483648 blocks along x, a launch has at most 2147483647");
  one.arguments.grid = {1, 65536, 1};
  expectError(one.stream->launch(one.arguments), Code::Limit, "wants 65536 blocks along y, a launch has at most 65535");
  one.arguments.grid = {1, 1, 65536};
  expectError(one.stream->launch(one.arguments), Code::Limit, "wants 65536 blocks along z, a launch has at most 65535");
}

/// The second launch of a run, with a kernel of several blocks along each dimension.
FakeLaunch launchOf(uint32_t cluster, bool programmatic, int capability, int version = 13000) {
  auto fake = makeFake();
  fake->capability = capability;
  fake->version = version;
  fake->kernels[kernelName].run = [](const CuLaunchConfig &, void *const *) {};
  std::shared_ptr<Device> device = openDevice().take();
  format::Kernel kernel = scaleRecord();
  kernel.cluster = cluster;
  kernel.programmatic = programmatic;
  std::unique_ptr<Module> module = device->loadModule(imageOf(kernel)).take();
  std::unique_ptr<Stream> stream = device->createStream(nullptr).take();
  const uint64_t references[2] = {};
  const uint32_t slot = 0;
  LaunchArguments arguments;
  arguments.function = &module->function(0);
  arguments.grid = {4, 3, 2};
  arguments.references = references;
  arguments.referenceCount = 2;
  arguments.slots = &slot;
  arguments.slotCount = 1;
  EXPECT_TRUE(stream->launch(arguments).isOk());
  EXPECT_TRUE(stream->launch(arguments).isOk());
  arguments.grid = {4, 0, 2};
  EXPECT_TRUE(stream->launch(arguments).isOk());
  EXPECT_TRUE(stream->synchronize().isOk());
  EXPECT_EQ(fake->launches.size(), 2u);
  EXPECT_EQ(device->statistics().at(0).blocks, 48u);
  EXPECT_FALSE(fake->launches.at(0).programmatic) << "what the caller queued before it has to end";
  const FakeLaunch launch = fake->launches.at(1);
  stream.reset(), module.reset(), device.reset();
  expectClean(*fake, "after a launch");
  return launch;
}

TEST(CudaStream, LaunchesHaveWhatTheKernelWantsAndTheDeviceCan) {
  const FakeLaunch plain = launchOf(0, false, 90), full = launchOf(4, true, 90);
  EXPECT_EQ(plain.grid, (std::array<unsigned, 3>{4, 3, 2}));
  EXPECT_EQ(plain.cluster, 0u);
  EXPECT_FALSE(plain.programmatic);
  EXPECT_EQ(full.grid, plain.grid);
  EXPECT_EQ(full.cluster, 4u);
  EXPECT_TRUE(full.programmatic);
  EXPECT_FALSE(launchOf(0, true, 86).programmatic) << "older GPUs have none";
  EXPECT_FALSE(launchOf(0, true, 90, 12020).programmatic) << "older drivers cannot record it";
  EXPECT_TRUE(launchOf(0, true, 90, 12030).programmatic);
}

TEST(CudaStream, ACooperativeLaunchHasRoomForAllItsBlocks) {
  OneKernel one(86, 0, /*cooperative=*/true);
  ASSERT_TRUE(one.stream->launch(one.arguments).isOk());
  ASSERT_TRUE(one.stream->launch(one.arguments).isOk());
  ASSERT_TRUE(one.stream->synchronize().isOk());
  EXPECT_TRUE(one.fake->launches.at(1).cooperative);
  EXPECT_TRUE(one.fake->violations.empty());
  one.fake->blocksAtOnce = 2;
  expectError(one.stream->launch(one.arguments), Code::Unsupported,
              "kernel k_0123456789abcdef wants a grid of 3 blocks of 4 threads and 65536 bytes of shared memory at the "
              "same time, more than this GPU has room for");
}

TEST(CudaStream, RefusesAGridThatMakesNoClusters) {
  OneKernel one(90, 2);
  expectError(one.stream->launch(one.arguments), Code::Package,
              "wants 3 blocks along x, which do not make clusters of 2");
}

} // namespace
