//===- test/Runtime/ControlFlowTest.cpp - Branches and loops on every device ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Session.h"
#include "test/Runtime/ControlPackage.h"
#include "test/Runtime/Devices.h"

#include <cstring>

namespace cupola::runtime {

using format::DType;
using format::Step;
using Builders = std::vector<test::BodyBuilder>;
using Floats = std::vector<float>;

namespace {

/// Inputs x: f32[s0], n: i64[], go: bool[]; output y of the given extents. Run symbols r0..r3.
format::Package tensors(std::vector<std::string> outputDims) {
  format::Package package;
  package.inputs = {{"x", DType::F32, {"s0"}}, {"n", DType::I64, {}}, {"go", DType::Bool, {}}};
  package.outputs = {{"y", DType::F32, std::move(outputDims)}};
  package.symbols = {{"s0", "", 1, 1000, 1}};
  for (const char *id : {"r0", "r1", "r2", "r3"})
    package.symbols.push_back({id, "", 0, 4096, 1, true});
  package.nodes = {{"loop", "Loop"}, {"select", "Gather"}};
  return package;
}

/// x: 0, n: 1, go: 2, y: 3
void addIo(test::BodyBuilder &program, const std::string &outputBytes) {
  program.input(0, "4*s0"), program.input(1, "8"), program.input(2, "1"), program.output(0, outputBytes);
}

Floats numbers(size_t count) {
  Floats values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(i % 7 + 1);
  return values;
}

Floats times(Floats values, float factor) {
  for (float &value : values)
    value *= factor;
  return values;
}

/// y = go ? 2 * x : 3 * x
format::Package branchPackage() {
  return test::makeControlPackage(tensors({"s0"}), 2, [](Builders &b) {
    addIo(b[0], "4*s0");
    format::Branch &branch = b[0].branch(Step::IfStep);
    branch.bodies = {0, 1};
    branch.condition = 2;
    branch.captures = {0};
    branch.results = {3};
    for (size_t i : {1, 2}) {
      const uint32_t in = b[i].parameter(0, "4*s0"), out = b[i].parameter(1, "4*s0");
      b[i].scale("s0", in, out, i == 1 ? "2" : "3");
    }
  });
}

enum class Ends { Trip, Condition, Both };

/// y = x * 2 * 2 * .. : n times, or while the first element is below 100, or both
format::Package doublingPackage(Ends ends) {
  return test::makeControlPackage(tensors({"s0"}), 1, [=](Builders &b) {
    addIo(b[0], "4*s0");
    const uint32_t spare = b[0].arena("4*s0"), proceed = b[0].arena("1");
    format::Loop &loop = b[0].loop();
    loop.carried = {{0, 3, spare}};
    const uint32_t in = b[1].parameter(0, "4*s0"), out = b[1].parameter(1, "4*s0");
    b[1].scale("s0", in, out, "2");
    if (ends != Ends::Condition)
      loop.trip = 1 + 1;
    if (ends == Ends::Trip)
      return;
    loop.condition = 1 + 2;
    loop.proceed = 1 + proceed;
    b[1].less(out, b[1].parameter(2, "1"), "100");
  });
}

/// Rows x * 1, x * 2, ..: n of them where `counted`, else until one begins with 100 or more.
/// The last is the carried value; y is all of them.
format::Package scanPackage(bool counted) {
  return test::makeControlPackage(tensors({"r1", "s0"}), 2, [=](Builders &b) {
    addIo(b[0], "");
    const uint32_t row = b[0].arena("4*s0"), rows = b[0].growing(), proceed = b[0].arena("1");
    format::Loop &loop = b[0].loop();
    loop.trip = 1 + 1;
    loop.captures = {0};
    loop.scans = {{row, rows}};
    loop.index = "r0";
    loop.count = "r1";
    loop.proceed = counted ? 0 : 1 + proceed;
    const uint32_t in = b[1].parameter(0, "4*s0"), out = b[1].parameter(1, "4*s0");
    b[1].scale("s0", in, out, "r0 + 1");
    if (!counted)
      b[1].less(out, b[1].parameter(2, "1"), "100");
    format::Branch &call = b[0].branch(Step::CallStep);
    call.bodies = {1};
    call.captures = {rows};
    call.results = {3};
    b[2].scale("r1*s0", b[2].parameter(0, "4*r1*s0"), b[2].parameter(1, "4*r1*s0"), "1");
  });
}

/// x with its numbers s0, s0 + 1, .. behind it, one per iteration, all inside a branch.
format::Package growingPackage() {
  return test::makeControlPackage(tensors({"r2"}), 5, [](Builders &b) {
    addIo(b[0], "");
    const uint32_t value = b[0].growing();
    format::Branch &branch = b[0].branch(Step::IfStep);
    branch.bodies = {0, 1};
    branch.condition = 2;
    branch.captures = {0, 1};
    branch.results = {value};
    branch.symbols = {"r2"};
    branch.thenValues = {"r1"};
    branch.elseValues = {"2*s0"};
    const uint32_t x = b[1].parameter(0, "4*s0"), n = b[1].parameter(1, "8");
    const uint32_t result = b[1].parameter(2), spare = b[1].growing();
    format::Loop &loop = b[1].loop();
    loop.body = 2;
    loop.trip = 1 + n;
    loop.carried = {{x, result, spare}};
    loop.extents = {{"r0", "s0", "r0 + 1", "r1"}};
    b[2].extend("2*s0", b[2].parameter(0, "4*s0"), b[2].parameter(2, "8*s0"), "s0");
    b[3].extend("r0 + 1", b[3].parameter(0, "4*r0"), b[3].parameter(1, "4*r0 + 4"), "r0");
    format::Branch &call = b[0].branch(Step::CallStep);
    call.bodies = {3};
    call.captures = {value};
    call.results = {3};
    const uint32_t all = b[4].parameter(0), y = b[4].parameter(1); // only handed on
    format::Branch &inner = b[4].branch(Step::CallStep);
    inner.bodies = {4};
    inner.captures = {all};
    inner.results = {y};
    b[5].copy(b[5].parameter(0, "4*r2"), b[5].parameter(1, "4*r2"), "4*r2");
  });
}

} // namespace

class ControlFlowTest : public test::DeviceTest {
protected:
  std::unique_ptr<Session> start(const format::Package &package, SessionOptions options = {}) {
    std::shared_ptr<const Executable> executable = test::need(Executable::create(test::loadPackage(package), device));
    return test::need(Session::create(executable, std::move(options)));
  }

