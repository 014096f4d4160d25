//===- test/Planner/ExprTest.cpp - canonical form, text, evaluation ------===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "lib/Planner/Expr.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace cupola;

namespace {

constexpr int64_t smallest = std::numeric_limits<int64_t>::min();
constexpr int64_t largest = std::numeric_limits<int64_t>::max();

const Expr s0 = Expr::symbol("s0"), s1 = Expr::symbol("s1"), s2 = Expr::symbol("s2");

Expr parsed(const std::string &text) {
  std::string error;
  std::optional<Expr> e = Expr::parse(text, &error);
  EXPECT_TRUE(e) << text << ": " << error;
  return e.value_or(Expr());
}

std::string canonical(const std::string &text) { return parsed(text).text(); }

std::string parseError(const std::string &text) {
  std::string error;
  EXPECT_FALSE(Expr::parse(text, &error)) << text;
  return error;
}

TEST(Expr, ConstantsFold) {
  EXPECT_EQ(Expr().text(), "0");
  EXPECT_EQ((Expr(2) * 3 + 4 - 1).constant(), 9);
  EXPECT_TRUE((s0 - s0).isConstant(0));
  EXPECT_FALSE(s0.constant());
  EXPECT_FALSE(s0.isConstant(0));
}

TEST(Expr, EqualPolynomialsAreEqualHoweverBuilt) {
  Expr square = (s0 + s1) * (s0 + s1);
  Expr terms = s1 * s1 + 2 * s1 * s0 + s0 * s0;
  EXPECT_EQ(square, terms);
  EXPECT_EQ(square.hash(), terms.hash());
  EXPECT_EQ(square.compare(terms), 0);
  EXPECT_EQ(square.text(), "s0^2 + 2*s0*s1 + s1^2");
  EXPECT_NE(square, terms + 1);
  EXPECT_EQ((s0 + 1) * (s0 - 1), s0 * s0 - 1);
}

TEST(Expr, TextIsSortedByDegreeThenName) {
  EXPECT_EQ(canonical("-1 + 2*floordiv(s0, 2) + s1*384*s0"), "384*s0*s1 + 2*floordiv(s0, 2) - 1");
  EXPECT_EQ(canonical("s10 + s9 + s1 + a"), "a + s1 + s9 + s10");
  EXPECT_EQ(canonical("s01 + s1 + s001"), "s1 + s01 + s001");
  EXPECT_EQ(canonical("3 - s0"), "-s0 + 3");
  EXPECT_EQ(canonical("min(4, s0)"), "min(s0, 4)");
}

TEST(Expr, OrderIsTotal) {
  std::vector<Expr> sorted = {s0 * s1, s0 + s1, s0 + 1, s0 + 2, 2 * s0, s1, mod(s0, 4), 1, 2};
  for (size_t i = 0; i < sorted.size(); ++i)
    for (size_t j = 0; j < sorted.size(); ++j)
      EXPECT_EQ(sorted[i] < sorted[j], i < j) << sorted[i].text() << " and " << sorted[j].text();
  EXPECT_TRUE(s0 < Expr::overflow());
}

TEST(Expr, DivisionByConstantsIsNormalised) {
  EXPECT_EQ(canonical("floordiv(5*s0 + 3, 4)"), "s0 + floordiv(s0 + 3, 4)");
  EXPECT_EQ(canonical("floordiv(s0 + 7, 4)"), "floordiv(s0 + 3, 4) + 1");
  EXPECT_EQ(canonical("floordiv(4*s0 + 3, 8)"), "floordiv(s0, 2)");
  EXPECT_EQ(canonical("floordiv(384*s0, 384)"), "s0");
  EXPECT_EQ(canonical("floordiv(s0, -4)"), "floordiv(-s0, 4)");
  EXPECT_EQ(canonical("floordiv(floordiv(s0, 4), 3)"), "floordiv(s0, 12)");
  EXPECT_EQ(canonical("floordiv(floordiv(s0, s1) + 1, 3)"), "floordiv(s0 + s1, 3*s1)");
  EXPECT_EQ(canonical("floordiv(mod(s0, 12), 4)"), "mod(floordiv(s0, 4), 3)");
  EXPECT_EQ(canonical("mod(65*s0 + s1, 64)"), "mod(s0 + s1, 64)");
  EXPECT_EQ(canonical("mod(4*s0 + 3, 8)"), "4*mod(s0, 2) + 3");
  EXPECT_EQ(canonical("mod(mod(s0, 12) + s1, 4)"), "mod(s0 + s1, 4)");
  EXPECT_EQ(canonical("mod(s0, 1)"), "0");
  EXPECT_EQ(canonical("mod(s0, -4)"), "-mod(-s0, 4)");
}

TEST(Expr, CeilAndFloorFormsOfAnExtentAgree) {
  EXPECT_EQ(ceilDiv(s0, 2), floorDiv(s0 - 1, 2) + 1);
  EXPECT_EQ(ceilDiv(s0, 2), floorDiv(s0 + 1, 2));
  EXPECT_EQ(ceilDiv(7, 2).constant(), 4);
  EXPECT_EQ(ceilDiv(-7, 2).constant(), -3);
  EXPECT_EQ(ceilDiv(7, -2).constant(), -3);
}

TEST(Expr, DivisionBySymbolsKeepsDivisionByZero) {
  EXPECT_EQ(canonical("floordiv(s0*s1 + s2, s1)"), "s0 + floordiv(s2, s1)");
  EXPECT_EQ(canonical("floordiv(-6*s0, -4*s1)"), "floordiv(3*s0, 2*s1)");
  EXPECT_EQ(canonical("mod(6*s0, 4*s1)"), "2*mod(3*s0, 2*s1)");
  EXPECT_EQ(canonical("mod(mod(s0, s1*s2), s1)"), "mod(s0, s1)");
  EXPECT_EQ(canonical("ceildiv(s0*s1 + s2, s1)"), "s0 + ceildiv(s2, s1)");
  for (const char *text : {"floordiv(s0*s1, s1)", "mod(s0*s1, s1)", "floordiv(s0, 0)", "mod(0, s1)"}) {
    EXPECT_EQ(canonical(text), text);
    EXPECT_EQ(parsed(text).evaluate({{"s0", 5}, {"s1", 0}}), std::nullopt);
  }
}

TEST(Expr, MinAndMaxAreSetsOfOperands) {
  EXPECT_EQ(min(min(s0, s1), s2), min(s1, min(s2, min(s0, s1))));
  EXPECT_EQ(canonical("min(s0, min(s1, 4))"), "min(s0, min(s1, 4))");
  EXPECT_EQ(canonical("max(s0 + 3, s0 + 5)"), "s0 + 5");
  EXPECT_EQ(canonical("min(s2 + s0, s2 + s1)"), "s2 + min(s0, s1)");
  EXPECT_EQ(canonical("min(s0 + 1, 4)"), "min(s0, 3) + 1");
  EXPECT_EQ(canonical("min(2*s0, 2*s1)"), "2*min(s0, s1)");
  EXPECT_EQ(min(3, 4).constant(), 3);
  EXPECT_EQ(max(3, 4).constant(), 4);
}

TEST(Expr, OverflowIsDetectedAndAbsorbs) {
  Expr bad = Expr(largest) + 1;
  EXPECT_TRUE(bad.overflowed());
  EXPECT_EQ(bad.text(), "overflow");
  EXPECT_EQ(bad.constant(), std::nullopt);
  EXPECT_EQ(bad.evaluate({}), std::nullopt);
  EXPECT_EQ(parsed("overflow"), bad);
  for (const Expr &e : {bad - bad, bad * 0, s0 + bad, Expr(largest) * s0 * 2, -(Expr(smallest) * s0),
                        Expr(smallest) - 1, floorDiv(smallest, -1), floorDiv(s0, bad), min(bad, 1),
                        s0.substitute({{"s0", bad}}), parsed("9223372036854775807*s0 + s0")})
    EXPECT_TRUE(e.overflowed()) << e.text();
  EXPECT_FALSE((Expr(smallest) * s0).overflowed());
  EXPECT_EQ(canonical("-9223372036854775808*s0"), "-9223372036854775808*s0");
  EXPECT_EQ(mod(smallest, -1).constant(), 0);
}

TEST(Expr, SizeIsLimited) {
  Expr deep = s0, wide, power = s0;
  for (uint32_t i = 0; i < Expr::maxDepth; ++i)
    deep = mod(deep + 1, Expr::symbol("n" + std::to_string(i)));
  EXPECT_FALSE(deep.overflowed());
  EXPECT_TRUE(mod(deep + 1, s1).overflowed());
  for (uint32_t i = 0; i < Expr::maxNodes; ++i)
    wide += Expr::symbol("n" + std::to_string(i));
  EXPECT_TRUE(wide.overflowed());
  for (uint32_t i = 0; i < Expr::maxPower; ++i)
    power *= s0;
  EXPECT_TRUE(power.overflowed());
  std::string product = "(a0 + b0)";
  for (int i = 1; i < 40; ++i)
    product += "*(a" + std::to_string(i) + " + b" + std::to_string(i) + ")";
  EXPECT_TRUE(parsed(product).overflowed());
}

TEST(Expr, EvaluateRoundsDownForAllSigns) {
  const int64_t values[] = {-9, -8, -7, -1, 0, 1, 7, 8, 9};
  for (int64_t a : values)
    for (int64_t b : values) {
      std::map<std::string, int64_t> at = {{"s0", a}, {"s1", b}};
      std::optional<int64_t> quotient = floorDiv(s0, s1).evaluate(at);
      if (b == 0) {
        EXPECT_EQ(quotient, std::nullopt);
        continue;
      }
      double exact = double(a) / double(b);
      EXPECT_EQ(quotient, int64_t(std::floor(exact)));
      EXPECT_EQ(ceilDiv(s0, s1).evaluate(at), int64_t(std::ceil(exact)));
      EXPECT_EQ(mod(s0, s1).evaluate(at), a - b * *quotient);
      EXPECT_EQ(floorDiv(s0, b).evaluate(at), quotient);
      EXPECT_EQ(floorDiv(a, b).constant(), quotient);
      EXPECT_EQ(ceilDiv(a, b).constant(), int64_t(std::ceil(exact)));
      EXPECT_EQ(mod(a, b).constant(), a - b * *quotient);
    }
}

TEST(Expr, EvaluateReportsWhatHasNoValue) {
  EXPECT_EQ((s0 * s1 + 1).evaluate({{"s0", 2}, {"s1", 3}}), 7);
  EXPECT_EQ((s0 * s1).evaluate({{"s0", 2}}), std::nullopt);
  EXPECT_EQ((s0 * s0).evaluate({{"s0", int64_t(1) << 32}}), std::nullopt);
  EXPECT_EQ((s0 + 1).evaluate({{"s0", largest}}), std::nullopt);
}

TEST(Expr, SubstituteReplacesAllAtOnce) {
  Expr e = s0 * 2 + floorDiv(s1, 4) + 7;
  EXPECT_EQ(e.substitute({{"s0", s1}, {"s1", s0}}), s1 * 2 + floorDiv(s0, 4) + 7);
  EXPECT_EQ(e.substitute({{"s0", 3}, {"s1", 9}}).constant(), 15);
  EXPECT_EQ(e.substitute({{"s7", 3}}), e);
  EXPECT_EQ((s0 * s0).substitute({{"s0", s1 + 1}}), s1 * s1 + 2 * s1 + 1);
}

TEST(Expr, CoefficientOfASymbol) {
  Expr e = 64 * s0 * s1 + s2 + 3;
  EXPECT_EQ(e.coefficient("s0"), 64 * s1);
  EXPECT_EQ(e.coefficient("s2"), Expr(1));
  EXPECT_EQ(e.coefficient("s9"), Expr(0));
  EXPECT_EQ((s0 * s0).coefficient("s0"), std::nullopt);
  EXPECT_EQ((s0 + mod(s0, 4)).coefficient("s0"), std::nullopt);
  EXPECT_EQ((s0 * mod(s0, 4)).coefficient("s0"), std::nullopt);
}

TEST(Expr, SymbolsAreFoundInsideAtoms) {
  Expr e = min(s0, mod(s1, 4)) * 3;
  EXPECT_EQ(e.symbols(), (std::set<std::string>{"s0", "s1"}));
  EXPECT_TRUE(e.uses("s1"));
  EXPECT_FALSE(e.uses("s2"));
  EXPECT_EQ(s0.asSymbol(), "s0");
  EXPECT_EQ((s0 + 1).asSymbol(), std::nullopt);
  EXPECT_EQ((s0 * 2).asSymbol(), std::nullopt);
  EXPECT_EQ((s0 * s0).asSymbol(), std::nullopt);
  EXPECT_EQ(Expr(3).asSymbol(), std::nullopt);
}

TEST(Expr, ParseErrorsSayWhere) {
  EXPECT_EQ(parseError("floordiv(s0"), "expected ',' at byte 11 of the expression");
  EXPECT_EQ(parseError("s0 s1"), "expected an operator or the end at byte 3 of the expression");
  EXPECT_EQ(parseError(""), "expected a number, a name or '(' at byte 0 of the expression");
  EXPECT_EQ(parseError("(s0"), "expected ')' at byte 3 of the expression");
  EXPECT_EQ(parseError("s0^0"), "power 0 is not in 1..255 at byte 4 of the expression");
  EXPECT_EQ(parseError("9223372036854775808"),
            "number 9223372036854775808 does not fit 64 bits at byte 19 of the expression");
  EXPECT_EQ(parseError("mod + 1"), "expected '(' at byte 4 of the expression");
  EXPECT_EQ(parseError(std::string(200, '(')), "more than 128 nested parentheses at byte 128 of the expression");
  EXPECT_EQ(parseError(std::string(70000, ' ')), "expression of 70000 bytes, at most 65536 are allowed");
  for (const char *text : {"s0 +", "+s0", "s0 * ", "min(s0)", "min(s0, s1, s2)", "s0^s1", "1.5", "$", "--s0"})
    parseError(text);
  parseError(std::string("s0\0", 3));
}

TEST(Expr, SymbolNames) {
  for (const char *name : {"s0", "_", "d12.x", "Batch"})
    EXPECT_TRUE(Expr::isSymbolName(name)) << name;
  for (const char *name : {"", "0s", "min", "overflow", "a b", "a-b", "\xc3\xa4"})
    EXPECT_FALSE(Expr::isSymbolName(name)) << name;
}

TEST(Expr, Divisible) {
  std::map<std::string, int64_t> divisors = {{"s0", 8}, {"s1", 6}};
  EXPECT_TRUE(divisible(s0, 8, divisors));
  EXPECT_FALSE(divisible(s0, 16, divisors));
  EXPECT_TRUE(divisible(2 * s0 + 32, 16, divisors));
  EXPECT_FALSE(divisible(2 * s0 + 1, 2, divisors));
  EXPECT_TRUE(divisible(s0 * s1, 48, divisors));
  EXPECT_TRUE(divisible(s1 * s1, 36, divisors));
  EXPECT_TRUE(divisible(floorDiv(s0, 2), 4, divisors));
  EXPECT_FALSE(divisible(floorDiv(s0, 3), 2, divisors));
  EXPECT_TRUE(divisible(min(s0, 12), 4, divisors));
  EXPECT_TRUE(divisible(mod(s0, 12), 4, divisors));
  EXPECT_FALSE(divisible(s2, 2, divisors));
  EXPECT_TRUE(divisible(s2, 1, divisors));
  EXPECT_TRUE(divisible(0, 7, divisors));
  EXPECT_FALSE(divisible(Expr::overflow(), 1, divisors));
}

/// Prints with all parentheses: what the printers and lowerings do.
struct PrefixPrinter {
  std::string constant(int64_t value) { return std::to_string(value); }
  std::string symbol(const std::string &name) { return name; }
  std::string binary(ExprOp op, const std::string &a, const std::string &b) {
    const char *const names[] = {"add", "sub", "mul", "fdiv", "cdiv", "mod", "min", "max"};
    return std::string(names[size_t(op)]) + "(" + a + "," + b + ")";
  }
};

TEST(Expr, BuildVisitsTheCanonicalForm) {
  PrefixPrinter printer;
  auto built = [&](const char *text) { return buildExpr(parsed(text), printer); };
  EXPECT_EQ(built("0"), "0");
  EXPECT_EQ(built("-7"), "-7");
  EXPECT_EQ(built("s0"), "s0");
  EXPECT_EQ(built("-s0"), "mul(-1,s0)");
  EXPECT_EQ(built("2*s0^2 - 3*s1 - 4"), "sub(sub(mul(mul(2,s0),s0),mul(3,s1)),4)");
  EXPECT_EQ(built("mod(s0, s1) + max(s0, 2)"), "add(mod(s0,s1),max(s0,2))");
  EXPECT_EQ(built("floordiv(s0, 2) + ceildiv(s1, s2)"), "add(fdiv(s0,2),cdiv(s1,s2))");
  EXPECT_EQ(built("s0 - 9223372036854775808*s1"), "add(s0,mul(-9223372036854775808,s1))");
}

} // namespace
