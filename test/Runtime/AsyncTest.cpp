//===- test/Runtime/AsyncTest.cpp - Runs that are queued and waited for later, on every device ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/ControlTest.h"
#include "test/Runtime/SessionFixture.h"

#include <thread>

namespace cupola::runtime {

class AsyncTest : public SessionTest {
protected:
  /// A run that was queued, with the memory it uses.
  struct Queued {
    Case data;
    uint64_t run = 0;
    bool isWrong;
    Queued(int64_t rows, bool isWrong) : data(rows), isWrong(isWrong) {
      if (isWrong)
        data.ids.back() = 3;
    }
  };

  static SessionOptions ringOf(size_t inFlight) {
    SessionOptions options;
    options.inFlight = inFlight;
    return options;
  }

  static void enqueue(Session &session, Queued &queued) {
    Result<uint64_t> run = session.enqueue(queued.data.inputs(), queued.data.outputs());
    ASSERT_TRUE(run.isOk()) << run.status().message();
    queued.run = *run;
  }

  static void expectOwnEnd(Session &session, const Queued &queued) {
    const Status status = session.wait(queued.run);
    if (queued.isWrong)
      expectError(status, Code::Usage, "nodes 'embed/Gather' (Gather), 'add' (Add): an index lies outside");
    else
      EXPECT_TRUE(status.isOk()) << "run " << queued.run << ": " << status.message();
    if (!queued.isWrong) {
      EXPECT_EQ(queued.data.y, queued.data.expected()) << "run " << queued.run;
    }
  }

  /// `count` runs of one to three rows; every seventh has an index out of range.
  static std::deque<Queued> enqueueMany(Session &session, size_t count) {
    std::deque<Queued> runs;
    for (size_t i = 0; i < count; ++i)
      enqueue(session, runs.emplace_back(1 + i % 3, i % 7 == 0));
    return runs;
  }

