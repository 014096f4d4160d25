//===- test/Planner/ExprRandomTest.cpp - random expressions, brute force -===//
// SPDX-License-Identifier: Apache-2.0
//
// A random tree is evaluated directly, node by node, and compared with what the
// expression built from it says after every transformation. The seed is fixed.
//===----------------------------------------------------------------------===//
#include "lib/Planner/Expr.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace cupola;

namespace {

using Values = std::map<std::string, int64_t>;

/// A tree as written, without canonical form: the independent meaning.
struct Tree {
  ExprOp op = ExprOp::Add;
  std::string symbol; ///< a leaf if not empty
  int64_t number = 0; ///< a leaf if there are no children and no symbol
  std::vector<Tree> children;
};

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  int64_t in(int64_t low, int64_t high) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return low + int64_t((state >> 33) % uint64_t(high - low + 1));
  }

private:
  uint64_t state;
};

const char *const names[] = {"d0", "d1", "s0", "s1", "y"};

Tree randomTree(Random &random, int depth) {
  Tree tree;
  int64_t leaf = depth == 0 ? 0 : random.in(0, 9);
  if (leaf < 2) {
    if (random.in(0, 2) > 0)
      tree.symbol = names[random.in(0, 4)];
    else
      tree.number = random.in(-6, 12);
    return tree;
  }
  tree.op = ExprOp(random.in(0, 7));
  tree.children = {randomTree(random, depth - 1), randomTree(random, depth - 1)};
  return tree;
}

Expr build(const Tree &tree) {
  if (!tree.symbol.empty())
    return Expr::symbol(tree.symbol);
  if (tree.children.empty())
    return tree.number;
  return apply(tree.op, build(tree.children[0]), build(tree.children[1]));
}

/// In 128 bits, which the small values here never leave.
using Wide = __int128;

std::optional<Wide> evaluate(ExprOp op, Wide a, Wide b) {
  if ((op == ExprOp::FloorDiv || op == ExprOp::CeilDiv || op == ExprOp::Mod) && b == 0)
    return std::nullopt;
  auto floorOf = [](Wide x, Wide y) {
    Wide q = x / y;
    while (y > 0 ? q * y > x : q * y < x)
      --q;
    return q;
  };
  switch (op) {
  case ExprOp::Add:
    return a + b;
  case ExprOp::Sub:
    return a - b;
  case ExprOp::Mul:
    return a * b;
  case ExprOp::FloorDiv:
    return floorOf(a, b);
  case ExprOp::CeilDiv:
    return -floorOf(-a, b);
  case ExprOp::Mod:
    return a - b * floorOf(a, b);
  case ExprOp::Min:
    return std::min(a, b);
  case ExprOp::Max:
    return std::max(a, b);
  }
  return std::nullopt;
}

std::optional<Wide> evaluate(const Tree &tree, const Values &values) {
  if (!tree.symbol.empty())
    return values.at(tree.symbol);
  if (tree.children.empty())
    return tree.number;
  std::optional<Wide> a = evaluate(tree.children[0], values), b = evaluate(tree.children[1], values);
  return a && b ? evaluate(tree.op, *a, *b) : std::nullopt;
}

/// Whether `e` has the value of the tree, wherever that has one.
void expectSame(const Tree &tree, const Expr &e, const Values &values, const std::string &what) {
  std::optional<Wide> expected = evaluate(tree, values);
  if (!expected || e.overflowed())
    return;
  std::string at;
  for (const auto &[name, value] : values)
    at += name + "=" + std::to_string(value) + " ";
  std::optional<int64_t> found = e.evaluate(values);
  ASSERT_TRUE(found) << what << " has no value at " << at;
  ASSERT_EQ(*found, int64_t(*expected)) << what << " at " << at;
}

/// 0 <= d0 < 12, 0 <= d1 < s1, s0 >= 1, 1 <= s1 <= 9, y free.
const Ranges ranges = {{"d0", {0, 11}}, {"d1", {0, Expr::symbol("s1") - 1}}, {"s0", {1, std::nullopt}}, {"s1", {1, 9}}};

Values randomValues(Random &random) {
  Values values = {
      {"d0", random.in(0, 11)}, {"s0", random.in(1, 20)}, {"s1", random.in(1, 9)}, {"y", random.in(-20, 20)}};
  values["d1"] = random.in(0, values["s1"] - 1);
  return values;
}

constexpr int expressions = 10000, samples = 12;

TEST(ExprRandom, CanonicalFormKeepsValuesAndText) {
  Random random(1);
  int usable = 0;
  for (int i = 0; i < expressions; ++i) {
    Tree tree = randomTree(random, int(random.in(1, 4)));
    Expr e = build(tree);
    std::string text = e.text();
    std::optional<Expr> again = Expr::parse(text, nullptr);
    ASSERT_TRUE(again) << text;
    ASSERT_EQ(*again, e) << text << " reads as " << again->text();
    usable += !e.overflowed();
    for (int k = 0; k < samples; ++k)
      ASSERT_NO_FATAL_FAILURE(expectSame(tree, e, randomValues(random), text));
  }
  EXPECT_GT(usable, expressions * 9 / 10);
}

