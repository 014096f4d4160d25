//===- test/Target/CUDA/TunedScheduleTest.cpp - schedules by measured times ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Target/CUDA/Tuning.h"
#include "lib/Target/PassErrors.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace cupola::cuda {
namespace {

const std::string body = R"( gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %c: !kernel.view<f32, write>) {
  %0 = kernel.dot [48, 64, 256] lhs (%m, %k) {
    %1 = kernel.load %a[256*%m + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.load %b[64*%k + %n] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "48", "64">
  kernel.foreach (%m, %n) in [48, 64] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "48", "64">
    kernel.store %1, %c[64*%m + %n] : f32 to !kernel.view<f32, write>
  }
})";

class TunedSchedule : public testing::Test {
protected:
  TunedSchedule() {
    context.loadDialect<graph::GraphDialect, kernel::KernelDialect, CudaDialect>();
    module = parse(body);
    KernelFacts facts(func());
    all = allCandidates(facts, target);
    cheapestOne = worthMeasuring(all, facts, target, 1)[0];
    key = tuningKey(func());
  }

  OwningOpRef<ModuleOp> parse(const std::string &text, const std::string &name = "k") {
    return parseSourceString<ModuleOp>("kernel.func @" + name + text, &context);
  }
  kernel::FuncOp func() { return *module->getOps<kernel::FuncOp>().begin(); }

  static std::string textOf(Attribute schedule) {
    std::string text;
    llvm::raw_string_ostream(text) << schedule;
    return text;
  }
  void add(TuningTable &table, const std::string &schedule, double time, const std::string &nvrtc = "12.9") {
    table.add({key, "sm_80", nvrtc, schedule, time});
  }
  Attribute chosen(ArrayRef<const TuningTable *> tables) {
    OwningOpRef<ModuleOp> copy = module->clone();
    EXPECT_TRUE(succeeded(prepareCudaKernels(*copy, target, tables)));
    return (*copy->getOps<kernel::FuncOp>().begin()).getScheduleAttr();
  }

  MLIRContext context;
  const GpuArchitecture &target = *findGpu("sm_80");
  OwningOpRef<ModuleOp> module;
  Candidates all;
  ScheduleInterface cheapestOne;
  std::string key;
};

TEST_F(TunedSchedule, TheFastestOfThoseMeasuredIsTaken) {
  ASSERT_GE(all.size(), 3u);
  EXPECT_EQ(chosen({}), cheapestOne);
  TuningTable table;
  EXPECT_EQ(chosen({&table}), cheapestOne);
  for (ScheduleInterface slow : all)
    if (slow != cheapestOne) {
      add(table, textOf(slow), 7); // alone, whatever its cost
      EXPECT_EQ(chosen({&table}), slow);
      break;
    }
  add(table, withoutSpaces(textOf(all.back())), 6.5);
  EXPECT_EQ(chosen({&table}), all.back());
}

TEST_F(TunedSchedule, OfEqualTimesTheFirstCandidateIsTaken) {
  TuningTable table;
  for (ScheduleInterface candidate : all)
    add(table, textOf(candidate), 5);
  EXPECT_EQ(chosen({&table}), all.front());
  add(table, textOf(all[2]), 4);
  add(table, textOf(all[1]), 4);
  EXPECT_EQ(chosen({&table}), all[1]);
}

TEST_F(TunedSchedule, TheFirstTableThatKnowsTheKernelDecides) {
  TuningTable given, shipped, other;
  add(given, textOf(all[1]), 9);
  add(shipped, textOf(all[2]), 1, "99.0");
  other.add({key, "sm_86", "12.9", textOf(all[2]), 1});
  other.add({"0123456789abcdef", "sm_80", "12.9", textOf(all[2]), 1});
  EXPECT_EQ(chosen({&given, &shipped}), all[1]);
  EXPECT_EQ(chosen({&other, &shipped}), all[2]);
  EXPECT_EQ(chosen({&other}), cheapestOne);
}