  /// The simulator takes its time.
  size_t many(size_t count) const { return GetParam() == std::string("sim") ? count / 50 : count; }
};

CUPOLA_FOR_ALL_DEVICES(AsyncTest);

TEST_P(AsyncTest, TenThousandRunsWithoutAWait) {
  for (size_t inFlight : {1, 2, 8}) {
    const auto session = start(ringOf(inFlight));
    const std::deque<Queued> runs = enqueueMany(*session, many(inFlight == 2 ? 10000 : 1000));
    for (const Queued &queued : runs)
      expectOwnEnd(*session, queued);
  }
}

TEST_P(AsyncTest, TenThousandRunsAreWaitedForInReverse) {
  const auto session = start();
  const std::deque<Queued> runs = enqueueMany(*session, many(10000));
  for (size_t i = runs.size(); i-- > 0;)
    expectOwnEnd(*session, runs[i]);
}

TEST_P(AsyncTest, OfTenThousandRunsEveryHundredthIsWaitedFor) {
  const auto session = start();
  const std::deque<Queued> runs = enqueueMany(*session, many(10000));
  for (size_t i = 0; i < runs.size(); i += 100)
    expectOwnEnd(*session, runs[i]);
  expectOwnEnd(*session, runs.back());
  for (const Queued &queued : runs) // what went before the last is over, too
    if (!queued.isWrong) {
      ASSERT_EQ(queued.data.y, queued.data.expected()) << "run " << queued.run;
    }
}

TEST_P(AsyncTest, WaitsWhileRunsAreUnderWay) {
  const auto session = start(ringOf(3));
  std::deque<Queued> runs;
  for (size_t i = 0; i < many(1000); ++i) {
    enqueue(*session, runs.emplace_back(2, i % 7 == 3));
    if (runs.size() == 5) { // two more than there are slots
      expectOwnEnd(*session, runs[i % 5]);
      runs.erase(runs.begin() + i % 5);
    }
  }
}

TEST_P(AsyncTest, ShapesChangeWhileRunsAreUnderWay) {
  for (bool moves : {false, true}) { // with an allocator of its own an arena cannot grow in place
    SessionOptions options = ringOf(4);
    if (moves) {
      options.memory.allocate = [&](uint64_t bytes) { return *device->allocate(bytes); };
      options.memory.free = [&](DeviceAddress address) { device->free(address); };
    }
    const auto session = start(std::move(options));
    std::deque<Queued> runs;
    for (int64_t rows : {1, 40, 39, 38, 40, 3, 900, 2, 2, 2, 901, 17, 1000, 1, 1000, 1000, 40, 1})
      for (bool isWrong : {false, true, false})
        enqueue(*session, runs.emplace_back(rows, isWrong));
    for (const Queued &queued : runs)
      expectOwnEnd(*session, queued);
  }
}

TEST_P(AsyncTest, ARunAtOnceBetweenQueuedOnes) {
  const auto session = start();
  Queued first(5, true), second(6, false);
  enqueue(*session, first);
  expectRuns(*session, 5);
  enqueue(*session, second);
  expectRuns(*session, 7);
  expectOwnEnd(*session, second);
  expectOwnEnd(*session, first);
}

TEST_P(AsyncTest, ARunIsWaitedForOnce) {
  const auto session = start();
  expectError(session->wait(0), Code::Usage, "there is no run 0");
  expectError(session->wait(1), Code::Usage, "there is no run 1: the last one has number 0");
  std::deque<Queued> runs = enqueueMany(*session, 6);
  for (size_t i : {3, 2, 5, 0, 4, 1}) {
    expectOwnEnd(*session, runs[i]);
    expectError(session->wait(i + 1), Code::Usage, "run " + std::to_string(i + 1) + " was waited for before");
  }
}

TEST_P(AsyncTest, WhatIsWrongAtOnceIsNoRun) {
  const auto session = start();
  Queued queued(4, false), other(5, false);
  auto outputs = queued.data.outputs();
  outputs[0].shape = {5, 4};
  expectError(session->enqueue(queued.data.inputs(), outputs).status(), Code::Usage, "output 'y': shape is [5, 4]");
  expectError(session->enqueue({}, outputs).status(), Code::Usage, "0 inputs were given");
  enqueue(*session, queued);
  expectError(session->enqueue(other.data.inputs(), queued.data.outputs()).status(), Code::Usage, "shape is [4, 4]");
  enqueue(*session, other);
  EXPECT_EQ(queued.run, 1u);
  EXPECT_EQ(other.run, 2u);
  expectOwnEnd(*session, other);
  expectOwnEnd(*session, queued);
}

TEST_P(AsyncTest, ASessionThatGoesWaits) {
  std::deque<Queued> runs;
  {
    const auto session = start(ringOf(8));
    for (int i = 0; i < 5; ++i)
      enqueue(*session, runs.emplace_back(30, false));
  }
  for (const Queued &queued : runs)
    EXPECT_EQ(queued.data.y, queued.data.expected());
}

TEST_P(AsyncTest, SessionsOfTwoThreads) {
  const auto executable = load(test::makeRunnablePackage());
  std::vector<std::thread> threads;
  for (size_t ring : {1, 2})
    threads.emplace_back([&, ring] {
      const auto session = test::need(Session::create(executable, ringOf(ring)));
      const std::deque<Queued> runs = enqueueMany(*session, many(2000));
      for (size_t i = runs.size(); i-- > 0;)
        expectOwnEnd(*session, runs[i]);
    });
  for (std::thread &thread : threads)
    thread.join();
}

//===--- Programs whose way depends on values ---===//

class AsyncControlTest : public ControlTest {
protected:
  /// Inputs x, n, go of the models of ControlPackage.h.
  static Result<uint64_t> enqueue(Session &session, Floats &x, int64_t &n, bool &go, const TensorRef &y) {
    const auto count = static_cast<int64_t>(x.size());
    return session.enqueue(
        {{x.data(), format::DType::F32, {count}}, {&n, format::DType::I64, {}}, {&go, format::DType::Bool, {}}}, {y});
  }
};

CUPOLA_FOR_ALL_DEVICES(AsyncControlTest);

TEST_P(AsyncControlTest, LoopsOfOtherLengthsFollowEachOther) {
  const auto session = start(test::doublingPackage(test::Ends::Trip));
  constexpr int64_t count = 20;
  std::vector<Floats> inputs(count), outputs(count);
  std::vector<int64_t> trips(count);
  bool go = true;
  for (int64_t i = 0; i < count; ++i) {
    inputs[i] = numbers(3 + i % 4);
    outputs[i].resize(inputs[i].size());
    trips[i] = i % 11;
    const TensorRef y = {outputs[i].data(), format::DType::F32, {static_cast<int64_t>(inputs[i].size())}};
    EXPECT_EQ(*enqueue(*session, inputs[i], trips[i], go, y), static_cast<uint64_t>(i + 1));
  }
  for (int64_t i = count; i-- > 0;) {
    const Status status = session->wait(i + 1);
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(outputs[i], times(inputs[i], static_cast<float>(1 << trips[i])));
  }
}

TEST_P(AsyncControlTest, AShapeThatARunFindsIsKnownWhenItIsQueued) {
  const auto session = start(test::scanPackage(true));
  Floats x = numbers(2), y(10);
  bool go = true;
  int64_t three = 3, five = 5, tooMany = 5000;
  const TensorRef open = {nullptr, format::DType::F32, {}};
  EXPECT_EQ(*enqueue(*session, x, three, go, open), 1u);
  EXPECT_EQ(session->outputShapes()[0], (Shape{3, 2}));
  EXPECT_EQ(*enqueue(*session, x, tooMany, go, open), 2u);
  EXPECT_EQ(session->outputShapes()[0], (Shape{-1, 2}));
  EXPECT_EQ(session->fetch(0, {y.data(), format::DType::F32, {3, 2}}).code(), Code::Usage);
  EXPECT_EQ(*enqueue(*session, x, five, go, open), 3u);
  const Status fetched = session->fetch(0, {y.data(), format::DType::F32, {5, 2}});
  EXPECT_TRUE(fetched.isOk()) << fetched.message();
  EXPECT_EQ(y, (Floats{1, 2, 2, 4, 3, 6, 4, 8, 5, 10}));
  EXPECT_TRUE(session->wait(3).isOk());
  EXPECT_TRUE(session->wait(1).isOk());
  EXPECT_TRUE(session->wait(2).failed());
}

} // namespace cupola::runtime
