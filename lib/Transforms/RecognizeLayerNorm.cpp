//===- lib/Transforms/RecognizeLayerNorm.cpp - written-out layer and RMS norm ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_RECOGNIZELAYERNORM
#include "lib/Transforms/Passes.h.inc"

namespace {
using namespace cupola::match;
using graph::BinaryKind;
using graph::UnaryKind;

/// The mean of `input` over `axes`.
struct Mean {
  Value input;
  SmallVector<int64_t> axes;
};

std::optional<Mean> meanOf(Value value) {
  double factor = 1;
  if (auto scaled = scaledBy(value)) {
    factor = scaled->number;
    value = scaled->x;
  }
  auto reduce = value.getDefiningOp<graph::ReduceOp>();
  if (!reduce || reduce.getAxes().empty())
    return std::nullopt;
  if (reduce.getKind() == graph::ReduceKind::Sum) {
    Expr count = 1;
    for (int64_t axis : reduce.getAxes())
      count *= graph::extentOf(reduce.getInput(), axis);
    factor *= count.constant().value_or(0);
  } else if (reduce.getKind() != graph::ReduceKind::Mean) {
    return std::nullopt;
  }
  if (!isNear(factor, 1, toleranceOf(value)))
    return std::nullopt;
  return Mean{reduce.getInput(), SmallVector<int64_t>(reduce.getAxes())};
}

Value throughBroadcast(Value value) {
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  return broadcast ? broadcast.getInput() : value;
}

bool isSquare(Value value, Value x) {
  for (Pair pair : operandsOf(value, BinaryKind::Mul))
    if (pair.first == x && pair.second == x)
      return true;
  for (Pair pair : operandsOf(value, BinaryKind::Pow))
    if (pair.first == x && isSplat(pair.second, 2))
      return true;
  return false;
}

/// v where value = sqrt(v).
Value squareRootOf(Value value) {
  for (Pair pair : operandsOf(value, BinaryKind::Pow))
    if (isSplat(pair.second, 0.5))
      return pair.first;
  return inputOf(value, UnaryKind::Sqrt);
}

/// v where value = 1 / sqrt(v).
Value inverseRootOf(Value value) {
  if (Value v = inputOf(value, UnaryKind::Rsqrt))
    return v;
  if (Value root = inputOf(value, UnaryKind::Reciprocal))
    return squareRootOf(root);
  for (Pair pair : operandsOf(value, BinaryKind::Div))
    if (isSplat(pair.first, 1))
      return squareRootOf(pair.second);
  for (Pair pair : operandsOf(value, BinaryKind::Pow))
    if (isSplat(pair.second, -0.5))
      return pair.first;
  return {};
}

/// A quotient x / sqrt(v), in every way to write it.
struct Normalized {
  Value x, v;
};
SmallVector<Normalized, 2> normalizedBy(Value value) {
  SmallVector<Normalized, 2> result;
  for (Pair pair : operandsOf(value, BinaryKind::Mul))
    if (Value v = inverseRootOf(throughBroadcast(pair.second)))
      result.push_back({pair.first, v});
  for (Pair pair : operandsOf(value, BinaryKind::Div))
    if (Value v = squareRootOf(throughBroadcast(pair.second)))
      result.push_back({pair.first, v});
  return result;
}

/// d / sqrt(mean(d^2) + epsilon), where d may be x - mean(x).
struct NormPattern : OpRewritePattern<graph::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::BinaryOp op, PatternRewriter &rewriter) const override {
    for (const Normalized &candidate : normalizedBy(op.getResult())) {
      auto shifted = shiftedBy(candidate.v);
      std::optional<Mean> square = shifted ? meanOf(shifted->x) : std::nullopt;
      if (!square || shifted->number < 0 || !isSquare(square->input, candidate.x))
        continue;
      Value input = centredOf(candidate.x, square->axes);
      bool rms = !input;
      if (rms)
        input = candidate.x;
      auto loc = locationOf(rewriter, op, {input});
      rewriter.replaceOp(
          op, graph::LayerNormOp::create(rewriter, loc, op.getType(), input, rewriter.getDenseI64ArrayAttr(square->axes),
                                         rewriter.getF64FloatAttr(shifted->number), rewriter.getBoolAttr(rms)));
      return success();
    }
    return failure();
  }

private:
  /// x where d = x - mean(x), or nothing.
  static Value centredOf(Value d, ArrayRef<int64_t> axes) {
    for (Pair pair : operandsOf(d, BinaryKind::Sub)) {
      std::optional<Mean> mean = meanOf(throughBroadcast(pair.second));
      if (mean && mean->input == pair.first && ArrayRef(mean->axes) == axes)
        return pair.first;
    }
    return {};
  }
};

class RecognizeLayerNorm : public impl::RecognizeLayerNormBase<RecognizeLayerNorm> {
public:
  using RecognizeLayerNormBase::RecognizeLayerNormBase;

  void runOnOperation() override {
    if (failed(rewriteAll<NormPattern>(getOperation(), "the search for norms")))
      signalPassFailure();
  }
};

} // namespace
} // namespace cupola
