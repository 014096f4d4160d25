//===- lib/Transforms/Simplify/Scalars.cpp - arithmetic that does nothing ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Match.h"
#include "lib/Transforms/Simplify/Patterns.h"

#include <cmath>

using namespace mlir;

namespace cupola::simplification {
namespace {
using namespace cupola::match;
using graph::BinaryKind;
using graph::UnaryKind;

/// op(x, number) = x. `swapped`: op(number, x) = x, too.
struct Neutral {
  BinaryKind kind;
  double number;
  bool swapped;
};
constexpr Neutral neutrals[] = {
    {BinaryKind::Add, 0, true},        {BinaryKind::Sub, 0, false},       {BinaryKind::Mul, 1, true},
    {BinaryKind::Div, 1, false},       {BinaryKind::Pow, 1, false},       {BinaryKind::And, 1, true},
    {BinaryKind::Or, 0, true},         {BinaryKind::Xor, 0, true},        {BinaryKind::BitwiseOr, 0, true},
    {BinaryKind::BitwiseXor, 0, true}, {BinaryKind::ShiftLeft, 0, false}, {BinaryKind::ShiftRight, 0, false},
};

/// The number behind views and casts. Casts keep 0 and 1, which are all that is asked for.
std::optional<double> numberBehind(Value value) {
  auto inputOf = [](Operation *op) { return isa_and_present<graph::CastOp>(op) ? op->getOperand(0) : viewInput(op); };
  while (Value input = inputOf(value.getDefiningOp()))
    value = input;
  return splatOf(value);
}

LogicalResult dropNeutral(graph::BinaryOp op, PatternRewriter &rewriter) {
  for (const Neutral &neutral : neutrals) {
    if (op.getKind() != neutral.kind)
      continue;
    if (numberBehind(op.getRhs()) == neutral.number)
      return rewriter.replaceOp(op, op.getLhs()), success();
    if (neutral.swapped && numberBehind(op.getLhs()) == neutral.number)
      return rewriter.replaceOp(op, op.getRhs()), success();
  }
  return failure();
}

/// x and false, x or true.
LogicalResult absorbBool(graph::BinaryOp op, PatternRewriter &rewriter) {
  if (op.getKind() != BinaryKind::And && op.getKind() != BinaryKind::Or)
    return failure();
  double absorbing = op.getKind() == BinaryKind::And ? 0 : 1;
  for (Value operand : op->getOperands())
    if (splatOf(operand) == absorbing)
      return rewriter.replaceOp(op, operand), success();
  return failure();
}

/// -(-x), not (not x).
LogicalResult dropDouble(graph::UnaryOp op, PatternRewriter &rewriter) {
  UnaryKind kind = op.getKind();
  if (kind != UnaryKind::Neg && kind != UnaryKind::Not && kind != UnaryKind::BitwiseNot)
    return failure();
  Value inner = inputOf(op.getInput(), kind);
  if (!inner)
    return failure();
  rewriter.replaceOp(op, inner);
  return success();
}

LogicalResult decideSelect(graph::SelectOp op, PatternRewriter &rewriter) {
  std::optional<double> condition = splatOf(op.getCondition());
  if (!condition && op.getLhs() != op.getRhs())
    return failure();
  rewriter.replaceOp(op, condition == 0.0 ? op.getRhs() : op.getLhs());
  return success();
}

/// A bool that became a number and a bool again.
LogicalResult dropBoolRoundTrip(graph::CastOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<graph::CastOp>();
  if (!inner || inner.getInput().getType() != op.getType() || !graph::elementOf(op.getResult()).isInteger(1))
    return failure();
  rewriter.replaceOp(op, inner.getInput());
  return success();
}

/// Sums, means, products and extremes of one element.
LogicalResult dropReductionOfOne(graph::ReduceOp op, PatternRewriter &rewriter) {
  if (op.getInput().getType() != op.getType() ||
      llvm::any_of(op.getAxes(), [&](int64_t axis) { return !graph::extentOf(op.getInput(), axis).isConstant(1); }))
    return failure();
  rewriter.replaceOp(op, op.getInput());
  return success();
}

/// pow(x, 2) = x * x.
LogicalResult squareByProduct(graph::BinaryOp op, PatternRewriter &rewriter) {
  if (op.getKind() != BinaryKind::Pow || splatOf(op.getRhs()) != 2.0)
    return failure();
  rewriter.replaceOpWithNewOp<graph::BinaryOp>(op, BinaryKind::Mul, op.getLhs(), op.getLhs());
  return success();
}

bool isPowerOfTwo(double number) {
  int exponent;
  return std::abs(std::frexp(number, &exponent)) == 0.5;
}

/// x / 8 = x * 0.125, exactly.
LogicalResult divideByProduct(graph::BinaryOp op, PatternRewriter &rewriter) {
  auto divisor = splatOf(op.getRhs());
  if (op.getKind() != BinaryKind::Div || !isa<FloatType>(graph::elementOf(op.getLhs())) || !divisor ||
      !isPowerOfTwo(*divisor) || std::abs(std::log2(std::abs(*divisor))) > 14)
    return failure();
  auto loc = fusedLoc(rewriter, {op});
  Value factor = splat(rewriter, loc, 1 / *divisor, graph::typeOf(op.getRhs()));
  rewriter.replaceOp(op, graph::BinaryOp::create(rewriter, loc, BinaryKind::Mul, op.getLhs(), factor));
  return success();
}

bool fits(Type element, const Scaled &inner, const Scaled &outer) {
  double product = std::abs(inner.number * outer.number);
  if (element.isF32() || element.isF64())
    return product > 1e-30 && product < 1e30;
  return isPowerOfTwo(inner.number) && isPowerOfTwo(outer.number) && product > 1e-4 && product < 1e4;
}

/// (x * a) * b = x * (a * b), where rounding in between is not worth keeping.
LogicalResult mergeFactors(graph::BinaryOp op, PatternRewriter &rewriter) {
  std::optional<Scaled> outer = scaledBy(op.getResult());
  std::optional<Scaled> inner = outer ? scaledBy(outer->x) : std::nullopt;
  if (!inner || !outer->x.hasOneUse() || !fits(graph::elementOf(op.getResult()), *inner, *outer))
    return failure();
  auto loc = fusedLoc(rewriter, {outer->x.getDefiningOp(), op});
  Value factor = splat(rewriter, loc, inner->number * outer->number, graph::typeOf(inner->x));
  rewriter.replaceOp(op, graph::BinaryOp::create(rewriter, loc, BinaryKind::Mul, inner->x, factor));
  return success();
}

} // namespace

void addScalarPatterns(RewritePatternSet &patterns) {
  addPatterns(patterns, /*benefit=*/1, dropNeutral, absorbBool, dropDouble, decideSelect, dropBoolRoundTrip,
              dropReductionOfOne, squareByProduct, divideByProduct, mergeFactors);
}

} // namespace cupola::simplification