TEST(ExprRandom, SimplifyKeepsValuesAndIsStable) {
  Random random(2);
  int stable = 0;
  for (int i = 0; i < expressions; ++i) {
    Tree tree = randomTree(random, int(random.in(1, 4)));
    Expr e = build(tree), simple = simplify(e, ranges);
    for (int k = 0; k < samples; ++k)
      ASSERT_NO_FATAL_FAILURE(expectSame(tree, simple, randomValues(random), e.text() + " -> " + simple.text()));
    stable += simplify(simple, ranges) == simple;
  }
  // A second round may use what the first found; it seldom does.
  EXPECT_GT(stable, expressions * 98 / 100);
}

TEST(ExprRandom, SubstituteIsEvaluation) {
  Random random(3);
  for (int i = 0; i < expressions; ++i) {
    Tree tree = randomTree(random, 3), inner = randomTree(random, 2);
    Expr e = build(tree).substitute({{"y", build(inner)}});
    Values values = randomValues(random), outer = values;
    std::optional<Wide> y = evaluate(inner, values);
    if (!y)
      continue;
    outer["y"] = int64_t(*y);
    std::optional<Wide> expected = evaluate(tree, outer);
    if (!expected || e.overflowed())
      continue;
    std::optional<int64_t> found = e.evaluate(values);
    ASSERT_TRUE(found) << e.text();
    ASSERT_EQ(*found, int64_t(*expected)) << e.text();
  }
}

TEST(ExprRandom, BoundsAndProofsAreSound) {
  Random random(4);
  int proved = 0;
  for (int i = 0; i < expressions; ++i) {
    Tree left = randomTree(random, 3), right = randomTree(random, 2);
    Expr a = build(left), b = build(right);
    Interval interval = bounds(a, ranges);
    std::optional<bool> less = proveLess(a, b, ranges), equal = proveEqual(a, b, ranges);
    proved += less.has_value();
    for (int k = 0; k < samples; ++k) {
      Values values = randomValues(random);
      std::optional<Wide> x = evaluate(left, values), y = evaluate(right, values);
      if (!x)
        continue;
      ASSERT_TRUE(!interval.lo || *x >= *interval.lo) << a.text();
      ASSERT_TRUE(!interval.hi || *x <= *interval.hi) << a.text();
      if (!y)
        continue;
      ASSERT_TRUE(!less || *less == (*x < *y)) << a.text() << " < " << b.text();
      ASSERT_TRUE(!equal || *equal == (*x == *y)) << a.text() << " == " << b.text();
    }
  }
  EXPECT_GT(proved, expressions / 5);
}

TEST(ExprRandom, DivisibleIsSound) {
  Random random(5);
  int known = 0;
  const std::map<std::string, int64_t> divisors = {{"d0", 4}, {"d1", 6}, {"s0", 8}, {"y", 3}};
  for (int i = 0; i < expressions; ++i) {
    Tree tree = randomTree(random, 3);
    Expr e = build(tree);
    int64_t d = random.in(2, 8);
    if (!divisible(e, d, divisors))
      continue;
    ++known;
    for (int k = 0; k < samples; ++k) {
      Values values = randomValues(random);
      for (const auto &[name, divisor] : divisors)
        values[name] *= divisor;
      std::optional<Wide> value = evaluate(tree, values);
      ASSERT_EQ(int64_t(value.value_or(0) % d), 0) << e.text() << " by " << d;
    }
  }
  EXPECT_GT(known, 100);
}

/// Index arithmetic as views make it: flatten by one shape, take apart by
/// another, flatten again. Every tensor element must be found where it is, and
/// the way back must simplify to the identity.
TEST(ExprRandom, ReshapesThereAndBackAreTheIdentity) {
  Random random(6);
  for (int i = 0; i < 2000; ++i) {
    int rank = int(random.in(1, 4));
    std::vector<Expr> extents, indices;
    Ranges axes;
    Expr flat = 0;
    for (int axis = 0; axis < rank; ++axis) {
      std::string name = "n" + std::to_string(axis), index = "i" + std::to_string(axis);
      bool symbolic = random.in(0, 1) == 1;
      Expr extent = symbolic ? Expr::symbol(name) : Expr(random.in(2, 64));
      axes[name] = {1, std::nullopt};
      axes[index] = {0, extent - 1};
      extents.push_back(extent);
      indices.push_back(Expr::symbol(index));
      flat = flat * extent + indices.back();
    }
    Expr stride = 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      Expr digit = simplify(mod(floorDiv(flat, stride), extents[axis]), axes);
      ASSERT_EQ(digit, indices[axis]) << flat.text() << ", stride " << stride.text();
      stride = stride * extents[axis];
    }
  }
}

} // namespace
