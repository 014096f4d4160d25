//===- test/Planner/ExprSimplifyTest.cpp - simplify, bounds, proofs ------===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "lib/Planner/Expr.h"

#include <gtest/gtest.h>

using namespace cupola;

namespace {

Expr parsed(const std::string &text) {
  std::string error;
  std::optional<Expr> e = Expr::parse(text, &error);
  EXPECT_TRUE(e) << text << ": " << error;
  return e.value_or(Expr());
}

/// d: indices of fixed axes, e: of axes of symbolic extent, s: extents.
const Ranges ranges = {
    {"d0", {0, 11}},
    {"d1", {0, 63}},
    {"d2", {0, 15}},
    {"e0", {0, parsed("s0 - 1")}},
    {"e1", {0, parsed("s1 - 1")}},
    {"e2", {0, parsed("s2 - 1")}},
    {"p1", {0, parsed("s1 + 1")}},    // an index of s1 padded by one on both sides
    {"m0", {0, parsed("64*s0 - 1")}}, // a row of s0 images of 64 places, and of s1 places
    {"m1", {0, parsed("s0*s1 - 1")}},
    {"s0", {1, std::nullopt}},
    {"s1", {1, std::nullopt}},
    {"s2", {1, std::nullopt}},
    {"t0", {1, 512}},
    {"x", {0, std::nullopt}},
    {"one", {1, 1}},
};

std::string simplified(const std::string &text) { return simplify(parsed(text), ranges).text(); }

TEST(ExprSimplify, DigitsOfFixedAxes) {
  EXPECT_EQ(simplified("floordiv(64*d0 + d1, 64)"), "d0");
  EXPECT_EQ(simplified("mod(64*d0 + d1, 64)"), "d1");
  EXPECT_EQ(simplified("floordiv(64*d0 + d1, 128)"), "floordiv(d0, 2)");
  EXPECT_EQ(simplified("mod(64*d0 + d1, 128)"), "d1 + 64*mod(d0, 2)");
  EXPECT_EQ(simplified("floordiv(e0*768 + 64*d0 + d1, 768)"), "e0");
  EXPECT_EQ(simplified("mod(e0*768 + 64*d0 + d1, 768)"), "64*d0 + d1");
  EXPECT_EQ(simplified("floordiv(mod(e0*768 + 64*d0 + d1, 768), 64)"), "d0");
  EXPECT_EQ(simplified("mod(floordiv(768*e0 + 64*d0 + d1, 64), 12)"), "d0");
}

TEST(ExprSimplify, DigitsOfSymbolicAxes) {
  EXPECT_EQ(simplified("floordiv(s1*e0 + e1, s1)"), "e0");
  EXPECT_EQ(simplified("mod(s1*e0 + e1, s1)"), "e1");
  EXPECT_EQ(simplified("floordiv(e0*s1*64 + e1*64 + d1, 64*s1)"), "e0");
  EXPECT_EQ(simplified("mod(e0*s1*64 + e1*64 + d1, 64*s1)"), "d1 + 64*e1");
  EXPECT_EQ(simplified("mod(floordiv(e0*s1*64 + e1*64 + d1, 64), s1)"), "e1");
  EXPECT_EQ(simplified("floordiv(s1*e0 + e1, s1*s2)"), "floordiv(e0, s2)");
  EXPECT_EQ(simplified("mod(s1*x + e1, s1*s2)"), "s1*mod(x, s2) + e1");
  EXPECT_EQ(simplified("floordiv((s1 + 2)*e0 + p1, s1 + 2)"), "e0");
  EXPECT_EQ(simplified("floordiv((s1 + 2)*x + p1, s2*(s1 + 2))"), "floordiv(x, s2)");
}

TEST(ExprSimplify, FactorsOfExtentsCancel) {
  EXPECT_EQ(simplified("floordiv(384*s0*s1, 384*s1)"), "s0");
  EXPECT_EQ(simplified("floordiv(s0*s1*384, s0*s1)"), "384");
  EXPECT_EQ(simplified("mod(384*s0*s1, 12*s1)"), "0");
  EXPECT_EQ(simplified("ceildiv(s0*s1, s1)"), "s0");
  EXPECT_EQ(simplified("floordiv(s0*s1 + s1*s2, s1*s2)"), "floordiv(s0, s2) + 1");
  // x may be 0, but then there is no value to keep.
  EXPECT_EQ(simplified("floordiv(s0*x, x)"), "s0");
  // Of y nothing is known, not even its sign.
  EXPECT_EQ(simplified("floordiv(s0*y, y)"), "floordiv(s0*y, y)");
}

TEST(ExprSimplify, NestedDivisions) {
  EXPECT_EQ(simplified("floordiv(floordiv(x, s0), s1)"), "floordiv(x, s0*s1)");
  EXPECT_EQ(simplified("mod(mod(x, s0*s1), s1)"), "mod(x, s1)");
  EXPECT_EQ(simplified("floordiv(mod(x, s0*s1), s1)"), "mod(floordiv(x, s1), s0)");
  EXPECT_EQ(simplified("mod(x, 64) + 64*floordiv(x, 64)"), "x");
  EXPECT_EQ(simplified("s0*mod(x, s1) + s0*s1*floordiv(x, s1)"), "s0*x");
  EXPECT_EQ(simplified("mod(x, 64) + 64*mod(floordiv(x, 64), 12)"), "mod(x, 768)");
  EXPECT_EQ(simplified("mod(x, 64) + 64*mod(floordiv(x, 64), 12) + 768*floordiv(x, 768)"), "x");
}

TEST(ExprSimplify, DigitsMeet) {
  EXPECT_EQ(simplified("x - 2*floordiv(x, 2)"), "mod(x, 2)");
  EXPECT_EQ(simplified("floordiv(x, 8) - 2*floordiv(x, 16)"), "mod(floordiv(x, 8), 2)");
  EXPECT_EQ(simplified("s1*floordiv(x, 8) - 2*s1*floordiv(x, 16) + s0"), "s1*mod(floordiv(x, 8), 2) + s0");
  EXPECT_EQ(simplified("floordiv(x, 8) - 3*floordiv(x, 16)"), "floordiv(x, 8) - 3*floordiv(x, 16)");
  EXPECT_EQ(simplified("floordiv(x, 6) - 2*floordiv(x, 16)"), "floordiv(x, 6) - 2*floordiv(x, 16)");
}

TEST(ExprSimplify, NegativeDividendsAndDivisors) {
  EXPECT_EQ(simplified("floordiv(-d2 - 1, 16)"), "-1");
  EXPECT_EQ(simplified("mod(-d2 - 1, 16)"), "-d2 + 15");
  EXPECT_EQ(simplified("mod(s1 - 1 - e1, s1)"), "-e1 + s1 - 1");
  EXPECT_EQ(simplified("mod(-1 - e1, s1)"), "-e1 + s1 - 1");
  EXPECT_EQ(simplified("floordiv(s0*s1, -s1)"), "-s0");
}

TEST(ExprSimplify, MinMaxByProof) {
  EXPECT_EQ(simplified("min(e0, s0)"), "e0");
  EXPECT_EQ(simplified("max(e0, 0)"), "e0");
  EXPECT_EQ(simplified("max(floordiv(s0 - 1, 2) + 1, 1)"), "floordiv(s0 + 1, 2)");
  EXPECT_EQ(simplified("min(s0, min(s1, s0 + e1))"), "min(s0, s1)");
  EXPECT_EQ(simplified("min(max(e0 - 1, 0), s0 - 1)"), "max(e0, 1) - 1");
  EXPECT_EQ(simplified("min(s0, s1)"), "min(s0, s1)");
}

TEST(ExprSimplify, SymbolsOfOneValue) { EXPECT_EQ(simplified("floordiv(s0, one) + one"), "s0 + 1"); }

TEST(ExprSimplify, UnknownStaysUnknown) {
  EXPECT_EQ(simplify(parsed("floordiv(64*a + b, 64)"), {}), parsed("a + floordiv(b, 64)"));
  EXPECT_EQ(simplified("mod(65*d0 + d1, 64)"), "mod(d0 + d1, 64)");
  EXPECT_TRUE(simplify(Expr::overflow(), ranges).overflowed());
}

TEST(ExprSimplify, ContradictingAndCyclicRangesEnd) {
  Ranges empty = {{"a", {5, -5}}, {"b", {9223372036854775807, -9223372036854775807}}};
  simplify(parsed("mod(a*b + floordiv(b, a), a - b)"), empty);
  Ranges cyclic = {{"a", {parsed("b"), parsed("b + 1")}}, {"b", {parsed("a"), parsed("a - 1")}}};
  simplify(parsed("mod(a*b + floordiv(b, a), a - b) + min(a, b)"), cyclic);
  EXPECT_EQ(proveLess(parsed("a"), parsed("c"), cyclic), std::nullopt);
}

TEST(ExprProve, Bounds) {
  auto is = [](const char *text, std::optional<int64_t> lo, std::optional<int64_t> hi) {
    Interval interval = bounds(parsed(text), ranges);
    EXPECT_EQ(interval.lo, lo) << text;
    EXPECT_EQ(interval.hi, hi) << text;
  };
  is("64*d0 + d1", 0, 767);
  is("d0 - d1", -63, 11);
  is("s0*s1", 1, std::nullopt);
  is("-2*s0", std::nullopt, -2);
  is("d0^2*d1", 0, 7623);
  is("max(y, -3)^2", 0, std::nullopt);
  is("floordiv(d1 - 8, 4)", -2, 13);
  is("ceildiv(d1, t0)", 0, 63);
  is("floordiv(d1 - 8, t0)", -8, 55);
  is("mod(x, 16)", 0, 15);
  is("mod(d0, t0)", 0, 11);
  is("mod(y, 0 - t0)", -511, 0);
  is("min(x, 7)", 0, 7);
  is("max(y, 7)", 7, std::nullopt);
  is("floordiv(d1, y)", -63, 63);
  is("y", std::nullopt, std::nullopt);
  is("t0*9223372036854775807", 9223372036854775807, std::nullopt);
}

TEST(ExprProve, SymbolicOrder) {
  auto less = [](const char *a, const char *b) { return proveLess(parsed(a), parsed(b), ranges); };
  auto lessEqual = [](const char *a, const char *b) { return proveLessEqual(parsed(a), parsed(b), ranges); };
  EXPECT_EQ(less("e0", "s0"), true);
  EXPECT_EQ(less("e0*s1 + e1", "s0*s1"), true);
  EXPECT_EQ(less("(e0*s1 + e1)*64 + d1", "64*s0*s1"), true);
  EXPECT_EQ(less("s0", "e0"), false);
  EXPECT_EQ(less("e0", "s1"), std::nullopt);
  EXPECT_EQ(lessEqual("s0", "s0*s1"), true);
  EXPECT_EQ(lessEqual("16*floordiv(s0, 16)", "s0"), true);
  EXPECT_EQ(lessEqual("s0", "16*ceildiv(s0, 16)"), true);
  EXPECT_EQ(less("mod(x, s1)", "s1"), true);
  EXPECT_EQ(less("s1*mod(x, s0) + mod(y, s1)", "s0*s1"), true);
  EXPECT_EQ(less("min(y, e0)", "s0"), true);
  EXPECT_EQ(lessEqual("min(s0, s1)", "max(s0, s1)"), true);
  EXPECT_EQ(lessEqual("2", "max(x, 3 - x)"), true) << "the mean of both is 3/2";
  EXPECT_EQ(lessEqual("3", "max(x, 3 - x)"), std::nullopt);
  EXPECT_EQ(lessEqual("min(2*x, 5 - 2*x)", "2"), true);
  EXPECT_EQ(less("min(2*x, 5 - 2*x)", "2"), std::nullopt) << "5/2 is less than 3, and no number but by numbers of x";
  EXPECT_EQ(lessEqual("s1*floordiv(x, s1)", "x"), true);
  EXPECT_EQ(lessEqual("floordiv(s0, 2)", "s0"), true);
  EXPECT_EQ(less("floordiv(m0, 64)", "s0"), true);
  EXPECT_EQ(less("floordiv(m0 + 1, 64)", "s0"), std::nullopt);
  EXPECT_EQ(less("floordiv(m1, s1)", "s0"), true);
  EXPECT_EQ(less("3*floordiv(m0, 64)", "3*s0"), true);
  EXPECT_EQ(less("3*floordiv(m0, 64)", "3*s0 - 3"), std::nullopt);
  EXPECT_EQ(lessEqual("ceildiv(m0, 64)", "s0"), true);
  EXPECT_EQ(less("ceildiv(m0, 64)", "s0"), std::nullopt);
  EXPECT_EQ(lessEqual("s1 + 2", "s1"), false);
}

TEST(ExprProve, Equality) {
  auto equal = [](const char *a, const char *b) { return proveEqual(parsed(a), parsed(b), ranges); };
  EXPECT_EQ(equal("floordiv(384*s0*s1, 384*s1)", "s0"), true);
  EXPECT_EQ(equal("s0", "s0 + 1"), false);
  EXPECT_EQ(equal("s0", "0"), false);
  EXPECT_EQ(equal("2*y + 1", "4*s0"), false);
  EXPECT_EQ(equal("d0", "12"), false);
  EXPECT_EQ(equal("s0", "s1"), std::nullopt);
  EXPECT_EQ(equal("x", "0"), std::nullopt);
  EXPECT_EQ(equal("overflow", "overflow"), std::nullopt);
}

} // namespace
