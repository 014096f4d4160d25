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

/// sigmoid(a * x): the factor a, or nothing.
std::optional<double> sigmoidFactor(Value gate, Value x) {
  Value argument = inputOf(gate, UnaryKind::Sigmoid);
  if (!argument)
    return std::nullopt;
  if (argument == x)
    return 1;
  auto scaled = scaledBy(argument);
  return scaled && scaled->x == x ? std::optional(scaled->number) : std::nullopt;
}

bool isHardSigmoid(Value gate, Value x) {
  auto op = gate.getDefiningOp<graph::UnaryOp>();
  return op && op.getKind() == UnaryKind::HardSigmoid && op.getInput() == x &&
         isNear(op.getAlpha().convertToDouble(), 1.0 / 6, toleranceOf(x)) &&
         isNear(op.getBeta().convertToDouble(), 0.5);
}

/// min(max(x + 3, 0), 6): the gate of a written-out hard swish.
bool isRelu6OfShifted(Value gate, Value x) {
  auto op = gate.getDefiningOp<graph::BinaryOp>();
  if (!op || op.getKind() != BinaryKind::Min || !isSplat(op.getRhs(), 6))
    return false;
  Value low = inputOf(op.getLhs(), UnaryKind::Relu);
  if (auto max = op.getLhs().getDefiningOp<graph::BinaryOp>();
      max && max.getKind() == BinaryKind::Max && isSplat(max.getRhs(), 0))
    low = max.getLhs();
  auto shifted = low ? shiftedBy(low) : std::nullopt;
  return shifted && shifted->x == x && isNear(shifted->number, 3);
}

struct GatedProduct : OpRewritePattern<graph::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::BinaryOp op, PatternRewriter &rewriter) const override {
    for (Pair pair : operandsOf(op.getResult(), BinaryKind::Mul)) {
      if (auto factor = sigmoidFactor(pair.second, pair.first))
        return replace(op, pair.first, UnaryKind::Silu, *factor, rewriter);
      if (isHardSigmoid(pair.second, pair.first))
        return replace(op, pair.first, UnaryKind::HardSwish, 0, rewriter);
    }
    return matchSixth(op, rewriter);
  }

private:
  /// (x * relu6(x + 3)) / 6, also x * (relu6(x + 3) / 6).
  static LogicalResult matchSixth(graph::BinaryOp op, PatternRewriter &rewriter) {
    if (auto sixth = scaledBy(op.getResult()); sixth && isNear(sixth->number, 1.0 / 6, toleranceOf(op.getResult())))
      for (Pair pair : operandsOf(sixth->x, BinaryKind::Mul))
        if (isRelu6OfShifted(pair.second, pair.first))
          return replace(op, pair.first, UnaryKind::HardSwish, 0, rewriter);
    for (Pair pair : operandsOf(op.getResult(), BinaryKind::Mul))
      if (auto sixth = scaledBy(pair.second); sixth && isNear(sixth->number, 1.0 / 6, toleranceOf(op.getResult())))
        if (isRelu6OfShifted(sixth->x, pair.first))
          return replace(op, pair.first, UnaryKind::HardSwish, 0, rewriter);
    return failure();
  }

  static LogicalResult replace(graph::BinaryOp op, Value x, UnaryKind kind, double alpha, PatternRewriter &rewriter) {
    auto loc = locationOf(rewriter, op, {x});
    rewriter.replaceOp(op, unary(rewriter, loc, kind, x, alpha));
    return success();
  }
};

class RecognizeSilu : public impl::RecognizeSiluBase<RecognizeSilu> {
public:
  using RecognizeSiluBase::RecognizeSiluBase;

  void runOnOperation() override {
    if (failed(rewriteAll<GatedProduct>(getOperation(), "the search for SiLU")))
      signalPassFailure();
  }
};

} // namespace
} // namespace cupola
