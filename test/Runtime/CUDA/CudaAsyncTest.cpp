//===- test/Runtime/CUDA/CudaAsyncTest.cpp - Runs under way on a driver that works as late as it may ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Session.h"
#include "test/Runtime/CUDA/FakePackageKernels.h"
#include "test/Runtime/TestPackage.h"

#include <algorithm>
#include <cstring>
#include <deque>

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::cuda;

namespace {

/// A run and the memory it uses.
struct QueuedRun {
  std::vector<float> x, y;
  std::vector<int64_t> ids;
  int64_t rows;
  uint64_t number = 0;
  explicit QueuedRun(int64_t rows) : x(size_t(4 * rows), 1), y(x.size(), -1), ids(size_t(rows), 2), rows(rows) {}

  Status enqueue(Session &session) {
    Result<uint64_t> run =
        session.enqueue({{x.data(), format::DType::F32, {rows, 4}}, {ids.data(), format::DType::I64, {rows}}},
                        {{y.data(), format::DType::F32, {rows, 4}}});
    number = run.isOk() ? *run : 0;
    return run.status();
  }
  bool isUntouched() const {
    return std::all_of(y.begin(), y.end(), [](float value) { return value == -1; });
  }
  bool isRight() const { // 2 * (x + 3 * w[2])
    for (size_t i = 0; i < y.size(); ++i)
      if (y[i] != 2 * (1 + 3 * float(8 + i % 4)))
        return false;
    return true;
  }
};

struct Machine {
  std::unique_ptr<FakeDriver> fake = fakeWithKernels();
  std::shared_ptr<Device> device;
  std::unique_ptr<Session> session;

