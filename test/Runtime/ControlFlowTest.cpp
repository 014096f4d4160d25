//===- test/Runtime/ControlFlowTest.cpp - Branches and loops on every device ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/ControlTest.h"

namespace cupola::runtime {

using format::DType;
using test::branchPackage;
using test::doublingPackage;
using test::Ends;
using test::growingPackage;
using test::nestedPackage;
using test::scanPackage;

class ControlFlowTest : public ControlTest {};

CUPOLA_FOR_ALL_DEVICES(ControlFlowTest);

TEST_P(ControlFlowTest, ABranchGoesEitherWay) {
  const auto session = start(branchPackage());
  for (bool go : {true, false, true, true})
    expectRuns(*session, numbers(go ? 5 : 300), 0, go, times(numbers(go ? 5 : 300), go ? 2 : 3));
}

TEST_P(ControlFlowTest, ALoopOfATripCount) {
  const auto session = start(doublingPackage(Ends::Trip));
  for (int64_t n : {3, 0, 1, 2, 4, -7, 4})
    expectRuns(*session, numbers(40), n, true, times(numbers(40), static_cast<float>(1 << std::max<int64_t>(n, 0))));
}

TEST_P(ControlFlowTest, ALoopOfACondition) {
  const auto session = start(doublingPackage(Ends::Condition));
  expectRuns(*session, numbers(9), 0, true, times(numbers(9), 128));
  expectRuns(*session, numbers(9), 0, false, numbers(9));
  expectRuns(*session, times(numbers(9), 64), 0, true, times(numbers(9), 128));
}

TEST_P(ControlFlowTest, ALoopOfBoth) {
  const auto session = start(doublingPackage(Ends::Both));
  for (int64_t n : {0, 1, 5, 7, 100})
    expectRuns(*session, numbers(3), n, true, times(numbers(3), static_cast<float>(1 << std::min<int64_t>(n, 7))));
  expectRuns(*session, numbers(3), 5, false, numbers(3));
}

TEST_P(ControlFlowTest, RowsOfAllIterations) {
  for (bool counted : {true, false}) {
    const auto session = start(scanPackage(counted));
    for (int64_t n : {3, 0, 30, 200, 1, 30}) {
      Floats expected;
      const Floats x = numbers(6);
      for (int64_t i = 0; i < (counted ? n : std::min<int64_t>(n, 100)); ++i)
        for (float value : times(x, static_cast<float>(i + 1)))
          expected.push_back(value);
      expectRuns(*session, x, n, true, expected);
      EXPECT_EQ(session->outputShapes()[0], Shape({static_cast<int64_t>(expected.size()) / 6, 6}));
    }
  }
}

TEST_P(ControlFlowTest, ALoopInALoop) {
  const auto session = start(nestedPackage());
  for (int64_t n : {0, 1, 2, 3, 2})
    expectRuns(*session, numbers(200), n, true, times(numbers(200), static_cast<float>(1 << n * n)));
}

TEST_P(ControlFlowTest, ACarriedValueThatGrowsInALoopInABranch) {
  const auto counted = start(growingPackage(true)), open = start(growingPackage(false));
  for (int64_t n : {2, 0, 1, 70, 5, 6}) {
    Floats x = numbers(4), expected = x;
    for (int64_t i = 0; i < n; ++i)
      expected.push_back(static_cast<float>(expected.size()));
    expectRuns(*counted, x, n, true, expected);
    expectRuns(*open, x, n, true, expected);
    expected.resize(4);
    for (int64_t i = 4; i < 8; ++i)
      expected.push_back(static_cast<float>(i));
    expectRuns(*counted, x, n, false, expected);
  }
}

TEST_P(ControlFlowTest, PoisonChangesNoAnswer) {
  SessionOptions options;
  options.poison = true;
  const auto session = start(growingPackage(true), std::move(options));
  std::vector<std::string> texts;
  device->progress = [&](const std::string &text) { texts.push_back(text); };
  expectRuns(*session, {9}, 3, true, {9, 1, 2, 3});
  device->progress = nullptr;
  EXPECT_NE(std::find(texts.begin(), texts.end(), "step 1 of 2: step 1 of 1: iteration 3: step 1 of 1"), texts.end());
}

TEST_P(ControlFlowTest, AnOutputOfUnknownShapeIsFetched) {
  const auto session = start(scanPackage(true));
  Floats x = numbers(2), y(8);
  int64_t n = 4;
  bool go = true;
  const std::vector<TensorRef> inputs = {{x.data(), DType::F32, {2}}, {&n, DType::I64, {}}, {&go, DType::Bool, {}}};
  const TensorRef later = {nullptr, DType::F32, {}}, whole = {y.data(), DType::F32, {4, 2}};
  ASSERT_TRUE(session->bind({{2}, {}, {}}).isOk());
  EXPECT_EQ(session->outputShapes(), std::vector<Shape>({{-1, 2}}));
  expectError(session->fetch(0, whole), Code::Usage, "output 'y': no run has made it");
  expectError(session->run(inputs, {whole}), Code::Usage, "output 'y': its shape is known only after the run");
  ASSERT_TRUE(session->run(inputs, {later}).isOk());
  EXPECT_EQ(session->outputShapes(), std::vector<Shape>({{4, 2}}));
  expectError(session->fetch(0, {y.data(), DType::F32, {2, 4}}), Code::Usage,
              "it is f32 [4, 2], the tensor f32 [2, 4]");
  expectError(session->fetch(0, {nullptr, DType::F32, {4, 2}}), Code::Usage, "its address is null");
  expectError(session->fetch(1, whole), Code::Usage, "output 1 of 1");
  for (int repeat = 0; repeat < 2; ++repeat) {
    ASSERT_TRUE(session->fetch(0, whole).isOk());
    EXPECT_EQ(y, Floats({1, 2, 2, 4, 3, 6, 4, 8}));
  }
  ASSERT_TRUE(session->bind({{2}, {}, {}}).isOk());
  EXPECT_EQ(session->outputShapes(), std::vector<Shape>({{-1, 2}}));
}

/// A loop, and what its body does in three iterations.
TEST_P(ControlFlowTest, StepsAreTimed) {
  const auto session = start(doublingPackage(Ends::Both));
  Floats x = numbers(4), y(4);
  int64_t n = 3;
  bool go = true;
  RunTimes taken;
  const Status status = session->runTimed({{x.data(), DType::F32, {4}}, {&n, DType::I64, {}}, {&go, DType::Bool, {}}},
                                          {{y.data(), DType::F32, {4}}}, taken);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(y, times(x, 8));
  ASSERT_EQ(taken.steps.size(), 1u);
  const format::Program &program = session->executable().program();
  ASSERT_EQ(taken.bodySteps.size(), program.bodies[0].steps.size());
  for (const RunTimes::Inside &inside : taken.bodySteps) {
    EXPECT_EQ(inside.outer, 0u);
    EXPECT_EQ(inside.time.times, 3u);
    EXPECT_EQ(format::stepAt(program, inside.time.step)->kind, format::Step::LaunchStep);
    EXPECT_GT(inside.time.work.bytes, 0u);
    EXPECT_GE(inside.time.milliseconds, 0);
  }
  EXPECT_EQ(taken.prepare.begin, 0);
  EXPECT_EQ(taken.inputs.begin, taken.prepare.end);
  EXPECT_EQ(taken.work.begin, taken.inputs.end);
  EXPECT_EQ(taken.outputs.begin, taken.work.end);
  EXPECT_GE(taken.steps[0].begin, taken.inputs.end);
  EXPECT_GE(taken.steps[0].end, taken.steps[0].begin);
  EXPECT_LE(taken.outputs.end, taken.wait.end);
}

} // namespace cupola::runtime
