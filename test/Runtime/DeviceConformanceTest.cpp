//===- test/Runtime/DeviceConformanceTest.cpp - What every device does alike ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The rules of lib/Runtime/Device.h, one test each, below the session.
//===----------------------------------------------------------------------===//
#include "lib/Runtime/LoadedKernels.h"
#include "test/Runtime/Devices.h"
#include "test/Runtime/TestPackage.h"

#include <cstring>
#include <numeric>
#include <set>

namespace cupola::runtime {

class DeviceConformance : public test::DeviceTest {
protected:
  void SetUp() override {
    test::DeviceTest::SetUp();
    if (!device)
      return;
    Result<std::unique_ptr<Stream>> made = device->createStream(nullptr);
    ASSERT_TRUE(made.isOk()) << made.status().message();
    stream = made.take();
  }

  void TearDown() override {
    stream.reset();
    for (DeviceAddress address : allocated)
      device->free(address);
  }

  /// Freed when the test ends, unless by release().
  DeviceAddress allocate(uint64_t bytes) {
    Result<DeviceAddress> address = device->allocate(bytes);
    EXPECT_TRUE(address.isOk()) << address.status().message();
    if (address.failed())
      return 0;
    allocated.insert(*address);
    return *address;
  }
  void release(DeviceAddress address) {
    device->free(address);
    allocated.erase(address);
  }

  template <typename T> DeviceAddress upload(const std::vector<T> &values) {
    const DeviceAddress address = allocate(values.size() * sizeof(T));
    EXPECT_TRUE(stream->upload(address, values.data(), values.size() * sizeof(T)).isOk());
    EXPECT_TRUE(stream->synchronize().isOk());
    return address;
  }

  template <typename T> std::vector<T> download(DeviceAddress address, size_t count) {
    std::vector<T> values(count);
    EXPECT_TRUE(stream->download(values.data(), address, count * sizeof(T)).isOk());
    const Status status = stream->synchronize();
    EXPECT_TRUE(status.isOk()) << status.message();
    return values;
  }

  std::unique_ptr<Stream> stream;
  std::set<DeviceAddress> allocated;
};

CUPOLA_FOR_ALL_DEVICES(DeviceConformance);

TEST_P(DeviceConformance, DescribesItself) {
  EXPECT_EQ(device->properties().name, GetParam());
  EXPECT_FALSE(device->properties().arch.empty());
  EXPECT_FALSE(device->properties().description.empty());
  Result<uint64_t> free = device->freeBytes();
  ASSERT_TRUE(free.isOk());
  EXPECT_GT(*free, 0u);
}

TEST_P(DeviceConformance, AllocatesAlignedDistinctMemory) {
  std::vector<DeviceAddress> all;
  for (uint64_t bytes : {1, 255, 256, 257, 100000})
    all.push_back(allocate(bytes));
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_NE(all[i], 0u);
    EXPECT_EQ(all[i] % format::kBufferAlignment, 0u);
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(all[i], all[j]);
  }
  for (DeviceAddress address : all)
    release(address);
}

TEST_P(DeviceConformance, OutOfMemoryLeavesItUsable) {
  Result<DeviceAddress> huge = device->allocate(uint64_t(1) << 60);
  ASSERT_TRUE(huge.failed());
  EXPECT_EQ(huge.status().code(), Code::Environment);
  EXPECT_NE(huge.status().message().find(std::to_string(uint64_t(1) << 60)), std::string::npos)
      << huge.status().message();
  release(allocate(64));
}

TEST_P(DeviceConformance, MovesBytes) {
  std::vector<uint32_t> values(10000);
  std::iota(values.begin(), values.end(), 7);
  const DeviceAddress first = upload(values);
  const DeviceAddress second = allocate(40000);
  ASSERT_TRUE(stream->copy(second, first, 40000).isOk());
  ASSERT_TRUE(stream->fill(second + 8, 0xab, 4).isOk());
  values[2] = 0xabababab;
  EXPECT_EQ(download<uint32_t>(second, 10000), values);
  release(first);
  release(second);
}

TEST_P(DeviceConformance, AnEventComesAfterWhatWasQueued) {
  Result<std::unique_ptr<Event>> made = stream->createEvent();
  ASSERT_TRUE(made.isOk()) << made.status().message();
  std::unique_ptr<Event> event = made.take();
  EXPECT_TRUE(event->wait().isOk()) << "it was not recorded";
  const DeviceAddress address = allocate(4);
  for (uint32_t value : {7u, 8u}) {
    uint32_t back = 0;
    ASSERT_TRUE(stream->upload(address, &value, 4).isOk());
    ASSERT_TRUE(stream->download(&back, address, 4).isOk());
    ASSERT_TRUE(stream->record(*event).isOk());
    ASSERT_TRUE(event->wait().isOk());
    EXPECT_EQ(back, value);
  }
  stream.reset();
  EXPECT_TRUE(event->wait().isOk());
}

TEST_P(DeviceConformance, TimedEventsAreInOrder) {
  std::vector<std::unique_ptr<Event>> events;
  for (int i = 0; i < 3; ++i) {
    Result<std::unique_ptr<Event>> made = stream->createTimedEvent();
    ASSERT_TRUE(made.isOk()) << made.status().message();
    ASSERT_TRUE(stream->record(**made).isOk());
    events.push_back(made.take());
  }
  ASSERT_TRUE(stream->synchronize().isOk());
  const Result<double> part = events[1]->millisecondsSince(*events[0]),
                       whole = events[2]->millisecondsSince(*events[0]);
  ASSERT_TRUE(part.isOk() && whole.isOk()) << part.status().message();
  EXPECT_GE(*part, 0);
  EXPECT_GE(*whole, *part);
  EXPECT_LT(*whole, 10000);
}