  void start(SessionOptions options, int64_t mostRows = 1000) {
    format::Package package = test::makePackage();
    package.symbols[0].max = mostRows;
    device = openDevice().take();
    session = Session::create(Executable::create(test::loadPackage(package), device).take(), std::move(options)).take();
  }
  void end() {
    session.reset();
    device.reset();
    expectClean(*fake, "at the end");
  }
  uint64_t waits() const { return fake->count("cuStreamSynchronize") + fake->count("cuEventSynchronize"); }
};

SessionOptions ringOf(size_t inFlight) {
  SessionOptions options;
  options.inFlight = inFlight;
  return options;
}

TEST(CudaAsync, AsManyRunsAreUnderWayAsThereAreSlots) {
  for (size_t slots : {1, 2, 3}) {
    Machine machine;
    machine.start(ringOf(slots));
    std::deque<QueuedRun> runs;
    for (size_t i = 0; i < slots; ++i)
      ASSERT_TRUE(runs.emplace_back(3).enqueue(*machine.session).isOk());
    for (const QueuedRun &run : runs)
      EXPECT_TRUE(run.isUntouched()) << run.number;
    ASSERT_TRUE(runs.emplace_back(3).enqueue(*machine.session).isOk());
    EXPECT_TRUE(runs[0].isRight()) << "its slot was wanted";
    for (size_t i = 1; i <= slots; ++i)
      EXPECT_TRUE(runs[i].isUntouched()) << runs[i].number;
    machine.end();
  }
}

TEST(CudaAsync, AWaitIsForItsRunAlone) {
  Machine machine;
  machine.start(ringOf(2));
  QueuedRun first(3), second(4);
  ASSERT_TRUE(first.enqueue(*machine.session).isOk());
  ASSERT_TRUE(second.enqueue(*machine.session).isOk());
  EXPECT_TRUE(machine.session->wait(first.number).isOk());
  EXPECT_TRUE(first.isRight());
  EXPECT_TRUE(second.isUntouched());
  machine.end();
  EXPECT_TRUE(second.isRight());
}

TEST(CudaAsync, AnArenaThatGrowsInPlaceIsNotWaitedFor) {
  Machine machine;
  machine.start(ringOf(2));
  QueuedRun first(300), second(900);
  ASSERT_TRUE(machine.session->bind({{300, 4}, {300}}).isOk());
  ASSERT_TRUE(first.enqueue(*machine.session).isOk());
  ASSERT_TRUE(machine.session->bind({{900, 4}, {900}}).isOk());
  EXPECT_TRUE(first.isUntouched());
  ASSERT_TRUE(second.enqueue(*machine.session).isOk()); // staging, which does not grow in place
  EXPECT_TRUE(first.isRight());
  machine.end();
  EXPECT_TRUE(second.isRight());
}

/// An allocator that knows nothing of streams and spoils what it gets back.
struct SpoilingMemory {
  Device &device;
  std::map<DeviceAddress, uint64_t> sizes;
  MemoryHooks hooks() {
    return {[this](uint64_t bytes) {
              const DeviceAddress address = *device.allocate(bytes);
              sizes[address] = bytes;
              return address;
            },
            [this](DeviceAddress address) {
              std::memset(reinterpret_cast<void *>(address), 0xdd, sizes[address]);
              device.free(address);
            }};
  }
};

TEST(CudaAsync, MemoryIsFreedWhenTheStreamIsPastIt) {
  Machine machine;
  machine.device = openDevice().take();
  SpoilingMemory memory{*machine.device, {}};
  SessionOptions options = ringOf(8);
  options.memory = memory.hooks();
  machine.session =
      Session::create(Executable::create(test::loadPackage(test::makePackage()), machine.device).take(), options)
          .take();
  std::deque<QueuedRun> runs;
  for (int64_t rows : {5, 5, 5, 5, 70, 5, 70, 5, 800, 5, 5, 70, 70, 1000})
    ASSERT_TRUE(runs.emplace_back(rows).enqueue(*machine.session).isOk());
  for (const QueuedRun &run : runs) {
    EXPECT_TRUE(machine.session->wait(run.number).isOk());
    EXPECT_TRUE(run.isRight()) << "run " << run.number << " of " << run.rows << " rows";
  }
  machine.end();
}

/// Binds more buckets of shapes than a session remembers.
void bindMany(Session &session) {
  for (int64_t octave = 8; octave <= 262144; octave *= 2)
    for (int64_t quarter = 5; quarter <= 8; ++quarter) {
      const int64_t rows = octave * quarter / 4;
      ASSERT_TRUE(session.bind({{rows, 4}, {rows}}).isOk());
    }
}

TEST(CudaAsync, ARecordingIsForgottenWhileItIsUnderWay) {
  Machine machine;
  machine.start(ringOf(4), 1000000);
  std::deque<QueuedRun> runs;
  for (int i = 0; i < 4; ++i) // direct, recorded, replayed
    ASSERT_TRUE(runs.emplace_back(3).enqueue(*machine.session).isOk());
  bindMany(*machine.session);
  EXPECT_GT(machine.session->arenasPlanned(), 64u);
  EXPECT_TRUE(runs[0].isUntouched());
  for (const QueuedRun &run : runs) {
    EXPECT_TRUE(machine.session->wait(run.number).isOk());
    EXPECT_TRUE(run.isRight()) << run.number;
  }
  EXPECT_EQ(machine.fake->count("cuGraphExecDestroy"), 1u);
  machine.end();
}

/// Larger than what a stream copies at once, so that the driver reads the table when it comes to it.
TEST(CudaAsync, ATableUnderWayIsNotOverwritten) {
  auto fake = fakeWithKernels();
  {
    std::shared_ptr<Device> device = openDevice().take();
    std::unique_ptr<Stream> stream = device->createStream(nullptr).take();
    Bindings table;
    constexpr size_t words = 9000, uploads = 30;
    ASSERT_TRUE(table.allocate(*device, *stream, words, 0, 0).isOk());
    std::vector<uint64_t> seen(uploads);
    for (uint64_t i = 0; i < uploads; ++i) {
      table.set(words - 1, 100 + i);
      ASSERT_TRUE(table.upload(*stream).isOk());
      ASSERT_TRUE(stream->download(&seen[i], table.address() + 8 * words, 8).isOk());
    }
    EXPECT_EQ(fake->count("cuStreamSynchronize"), 0u);
    ASSERT_TRUE(stream->synchronize().isOk());
    for (uint64_t i = 0; i < uploads; ++i)
      EXPECT_EQ(seen[i], 100 + i);
  }
  expectClean(*fake, "at the end");
}

TEST(CudaAsync, ALostDeviceIsTheErrorOfAllRunsFromThenOn) {
  Machine machine;
  machine.start(ringOf(2));
  std::deque<QueuedRun> runs;
  ASSERT_TRUE(runs.emplace_back(3).enqueue(*machine.session).isOk());
  EXPECT_TRUE(machine.session->wait(1).isOk());
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(runs.emplace_back(3).enqueue(*machine.session).isOk());
  machine.fake->failAt = machine.fake->calls + 2; // push, wait
  machine.fake->failCode = cuIllegalAddress;
  const Status first = machine.session->wait(2);
  expectError(first, Code::Environment,
              "the CUDA device is lost until the process ends: waiting for the device failed");
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(runs.emplace_back(3).enqueue(*machine.session).isOk());
  for (uint64_t run : {5, 3, 6, 4})
    EXPECT_EQ(machine.session->wait(run).message(), first.message()) << run;
  machine.end();
}

TEST(CudaAsync, AnErrorOfQueueingIsThatOfItsRun) {
  Machine machine;
  machine.start(ringOf(3));
  QueuedRun before(3), failing(3), after(3);
  ASSERT_TRUE(before.enqueue(*machine.session).isOk());
  machine.fake->failAt = machine.fake->calls + 4;
  machine.fake->failCode = 1;
  ASSERT_TRUE(failing.enqueue(*machine.session).isOk());
  ASSERT_TRUE(after.enqueue(*machine.session).isOk());
  EXPECT_TRUE(machine.session->wait(after.number).isOk());
  EXPECT_EQ(machine.session->wait(failing.number).code(), Code::Environment);
  EXPECT_TRUE(machine.session->wait(before.number).isOk());
  EXPECT_TRUE(before.isRight() && after.isRight());
  machine.end();
}

} // namespace
