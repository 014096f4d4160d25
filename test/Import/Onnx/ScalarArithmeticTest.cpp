//===- test/Import/Onnx/ScalarArithmeticTest.cpp - known elements ----------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ValuePropagation.h"

#include "mlir/IR/Builders.h"

#include <gtest/gtest.h>

namespace cupola::onnx_import {
namespace {

using graph::BinaryKind;
using graph::UnaryKind;

class ScalarArithmetic : public testing::Test {
protected:
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::Builder b{&context};
  Type i64 = b.getI64Type(), i32 = b.getI32Type(), f32 = b.getF32Type(), i1 = b.getI1Type();
  Ranges ranges = {{"s", {Expr(1), std::nullopt}}, {"t", {Expr(1), Expr(512)}}};
  Expr s = Expr::symbol("s"), t = Expr::symbol("t");

  /// The text of an int result, "?" where nothing is known.
  std::string ints(BinaryKind kind, const Expr &x, const Expr &y) {
    const auto result = computeBinary(kind, Scalar::integer(x), Scalar::integer(y), i64, ranges);
    return result ? result->num.text() : "?";
  }
  std::string shown(const std::optional<Scalar> &value) {
    if (!value)
      return "?";
    if (value->kind == Scalar::Kind::Real)
      return std::to_string(value->real);
    return value->num.text() + (value->kind == Scalar::Kind::Ratio ? " / " + value->den.text() : "");
  }
};

TEST_F(ScalarArithmetic, IntegersRoundTowardsZero) {
  EXPECT_EQ(ints(BinaryKind::Div, -7, 2), "-3");
  EXPECT_EQ(ints(BinaryKind::Div, 7, 0), "?");
  EXPECT_EQ(ints(BinaryKind::Div, s * Expr(64), Expr(64)), "s");
  // The sign is not known: rounded towards 0 either way.
  EXPECT_EQ(ints(BinaryKind::Div, s - Expr(5), Expr(2)), "max(floordiv(s + 1, 2), min(floordiv(s, 2), 2) + 1) - 3");
  EXPECT_EQ(ints(BinaryKind::Div, s - Expr(5), s - Expr(2)), "?"); // nor that of the divisor
  EXPECT_EQ(ints(BinaryKind::Mod, -7, 3), "2");
  EXPECT_EQ(ints(BinaryKind::Add, INT64_MAX, 1), "?");
}

TEST_F(ScalarArithmetic, ComparisonsAreProvedOrConditions) {
  EXPECT_EQ(ints(BinaryKind::Equal, s, -1), "0");
  EXPECT_EQ(ints(BinaryKind::Equal, s, s), "1");
  EXPECT_EQ(ints(BinaryKind::GreaterEqual, s, 1), "1");
  EXPECT_EQ(ints(BinaryKind::LessEqual, t, 512), "1");
  EXPECT_EQ(ints(BinaryKind::Greater, t, 512), "0");
  const auto at = [&](BinaryKind kind, int64_t value) {
    const auto result = computeBinary(kind, Scalar::integer(s), Scalar::integer(Expr(4)), i64, ranges);
    return result->num.evaluate({{"s", value}});
  };
  for (int64_t value : {1, 3, 4, 5, 9}) {
    EXPECT_EQ(at(BinaryKind::Equal, value), value == 4);
    EXPECT_EQ(at(BinaryKind::Less, value), value < 4);
    EXPECT_EQ(at(BinaryKind::LessEqual, value), value <= 4);
    EXPECT_EQ(at(BinaryKind::Greater, value), value > 4);
    EXPECT_EQ(at(BinaryKind::GreaterEqual, value), value >= 4);
  }
}

TEST_F(ScalarArithmetic, ConditionsAreCombined) {
  const Scalar isOne = *computeBinary(BinaryKind::Equal, Scalar::integer(s), Scalar::integer(Expr(1)), i64, ranges);
  const Scalar isLong = *computeBinary(BinaryKind::Greater, Scalar::integer(t), Scalar::integer(Expr(8)), i64, ranges);
  const auto at = [&](const std::optional<Scalar> &value, int64_t first, int64_t second) {
    return value->num.evaluate({{"s", first}, {"t", second}});
  };
  for (int64_t first : {1, 2})
    for (int64_t second : {8, 9}) {
      const bool one = first == 1, isNine = second == 9;
      EXPECT_EQ(at(computeBinary(BinaryKind::And, isOne, isLong, i1, ranges), first, second), one && isNine);
      EXPECT_EQ(at(computeBinary(BinaryKind::Or, isOne, isLong, i1, ranges), first, second), one || isNine);
      EXPECT_EQ(at(computeBinary(BinaryKind::Xor, isOne, isLong, i1, ranges), first, second), one != isNine);
      EXPECT_EQ(at(computeUnary(UnaryKind::Not, isOne, i1, ranges), first, second), !one);
    }
}

TEST_F(ScalarArithmetic, SizesThroughFloatsStayExact) {
  // int(floor(float(s) * 2.5)), as exporters write a scaled size
  const auto wide = computeCast(Scalar::integer(s), i64, f32, ranges);
  const auto scaled = computeBinary(BinaryKind::Mul, *wide, Scalar::constant(2.5), f32, ranges);
  const auto floored = computeUnary(UnaryKind::Floor, *scaled, f32, ranges);
  EXPECT_EQ(shown(computeCast(*floored, f32, i64, ranges)), "2*s + floordiv(s, 2)");
  EXPECT_EQ(shown(computeBinary(BinaryKind::Div, *wide, *wide, f32, ranges)), "s / s");
  EXPECT_EQ(shown(computeUnary(UnaryKind::Sqrt, *wide, f32, ranges)), "?");
}

TEST_F(ScalarArithmetic, ProductsRoundAsFloats) {
  const Scalar wide = *computeCast(Scalar::integer(s), i64, f32, ranges);
  const auto whole = [&](BinaryKind kind, float factor, bool up) {
    const auto product = computeBinary(kind, wide, Scalar::constant(factor), f32, ranges);
    const auto rounded = computeUnary(up ? UnaryKind::Ceil : UnaryKind::Floor, *product, f32, ranges);
    return rounded ? computeCast(*rounded, f32, i64, ranges) : rounded;
  };
  EXPECT_EQ(shown(whole(BinaryKind::Mul, 0.7F, false)), "floordiv(7*s, 10)") << "10 * 0.7 is 7 in f32";
  EXPECT_EQ(shown(whole(BinaryKind::Div, 1.1F, false)), "floordiv(10*s, 11)");
  EXPECT_EQ(shown(whole(BinaryKind::Mul, 0.5F, true)), "floordiv(s + 1, 2)");
  const auto product = computeBinary(BinaryKind::Mul, wide, Scalar::constant(2.3F), f32, ranges);
  EXPECT_EQ(shown(computeCast(*product, f32, i64, ranges)), "2*s + floordiv(3*s, 10)");
  unsigned known = 0;
  for (float factor : {0.1F, 0.3F, 0.6F, 0.9F, 1.25F, 1.7F, 3.3F, 1.0F / 3, 0.709F, 0.123456F, 6.02e4F})
    for (BinaryKind kind : {BinaryKind::Mul, BinaryKind::Div})
      for (bool up : {false, true}) {
        const auto number = whole(kind, factor, up);
        known += number.has_value();
        for (int64_t n = 1; number && n <= 65536; n += n < 1000 ? 1 : 97) {
          const float value = kind == BinaryKind::Mul ? static_cast<float>(n) * factor : static_cast<float>(n) / factor;
          ASSERT_EQ(*number->num.evaluate({{"s", n}}), static_cast<int64_t>(up ? std::ceil(value) : std::floor(value)))
              << n << ", " << factor;
        }
      }
  EXPECT_GE(known, 20U) << "others are left to the run";
}

TEST_F(ScalarArithmetic, FloatConstantsRoundToTheirType) {
  const auto third = computeBinary(BinaryKind::Div, Scalar::constant(1), Scalar::constant(3), f32, ranges);
  EXPECT_EQ(third->real, static_cast<double>(1.0f / 3.0f));
  const auto root = computeUnary(UnaryKind::Sqrt, Scalar::constant(2), f32, ranges);
  EXPECT_EQ(root->real, static_cast<double>(std::sqrt(2.0f)));
}

TEST_F(ScalarArithmetic, CastsThatDoNotFitAreLeft) {
  EXPECT_EQ(shown(computeCast(Scalar::integer(Expr(int64_t(1) << 40)), i64, i32, ranges)), "?");
  EXPECT_EQ(shown(computeCast(Scalar::constant(-2.75), f32, i64, ranges)), "-2");
  EXPECT_EQ(shown(computeCast(Scalar::constant(1e300), f32, i64, ranges)), "?");
  EXPECT_EQ(shown(computeCast(Scalar::integer(s), i64, i1, ranges)), "1");
  const auto isOther = computeCast(Scalar::integer(s - Expr(1)), i64, i1, ranges);
  EXPECT_EQ(isOther->num.evaluate({{"s", 1}}), 0);
  EXPECT_EQ(isOther->num.evaluate({{"s", 5}}), 1);
}

} // namespace
} // namespace cupola::onnx_import
