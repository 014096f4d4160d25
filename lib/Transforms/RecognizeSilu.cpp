//===- lib/Transforms/RecognizeSilu.cpp - x * sigmoid(x) and its relatives ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_RECOGNIZESILU
#include "lib/Transforms/Passes.h.inc"

namespace {
using namespace cupola::match;
using graph::BinaryKind;
using graph::UnaryKind;

/// a * x where value = 1 + exp(-a * x).
std::optional<Scaled> sigmoidDivisor(Value value) {
  auto sum = affineOf(withoutCasts(value));
  Value exponent = sum ? inputOf(withoutCasts(sum->x), UnaryKind::Exp) : Value();
  if (!exponent || sum->factor != 1 || sum->offset != 1)
    return std::nullopt;
  Scaled argument = multipleOf(exponent);
  return Scaled{argument.x, -argument.number};
}

Value divisorOfOne(graph::UnaryOp op) { return inputOf(op.getResult(), UnaryKind::Reciprocal); }
Value divisorOfOne(graph::BinaryOp op) {
  return op.getKind() == BinaryKind::Div && isSplat(op.getLhs(), 1) ? op.getRhs() : Value();
}

/// 1 / (1 + exp(-x)).
template <class Op> LogicalResult recognizeSigmoid(Op op, PatternRewriter &rewriter) {
  Value divisor = divisorOfOne(op);
  auto argument = divisor ? sigmoidDivisor(divisor) : std::nullopt;
  if (!argument || argument->number != 1)
    return failure();
  auto loc = locationOf(rewriter, op, {argument->x, withoutCasts(argument->x)});
  rewriter.replaceOp(op, unaryAs(rewriter, loc, graph::typeOf(op.getResult()), UnaryKind::Sigmoid, argument->x));
  return success();
}

std::optional<double> factorOf(const Scaled &argument, Value x) {
  if (isSameButForCasts(argument.x, x))
    return argument.number;
  return std::nullopt;
}

/// x * sigmoid(a * x), also x / (1 + exp(-a * x)).
LogicalResult recognizeSigmoidProduct(graph::BinaryOp op, PatternRewriter &rewriter) {
  for (Pair pair : operandsOf(op.getResult(), BinaryKind::Mul))
    if (Value argument = inputOf(withoutCasts(pair.second), UnaryKind::Sigmoid))
      if (auto factor = factorOf(multipleOf(argument), pair.first))
        return replaceByUnary(rewriter, op, UnaryKind::Silu, pair.first, *factor);
  for (Pair pair : operandsOf(op.getResult(), BinaryKind::Div))
    if (auto argument = sigmoidDivisor(pair.second))
      if (auto factor = factorOf(*argument, pair.first))
        return replaceByUnary(rewriter, op, UnaryKind::Silu, pair.first, *factor);
  return failure();
}

/// A bound of `value`, and what it bounds.
std::optional<Scaled> boundedOf(Value value, BinaryKind kind) {
  value = withoutCasts(value);
  if (Value x = kind == BinaryKind::Max ? inputOf(value, UnaryKind::Relu) : Value())
    return Scaled{x, 0};
  auto op = value.getDefiningOp<graph::BinaryOp>();
  for (unsigned side : {0u, 1u})
    if (auto bound = op && op.getKind() == kind ? splatOf(op->getOperand(side)) : std::nullopt)
      return Scaled{op->getOperand(1 - side), *bound};
  return std::nullopt;
}

/// min(max(x, 0), high), in either order.
std::optional<Scaled> clampedOf(Value value) {
  for (auto [outer, inner] : {std::pair(BinaryKind::Min, BinaryKind::Max), std::pair(BinaryKind::Max, BinaryKind::Min)})
    if (auto first = boundedOf(value, outer))
      if (auto second = boundedOf(first->x, inner)) {
        double low = outer == BinaryKind::Max ? first->number : second->number;
        double high = outer == BinaryKind::Min ? first->number : second->number;
        return low == 0 && high > 0 ? std::optional(Scaled{second->x, high}) : std::nullopt;
      }
  return std::nullopt;
}

/// number * gate = hard_sigmoid(x).
bool isHardSigmoid(Value gate, Value x, double number) {
  double tolerance = toleranceOf(x);
  auto near = [&](double value, double expected) { return isNear(number * value, expected, tolerance); };
  if (auto op = gate.getDefiningOp<graph::UnaryOp>(); op && op.getKind() == UnaryKind::HardSigmoid)
    return isSameButForCasts(op.getInput(), x) && isNear(number, 1, tolerance) &&
           near(op.getAlpha().convertToDouble(), 1.0 / 6) && near(op.getBeta().convertToDouble(), 0.5);
  auto clamped = clampedOf(gate);
  auto inside = clamped ? affineOf(withoutCasts(clamped->x)) : std::nullopt;
  return inside && isSameButForCasts(inside->x, x) && near(clamped->number, 1) && near(inside->factor, 1.0 / 6) &&
         near(inside->offset, 0.5);
}

/// x * hard_sigmoid(x), also x * min(max(x + 3, 0), 6) / 6, the factors in any order.
LogicalResult recognizeHardSigmoidProduct(graph::BinaryOp op, PatternRewriter &rewriter) {
  for (const TwoFactors &product : twoFactorsOf(op.getResult()))
    if (isHardSigmoid(withoutCasts(product.second), product.first, product.number))
      return replaceByUnary(rewriter, op, UnaryKind::HardSwish, product.first);
  return failure();
}

class RecognizeSilu : public impl::RecognizeSiluBase<RecognizeSilu> {
public:
  void runOnOperation() override {
    if (failed(rewriteAll(getOperation(), "the search for SiLU", recognizeSigmoid<graph::UnaryOp>,
                          recognizeSigmoid<graph::BinaryOp>, recognizeSigmoidProduct, recognizeHardSigmoidProduct)))
      signalPassFailure();
  }
};

} // namespace
} // namespace cupola