TEST_P(DeviceConformance, ZeroBytesDoNothing) {
  EXPECT_TRUE(stream->upload(0, nullptr, 0).isOk());
  EXPECT_TRUE(stream->download(nullptr, 0, 0).isOk());
  EXPECT_TRUE(stream->copy(0, 0, 0).isOk());
  EXPECT_TRUE(stream->fill(0, 0, 0).isOk());
  EXPECT_TRUE(stream->synchronize().isOk());
}

TEST_P(DeviceConformance, GivesHostMemory) {
  Result<void *> memory = device->allocateHost(1000);
  ASSERT_TRUE(memory.isOk()) << memory.status().message();
  std::memset(*memory, 1, 1000);
  device->freeHost(*memory);
}

TEST_P(DeviceConformance, RanksOnlyWhatItRuns) {
  EXPECT_LT(device->rank("tpu", "v5"), 0);
  EXPECT_LT(device->rank("cuda", "sm_1000"), 0);
  EXPECT_LT(device->rank("cpu", "x86-64-v9"), 0);
  EXPECT_LT(device->rank("", ""), 0);
  EXPECT_FALSE(device->accepts(ImageKind::CpuObject, "aarch64"));
}

TEST_P(DeviceConformance, RefusesACallersStreamThatItHasNot) {
  if (device->properties().name == "cuda")
    GTEST_SKIP() << "cuda has streams of the caller";
  int notAStream = 0;
  EXPECT_EQ(device->createStream(&notAStream).status().code(), Code::Usage);
}

/// The test package's variant for this device, its kernels loaded.
class KernelConformance : public DeviceConformance {
protected:
  void SetUp() override {
    DeviceConformance::SetUp();
    if (!device)
      return;
    for (const format::Variant &candidate : package.variants)
      if (device->rank(candidate.target, candidate.arch) >= 0)
        variant = &candidate;
    ASSERT_NE(variant, nullptr);
    const Status status = kernels.load(*device, package, *variant);
    ASSERT_TRUE(status.isOk()) << status.message();
  }

  /// out = factor * in over `count` elements.
  Status scale(DeviceAddress in, DeviceAddress out, int64_t count, int64_t factor) {
    flags = upload(std::vector<uint32_t>(format::kFlagWords, 0));
    const DeviceAddress bindings =
        upload(std::vector<uint64_t>{flags, static_cast<uint64_t>(count), static_cast<uint64_t>(factor), in, out});
    const DeviceAddress addresses[] = {in, out};
    const uint64_t references[] = {format::kReferenceBit | 3, out};
    const uint64_t bytes[] = {static_cast<uint64_t>(count) * 4, static_cast<uint64_t>(count) * 4};
    const uint32_t slots[] = {1, 2};
    LaunchArguments arguments;
    arguments.function = &kernels.function(0);
    arguments.grid = {static_cast<uint64_t>(variant->target == "cpu" ? count : (count + 127) / 128)};
    arguments.bindings = bindings;
    arguments.references = references;
    arguments.addresses = addresses;
    arguments.bytes = bytes;
    arguments.referenceCount = 2;
    arguments.slots = slots;
    arguments.slotCount = 2;
    CUPOLA_TRY(stream->launch(arguments));
    return stream->synchronize();
  }

  const format::Package package = test::makeRunnablePackage();
  const format::Variant *variant = nullptr;
  LoadedKernels kernels;
  DeviceAddress flags = 0;
};

CUPOLA_FOR_ALL_DEVICES(KernelConformance);

TEST_P(KernelConformance, LaunchesThroughReferencesAndSlots) {
  std::vector<float> values(1000);
  std::iota(values.begin(), values.end(), -3.0f);
  const DeviceAddress in = upload(values), out = allocate(4000);
  const Status status = scale(in, out, 1000, 5);
  ASSERT_TRUE(status.isOk()) << status.message();
  for (float &value : values)
    value *= 5;
  EXPECT_EQ(download<float>(out, 1000), values);
  EXPECT_EQ(download<uint32_t>(flags, 1)[0], 0u);
}

TEST_P(KernelConformance, AnEmptyGridDoesNothing) {
  const DeviceAddress in = upload(std::vector<float>{1}), out = upload(std::vector<float>{2});
  ASSERT_TRUE(scale(in, out, 0, 5).isOk());
  EXPECT_EQ(download<float>(out, 1)[0], 2.0f);
}

TEST_P(KernelConformance, CountsLaunches) {
  device->resetStatistics();
  EXPECT_TRUE(device->statistics().empty() || device->statistics()[0].launches == 0);
  const DeviceAddress in = upload(std::vector<float>(10, 1)), out = allocate(40);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(scale(in, out, 10, 2).isOk());
  uint64_t launches = 0;
  for (const KernelStatistics &entry : device->statistics())
    if (entry.name == "k_0000000000000001")
      launches += entry.launches;
  EXPECT_EQ(launches, 3u);
}

TEST_P(KernelConformance, RefusesAnImageWithoutTheKernel) {
  format::Package changed = package;
  for (format::Variant &each : changed.variants) {
    each.program.kernels[0].name = "k_00000000000000ff";
    if (each.target == variant->target && each.arch == variant->arch) {
      LoadedKernels other;
      const Status status = other.load(*device, changed, each);
      ASSERT_TRUE(status.failed());
      EXPECT_NE(status.message().find("k_00000000000000ff"), std::string::npos) << status.message();
    }
  }
}

} // namespace cupola::runtime
