//===- test/Import/Onnx/ChoiceTest.cpp - expressions that choose -----------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Choice.h"

#include <gtest/gtest.h>
#include <limits>

namespace cupola::onnx_import {
namespace {

constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
const Expr x = Expr::symbol("x"), y = Expr::symbol("y");

std::optional<int64_t> at(const Expr &e, int64_t value, int64_t other = 0) {
  return e.evaluate({{"x", value}, {"y", other}});
}

TEST(Choice, ConditionsHoldAtTheEndsOf64Bits) {
  for (int64_t value : {least, least + 1, int64_t(-2), int64_t(-1), int64_t(0), int64_t(1), int64_t(2), most}) {
    EXPECT_EQ(at(isNegative(x), value), value < 0) << value;
    EXPECT_EQ(at(isZero(x), value), value == 0) << value;
  }
}

TEST(Choice, ClippedNumbersCanBeAddedTo) {
  EXPECT_EQ(at(clipped(x) + y, most, 5), (int64_t(1) << 61) + 5);
  EXPECT_EQ(at(clipped(x) - y, least, 5), -(int64_t(1) << 61) - 5);
  EXPECT_EQ(at(clipped(x) + y, -7, 5), -2);
}

TEST(Choice, ChoosesAndPicks) {
  EXPECT_EQ(at(choose(isNegative(x), Expr(7), y), -5, 9), 7);
  EXPECT_EQ(at(choose(isNegative(x), Expr(7), y), 5, 9), 9);
  const Expr list[] = {Expr(10), y, Expr(30)};
  EXPECT_EQ(at(elementAt(list, x), 0, 20), 10);
  EXPECT_EQ(at(elementAt(list, x), 1, 20), 20);
  EXPECT_EQ(at(elementAt(list, x), 3, 20), 0);
}

TEST(Choice, StepsAreCountedInBothDirections) {
  for (int64_t distance = -7; distance <= 7; ++distance)
    for (int64_t step : {-3, -1, 1, 2, 5}) {
      int64_t count = 0;
      for (int64_t place = 0; step > 0 ? place < distance : place > distance; place += step)
        ++count;
      EXPECT_EQ(at(stepsTo(x, y), distance, step), count) << distance << " by " << step;
      EXPECT_EQ(at(stepsTo(x, Expr(step)), distance), count) << distance << " by constant " << step;
    }
}

} // namespace
} // namespace cupola::onnx_import