TEST_F(TunedSchedule, WhatIsNoCandidateIsIgnoredWithAWarning) {
  TuningTable table;
  add(table, "#cuda.gemm<tile 3x3x3, thread 1x1, slices 1>", 1);
  const auto expected = [&](const std::string &schedule) {
    return "the tuning of kernel " + key + " for sm_80 names the schedule '" + schedule +
           "', which is no candidate of it any more: the line is ignored";
  };
  PassErrors errors(&context);
  EXPECT_EQ(chosen({&table}), cheapestOne);
  EXPECT_EQ(errors.takeWarnings(), std::set<std::string>{expected("#cuda.gemm<tile 3x3x3, thread 1x1, slices 1>")});
  add(table, "#no.schedule", 1);
  add(table, textOf(all[2]), 8);
  EXPECT_EQ(chosen({&table}), all[2]);
  EXPECT_EQ(errors.takeWarnings(), (std::set<std::string>{expected("#cuda.gemm<tile 3x3x3, thread 1x1, slices 1>"),
                                                          expected("#no.schedule")}));
  EXPECT_EQ(errors.text(), "");
}

/// A database is of kernels, not of models: names and places do not count, all else does. Where the key of this kernel
/// changes, no database that users have fits any more: say so in the changelog.
TEST_F(TunedSchedule, TheKeyIsThatOfTheKernelAlone) {
  auto renamed = parse(body + " loc(\"node\")", "other");
  kernel::FuncOp other = *renamed->getOps<kernel::FuncOp>().begin();
  EXPECT_EQ(tuningKey(other), key);
  other.setScheduleAttr(all[1]);
  EXPECT_EQ(tuningKey(other), key);
  std::string deeper = body;
  deeper.replace(deeper.find("64, 256]"), 8, "64, 252]");
  EXPECT_NE(tuningKey(*parse(deeper)->getOps<kernel::FuncOp>().begin()), key);
  EXPECT_EQ(key, "0c4819ffb2fa208d");
}

TEST_F(TunedSchedule, TheCheapestOfEachScheduleIsWorthMeasuringFirst) {
  std::string large = body; // mma and wgmma
  for (const auto &[from, to] : {std::pair<std::string, std::string>{"48", "512"},
                                 {"64", "512"},
                                 {"256", "512"},
                                 {"f32, read", "f16, read"},
                                 {": f32 from !kernel.view<f16", ": f16 from !kernel.view<f16"},
                                 {"yield %1 : f32", "yield %1 : f16"}})
    for (size_t at; (at = large.find(from)) != std::string::npos;)
      large.replace(at, from.size(), to);
  auto parsed = parse(large);
  ASSERT_TRUE(parsed);
  const GpuArchitecture &target = *findGpu("sm_90a");
  KernelFacts facts(*parsed->getOps<kernel::FuncOp>().begin());
  const Candidates candidates = allCandidates(facts, target);
  const auto kindsOf = [](const Candidates &list) {
    std::set<StringRef> kinds;
    for (ScheduleInterface one : list)
      kinds.insert(one.getAbstractAttribute().getName());
    return kinds;
  };
  ASSERT_GE(kindsOf(candidates).size(), 2u);
  const size_t kinds = kindsOf(candidates).size();
  ASSERT_GT(candidates.size(), kinds + 1);
  EXPECT_EQ(kindsOf(worthMeasuring(candidates, facts, target, kinds)), kindsOf(candidates));
  const Candidates some = worthMeasuring(candidates, facts, target, kinds + 1);
  ASSERT_EQ(some.size(), kinds + 1);
  for (size_t i = 0; i + 1 < some.size(); ++i)
    EXPECT_LE(ScheduleInterface(some[i]).cost(facts, target), ScheduleInterface(some[i + 1]).cost(facts, target));
  EXPECT_EQ(worthMeasuring(candidates, facts, target, 1000).size(), candidates.size());
}

/// Of GPUs: what the simulator counts is never shipped.
TEST(ShippedTuning, IsADatabaseOfTimes) {
  const std::string text = shippedTuning().text();
  EXPECT_EQ(text.substr(0, 28), "{\"schema\":\"cupola.tuning/1\"}");
  EXPECT_EQ(text.find("\"sim\""), std::string::npos);
}

} // namespace
} // namespace cupola::cuda
