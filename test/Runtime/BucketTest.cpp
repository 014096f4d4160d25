//===- test/Runtime/BucketTest.cpp - Shapes that share an arena's layout ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/BoundPlan.h"

#include <gtest/gtest.h>

using namespace cupola;
using namespace cupola::runtime;

namespace {

/// x[s0, s1], max of s1 as given; two buffers that live together, then a third.
struct Model {
  format::Package package;
  format::Program program;
  ParsedInterface interface;
  ParsedProgram parsed;

  explicit Model(const std::string &thirdBytes = "4*s0*s1") {
    package.inputs = {{"x", format::DType::F32, {"s0", "s1"}, 0, false}};
    package.symbols = {{"s0", "batch", 1, 0, 1}, {"s1", "length", 0, 100, 1}};
    const auto arena = [](const std::string &bytes, uint32_t first, uint32_t last) {
      format::Buffer buffer;
      buffer.bytes = bytes;
      buffer.first = first;
      buffer.last = last;
      return buffer;
    };
    program.buffers = {arena("4*s0*s1", 0, 1), arena("4*s0*s1 - 4*s1", 1, 1), arena(thirdBytes, 2, 2)};
    for (int i = 0; i < 3; ++i) {
      program.steps.emplace_back();
      program.steps.back().launch.grid = {"ceildiv(s0*s1, 128)"};
    }
    interface = parseInterface(package).take();
    parsed = parseProgram(package, program).take();
  }

  Result<BoundPlan> bind(int64_t rows, int64_t length, const BucketPlans &known = {}) const {
    const BoundInterface bound = bindInterface(package, interface, {{rows, length}}).take();
    return bindBody({package, program, parsed}, &bound, bound.values, known);
  }
};

SymbolInterval of(int64_t value, int64_t max = 0) {
  format::Package package;
  package.symbols = {{"s0", "", 0, max, 1}};
  return bucketOf(package, {{"s0", value}}).at("s0");
}

TEST(Bucket, EndsAreAQuarterOfAnOctaveApart) {
  for (int64_t value = 0; value <= 8; ++value)
    EXPECT_EQ(of(value), (SymbolInterval{value, value}));
  EXPECT_EQ(of(9), (SymbolInterval{9, 10}));
  EXPECT_EQ(of(16), (SymbolInterval{15, 16}));
  EXPECT_EQ(of(17), (SymbolInterval{17, 20}));
  EXPECT_EQ(of(1000), (SymbolInterval{897, 1024}));
  EXPECT_EQ(of(90, 100), (SymbolInterval{81, 96}));
  EXPECT_EQ(of(99, 100), (SymbolInterval{97, 100}));
}

TEST(Bucket, EveryValueLiesInOneBucket) {
  for (int64_t value = 1; value < 5000; ++value) {
    const SymbolInterval here = of(value);
    ASSERT_LE(here.low, value);
    ASSERT_GE(here.high, value);
    ASSERT_LE(here.high, value + value / 4 + 1) << "at most a quarter more";
    if (value > here.low) {
      ASSERT_EQ(of(value - 1), here);
    } else {
      ASSERT_EQ(of(value - 1).high, value - 1);
    }
  }
}

TEST(Bucket, ShapesOfABucketShareTheLayoutOfItsLargest) {
  const Model model;
  const BoundPlan first = model.bind(37, 20).take(), largest = model.bind(40, 20).take();
  EXPECT_EQ(first.arenaBytes, largest.arenaBytes);
  EXPECT_GE(first.arenaBytes, 2u * 4 * 40 * 20 - 80);
  for (size_t i = 0; i < first.buffers.size(); ++i)
    EXPECT_EQ(first.buffers[i].offset, largest.buffers[i].offset);
  EXPECT_EQ(first.buffers[0].bytes, 4u * 37 * 20) << "buffers have the size of their shape";
  EXPECT_EQ(first.bucket->sizes[0].x, 7u) << "40 * 20 elements at most";
  const BoundPlan other = model.bind(38, 18, {first.bucket}).take();
  EXPECT_EQ(other.bucket, first.bucket) << "a plan that is known is not made again";
  EXPECT_NE(model.bind(41, 20, {first.bucket}).take().bucket, first.bucket);
}

TEST(Bucket, WithoutABoundAShapeIsPlannedAlone) {
  const Model model("4*floordiv(s0*s1, s1)"); // s1 may be 0 in general, and the quotient anything
  const BoundPlan plan = model.bind(37, 20).take();
  EXPECT_EQ(plan.buffers[2].bytes, 4u * 37);
  EXPECT_GE(plan.arenaBytes, 4u * 37 * 20);
}

} // namespace
