//===- lib/Transforms/RecognizeGelu.cpp - written-out GELU ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

#include <cmath>

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_RECOGNIZEGELU
#include "lib/Transforms/Passes.h.inc"

namespace {
using namespace cupola::match;
using graph::BinaryKind;
using graph::UnaryKind;

/// The factors of a product, constants multiplied into `number`. Only single-use
/// products are entered, so that nothing is computed twice.
struct Product {
  double number = 1;
  SmallVector<Value> factors;
};

void collectFactors(Value value, Product &product, bool isRoot = true) {
  if (std::optional<double> number = splatOf(value)) {
    product.number *= *number;
    return;
  }
  if (isRoot || value.hasOneUse()) {
    if (auto scaled = scaledBy(value)) {
      product.number *= scaled->number;
      return collectFactors(scaled->x, product, false);
    }
    if (auto op = value.getDefiningOp<graph::BinaryOp>(); op && op.getKind() == BinaryKind::Mul) {
      collectFactors(op.getLhs(), product, false);
      return collectFactors(op.getRhs(), product, false);
    }
  }
  product.factors.push_back(value);
}

/// `value` = number * x for this x, with or without a written factor.
bool isMultiple(Value value, Value x, double number) {
  if (value == x)
    return isNear(number, 1, toleranceOf(x));
  auto scaled = scaledBy(value);
  if (scaled && scaled->x == x)
    return isNear(scaled->number, number, toleranceOf(x));
  if (!scaled) // 0.5 * x may be shared: x' = 0.5 * x, value = (number / 0.5) * x'
    return false;
  auto base = scaledBy(scaled->x);
  return base && base->x == x && isNear(scaled->number * base->number, number, toleranceOf(x));
}

bool isCube(Value value, Value x) {
  for (Pair pair : operandsOf(value, BinaryKind::Pow))
    return pair.first == x && isSplat(pair.second, 3);
  for (Pair pair : operandsOf(value, BinaryKind::Mul)) {
    if (pair.first != x)
      continue;
    for (Pair square : operandsOf(pair.second, BinaryKind::Mul))
      if (square.first == x && square.second == x)
        return true;
    for (Pair square : operandsOf(pair.second, BinaryKind::Pow))
      if (square.first == x && isSplat(square.second, 2))
        return true;
  }
  return false;
}

/// `value` = a * x^3, the products in any order.
bool isCubicTerm(Value value, Value x, double a) {
  if (auto scaled = scaledBy(value); scaled && isNear(scaled->number, a, toleranceOf(x)))
    return isCube(scaled->x, x);
  Product product;
  collectFactors(value, product);
  int degree = 0;
  for (Value factor : product.factors)
    degree += factor == x ? 1 : isCube(factor, x) ? 3 : 10;
  return degree == 3 && isNear(product.number, a, toleranceOf(x));
}

constexpr double inverseSqrt2 = 0.70710678118654752, sqrt2OverPi = 0.79788456080286536;
constexpr double cubic = 0.044715;

/// `value` = sqrt(2 / pi) * (x + 0.044715 * x^3), also as x * (1 + 0.044715 * x^2).
bool isTanhArgument(Value value, Value x) {
  auto scaled = scaledBy(value);
  if (scaled && isNear(scaled->number, sqrt2OverPi, toleranceOf(x)))
    for (Pair sum : operandsOf(scaled->x, BinaryKind::Add))
      if (sum.first == x && isCubicTerm(sum.second, x, cubic))
        return true;
  Product product;
  collectFactors(value, product);
  if (product.factors.size() != 2 || !isNear(product.number, sqrt2OverPi, toleranceOf(x)))
    return false;
  for (unsigned i : {0u, 1u}) {
    auto sum = shiftedBy(product.factors[1 - i]);
    if (product.factors[i] != x || !sum || !isNear(sum->number, 1, toleranceOf(x)))
      continue;
    Product square;
    collectFactors(sum->x, square);
    if (isNear(square.number, cubic, toleranceOf(x)) && square.factors.size() == 2 && square.factors[0] == x &&
        square.factors[1] == x)
      return true;
  }
  return false;
}

/// x * 0.5 * (1 + erf(x / sqrt(2))) and the tanh form, factors in any order.
struct ProductForm : OpRewritePattern<graph::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::BinaryOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != BinaryKind::Mul && op.getKind() != BinaryKind::Div)
      return failure();
    Product product;
    collectFactors(op.getResult(), product);
    if (product.factors.size() != 2)
      return failure();
    for (unsigned i : {0u, 1u})
      for (const Scaled &x : bases(product.factors[i], product.number))
        if (auto kind = kindOf(product.factors[1 - i], x.x, x.number)) {
          auto loc = locationOf(rewriter, op, {x.x});
          rewriter.replaceOp(op, unary(rewriter, loc, *kind, x.x));
          return success();
        }
    return failure();
  }

private:
  /// The factor as it is, and what it is a multiple of (0.5 * x with more readers).
  static SmallVector<Scaled, 2> bases(Value factor, double number) {
    SmallVector<Scaled, 2> result{{factor, number}};
    if (auto scaled = scaledBy(factor))
      result.push_back({scaled->x, scaled->number * number});
    return result;
  }

  /// What number * x * gate is.
  static std::optional<UnaryKind> kindOf(Value gate, Value x, double number) {
    auto shifted = shiftedBy(gate);
    if (!shifted) // 0.5 * (1 + ..) as 0.5 + 0.5 * ..
      return std::nullopt;
    Value inner = shifted->x;
    double scale = 1;
    if (auto scaled = scaledBy(inner)) {
      inner = scaled->x;
      scale = scaled->number;
    }
    if (!isNear(shifted->number, scale, toleranceOf(x)) || !isNear(number * scale, 0.5, toleranceOf(x)))
      return std::nullopt;
    if (Value argument = inputOf(inner, UnaryKind::Erf))
      if (isMultiple(argument, x, inverseSqrt2))
        return UnaryKind::GeluErf;
    if (Value argument = inputOf(inner, UnaryKind::Tanh))
      if (isTanhArgument(argument, x))
        return UnaryKind::GeluTanh;
    return std::nullopt;
  }
};

class RecognizeGelu : public impl::RecognizeGeluBase<RecognizeGelu> {
public:
  using RecognizeGeluBase::RecognizeGeluBase;

  void runOnOperation() override {
    if (failed(rewriteAll<ProductForm>(getOperation(), "the search for GELU")))
      signalPassFailure();
  }
};

} // namespace
} // namespace cupola
