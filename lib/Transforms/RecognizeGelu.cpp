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

/// `value` = number * x for this x, with or without written factors.
bool isMultiple(Value value, Value x, double number) {
  if (isSameButForCasts(value, x))
    return isNear(number, 1, toleranceOf(x));
  Scaled outer = multipleOf(withoutCasts(value));
  if (isSameButForCasts(outer.x, x))
    return isNear(outer.number, number, toleranceOf(x));
  Scaled inner = multipleOf(outer.x); // 0.5 * x may be shared: x' = 0.5 * x, value = (number / 0.5) * x'
  return isSameButForCasts(inner.x, x) && isNear(outer.number * inner.number, number, toleranceOf(x));
}

bool isCube(Value value, Value x) {
  value = withoutCasts(value);
  for (Pair pair : operandsOf(value, BinaryKind::Pow))
    return isSameButForCasts(pair.first, x) && isSplat(pair.second, 3);
  for (Pair pair : operandsOf(value, BinaryKind::Mul)) {
    if (!isSameButForCasts(pair.first, x))
      continue;
    Value square = withoutCasts(pair.second);
    for (Pair factors : operandsOf(square, BinaryKind::Mul))
      if (isSameButForCasts(factors.first, x) && isSameButForCasts(factors.second, x))
        return true;
    for (Pair power : operandsOf(square, BinaryKind::Pow))
      if (isSameButForCasts(power.first, x) && isSplat(power.second, 2))
        return true;
  }
  return false;
}

/// `value` = a * x^degree, the products in any order.
bool isTerm(Value value, Value x, double a, int degree) {
  if (auto scaled = scaledBy(value); scaled && isNear(scaled->number, a, toleranceOf(x)) && degree == 3)
    return isCube(scaled->x, x);
  Product product = productOf(value);
  for (Value factor : product.factors)
    degree -= isSameButForCasts(factor, x) ? 1 : isCube(factor, x) ? 3 : 10;
  return degree == 0 && isNear(product.number, a, toleranceOf(x));
}

constexpr double inverseSqrt2 = 0.70710678118654752, sqrt2OverPi = 0.79788456080286536;
constexpr double cubic = 0.044715;

/// `value` = a * (x + 0.044715 * x^3), also as a * x * (1 + 0.044715 * x^2).
bool isTanhArgument(Value value, Value x, double a) {
  value = withoutCasts(value);
  auto scaled = scaledBy(value);
  double inside = scaled ? a / scaled->number : a;
  for (Pair sum : operandsOf(withoutCasts(scaled ? scaled->x : value), BinaryKind::Add))
    if (isMultiple(sum.first, x, inside) && isTerm(sum.second, x, inside * cubic, 3))
      return true;
  return llvm::any_of(twoFactorsOf(value), [&](const TwoFactors &product) {
    auto sum = shiftedBy(withoutCasts(product.second));
    return isNear(product.number, a, toleranceOf(x)) && isSameButForCasts(product.first, x) && sum &&
           isNear(sum->number, 1, toleranceOf(x)) && isTerm(sum->x, x, cubic, 2);
  });
}

/// `value` = sign * erf(x / sqrt(2)), or the approximation of it by tanh.
std::optional<UnaryKind> errorFunction(Value value, Value x, double sign) {
  value = withoutCasts(value);
  if (Value argument = inputOf(value, UnaryKind::Erf))
    if (isMultiple(argument, x, sign * inverseSqrt2))
      return UnaryKind::GeluErf;
  if (Value argument = inputOf(value, UnaryKind::Tanh))
    if (isTanhArgument(argument, x, sign * sqrt2OverPi))
      return UnaryKind::GeluTanh;
  return std::nullopt;
}

/// The number and the first factor as multiples of values: the factor itself, or of what it is a
/// multiple (0.5 * x with more readers).
SmallVector<Scaled, 2> basesOf(const TwoFactors &product) {
  SmallVector<Scaled, 2> result{{product.first, product.number}};
  if (auto scaled = scaledBy(withoutCasts(product.first)))
    result.push_back({scaled->x, scaled->number * product.number});
  return result;
}

/// What number * x * gate is.
std::optional<UnaryKind> kindOf(Value gate, const Scaled &base) {
  double tolerance = toleranceOf(base.x);
  if (Value argument = inputOf(gate, UnaryKind::Sigmoid)) // (1 + tanh(y)) / 2 = sigmoid(2 * y)
    return isNear(base.number, 1, tolerance) && isTanhArgument(argument, base.x, 2 * sqrt2OverPi)
               ? std::optional(UnaryKind::GeluTanh)
               : std::nullopt;
  auto affine = affineOf(gate);
  if (!affine || !isNear(std::abs(affine->factor), affine->offset, tolerance) ||
      !isNear(base.number * affine->offset, 0.5, tolerance))
    return std::nullopt;
  return errorFunction(affine->x, base.x, affine->factor < 0 ? -1 : 1);
}

/// x * 0.5 * (1 + erf(x / sqrt(2))) and the tanh form, factors in any order.
LogicalResult recognizeProductForm(graph::BinaryOp op, PatternRewriter &rewriter) {
  for (const TwoFactors &product : twoFactorsOf(op.getResult()))
    for (const Scaled &base : basesOf(product))
      if (auto kind = kindOf(withoutCasts(product.second), base))
        return replaceByUnary(rewriter, op, *kind, base.x);
  return failure();
}

/// 0.5 * x + 0.5 * x * erf(x / sqrt(2)).
LogicalResult recognizeSumForm(graph::BinaryOp op, PatternRewriter &rewriter) {
  for (Pair sum : operandsOf(op.getResult(), BinaryKind::Add))
    for (const TwoFactors &product : twoFactorsOf(sum.second))
      for (const Scaled &base : basesOf(product))
        if (isNear(base.number, 0.5, toleranceOf(base.x)) && isMultiple(sum.first, base.x, 0.5))
          if (auto kind = errorFunction(product.second, base.x, 1))
            return replaceByUnary(rewriter, op, *kind, base.x);
  return failure();
}

class RecognizeGelu : public impl::RecognizeGeluBase<RecognizeGelu> {
public:
  void runOnOperation() override {
    if (failed(rewriteAll(getOperation(), "the search for GELU", recognizeProductForm, recognizeSumForm)))
      signalPassFailure();
  }
};

} // namespace
} // namespace cupola