  /// The answer, whose shape is known beforehand or not.
  static Result<Floats> run(Session &session, Floats x, int64_t n, bool go) {
    const auto count = static_cast<int64_t>(x.size());
    const std::vector<TensorRef> inputs = {
        {x.data(), DType::F32, {count}}, {&n, DType::I64, {}}, {&go, DType::Bool, {}}};
    CUPOLA_TRY(session.bind({{count}, {}, {}}));
    const bool isOpen = session.outputShapes()[0][0] < 0;
    Floats y(isOpen ? 0 : x.size());
    CUPOLA_TRY(session.run(inputs, {{isOpen ? nullptr : y.data(), DType::F32, session.outputShapes()[0]}}));
    if (!isOpen)
      return y;
    const Shape shape = session.outputShapes()[0];
    y.resize(*tensorBytes(DType::F32, shape) / 4);
    CUPOLA_TRY(session.fetch(0, {y.data(), DType::F32, shape}));
    return y;
  }

  static void expectRuns(Session &session, const Floats &x, int64_t n, bool go, const Floats &expected) {
    const Result<Floats> y = run(session, x, n, go);
    ASSERT_TRUE(y.isOk()) << y.status().message();
    EXPECT_EQ(*y, expected) << n << " iterations, " << go;
  }

  static void expectError(const Status &status, Code code, const std::string &text) {
    EXPECT_EQ(status.code(), code) << status.message();
    EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
  }
};

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

TEST_P(ControlFlowTest, ACarriedValueThatGrowsInALoopInABranch) {
  const auto session = start(growingPackage());
  for (int64_t n : {2, 0, 1, 70, 5}) {
    Floats x = numbers(4), expected = x;
    for (int64_t i = 0; i < n; ++i)
      expected.push_back(static_cast<float>(expected.size()));
    expectRuns(*session, x, n, true, expected);
    expected.resize(4);
    for (int64_t i = 4; i < 8; ++i)
      expected.push_back(static_cast<float>(i));
    expectRuns(*session, x, n, false, expected);
  }
}

TEST_P(ControlFlowTest, PoisonChangesNoAnswer) {
  SessionOptions options;
  options.poison = true;
  const auto session = start(growingPackage(), std::move(options));
  expectRuns(*session, {9}, 3, true, {9, 1, 2, 3});
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

TEST_P(ControlFlowTest, AValueOutsideTheDeclaredRangeIsRefused) {
  const auto session = start(scanPackage(true));
  expectError(run(*session, numbers(1), 5000, true).status(), Code::Usage,
              "gives r0 = 4097, the package was compiled for 0..4096");
  expectRuns(*session, {3}, 2, true, {3, 6});
}

TEST_P(ControlFlowTest, AFlagRaisedInABodyNamesItsNode) {
  format::Package package = tensors({"s0", "4"});
  package.weights = {{"w", DType::F32, {3, 4}, 0, 48}};
  package.inputs[0] = {"x", DType::F32, {"s0", "4"}};
  package.inputs.push_back({"ids", DType::I64, {"s0"}});
  package = test::makeControlPackage(package, 1, [](Builders &b) {
    const uint32_t x = b[0].input(0, "16*s0"), n = b[0].input(1, "8"), ids = b[0].input(3, "8*s0");
    const uint32_t y = b[0].output(0, "16*s0"), spare = b[0].arena("16*s0");
    format::Loop &loop = b[0].loop();
    loop.trip = 1 + n;
    loop.captures = {ids};
    loop.carried = {{x, y, spare}};
    b[0].node(0);
    const uint32_t list = b[1].parameter(0, "8*s0"), in = b[1].parameter(1, "16*s0"), out = b[1].parameter(2, "16*s0");
    b[1].gather("s0", {in, b[1].weight(0, "48"), list, out}, "3");
    b[1].node(1);
  });
  const auto session = start(package);
  Floats x(8), y(8);
  int64_t n = 2, ids[2] = {1, 3};
  bool go = true;
  const auto runIt = [&] {
    return session->run(
        {{x.data(), DType::F32, {2, 4}}, {&n, DType::I64, {}}, {&go, DType::Bool, {}}, {ids, DType::I64, {2}}},
        {{y.data(), DType::F32, {2, 4}}});
  };
  expectError(runIt(), Code::Usage, "node 'select' (Gather): an index lies outside the tensor it selects from");
  ids[1] = 2;
  ASSERT_TRUE(runIt().isOk());
  EXPECT_EQ(y, Floats({8, 10, 12, 14, 16, 18, 20, 22}));
}

TEST_P(ControlFlowTest, NoMemoryInABodyLeavesTheSessionUsable) {
  int calls = 0, live = 0, refused = -1;
  const auto runAll = [&](Session &session) {
    for (int64_t n : {3, 40}) {
      const Result<Floats> y = run(session, numbers(50), n, true);
      if (y.failed())
        return y.status();
    }
    return Status::ok();
  };
  SessionOptions options;
  options.memory.allocate = [&](uint64_t bytes) {
    if (calls++ == refused)
      return DeviceAddress(0);
    ++live;
    return *device->allocate(bytes);
  };
  options.memory.free = [&](DeviceAddress address) { device->free(address), --live; };
  for (refused = 0; refused < 100; ++refused) {
    const auto session = start(growingPackage(), options);
    calls = 0;
    const Status status = runAll(*session);
    if (calls <= refused)
      break;
    if (status.failed())
      expectError(status, Code::Environment, "no memory for this run");
    calls = 1000;
    EXPECT_TRUE(runAll(*session).isOk()) << "after refusing allocation " << refused;
  }
  EXPECT_GT(refused, 5);
  EXPECT_EQ(live, 0);
}

TEST_P(ControlFlowTest, StepsAreTimedAsAWhole) {
  const auto session = start(doublingPackage(Ends::Both));
  Floats x = numbers(4), y(4);
  int64_t n = 3;
  bool go = true;
  std::vector<double> milliseconds;
  const Status status = session->runTimed({{x.data(), DType::F32, {4}}, {&n, DType::I64, {}}, {&go, DType::Bool, {}}},
                                          {{y.data(), DType::F32, {4}}}, milliseconds);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(y, times(x, 8));
  EXPECT_EQ(milliseconds.size(), 1u);
}

TEST_P(ControlFlowTest, ASizeOfTheProgramItselfNeedsNoRunSymbol) {
  format::Package package = branchPackage();
  for (format::Variant &variant : package.variants)
    variant.program.buffers[0].bytes = "4*r0";
  expectError(Executable::create(test::loadPackage(package), device).status(), Code::Package,
              "symbol r0 has no value before a run");
  package = branchPackage();
  for (format::Variant &variant : package.variants)
    variant.program.bodies[0].scalars[0] = "r0";
  expectError(run(*start(package), numbers(2), 0, true).status(), Code::Package, "symbol r0 has no value yet");
}

TEST_P(ControlFlowTest, ABodyGetsNoMoreThanIsHandedOver) {
  format::Package package = branchPackage();
  for (format::Variant &variant : package.variants)
    variant.program.bodies[0].buffers[1].bytes = "4*s0 + 4";
  const auto session = start(package);
  expectError(run(*session, numbers(2), 0, true).status(), Code::Package,
              "a body wants 12 bytes of a buffer that has 8");
  expectRuns(*session, {5}, 0, false, {15});
}

} // namespace cupola::runtime
