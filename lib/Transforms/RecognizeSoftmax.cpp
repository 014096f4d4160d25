//===- lib/Transforms/RecognizeSoftmax.cpp - guarded and written-out softmax ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_RECOGNIZESOFTMAX
#include "lib/Transforms/Passes.h.inc"

namespace {
using namespace cupola::match;
using graph::BinaryKind;
using graph::UnaryKind;

/// isnan(s) ? 0 : s, also with the condition negated.
struct GuardedSoftmax : OpRewritePattern<graph::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::SelectOp op, PatternRewriter &rewriter) const override {
    Value condition = op.getCondition(), guarded = op.getRhs(), zero = op.getLhs();
    if (Value positive = inputOf(condition, UnaryKind::Not)) {
      condition = positive;
      std::swap(guarded, zero);
    }
    auto softmax = guarded.getDefiningOp<graph::SoftmaxOp>();
    if (!softmax || softmax.getLog() || inputOf(condition, UnaryKind::IsNaN) != guarded || splatOf(zero) != 0.0)
      return failure();
    for (Operation *user : guarded.getUsers())
      if (user != op && user != condition.getDefiningOp())
        return failure();
    Value input = softmax.getInput();
    auto loc = locationOf(rewriter, op, {input});
    rewriter.replaceOp(op, graph::SoftmaxOp::create(rewriter, loc, op.getType(), input, softmax.getAxisAttr(),
                                                    rewriter.getBoolAttr(true), rewriter.getBoolAttr(false)));
    return success();
  }
};

/// The reduction behind a broadcast, if it is over one axis.
graph::ReduceOp rowReduction(Value value, graph::ReduceKind kind) {
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  auto reduce = broadcast ? broadcast.getInput().getDefiningOp<graph::ReduceOp>() : nullptr;
  return reduce && reduce.getKind() == kind && reduce.getAxes().size() == 1 ? reduce : nullptr;
}

/// exp(x - max(x)) / sum(exp(x - max(x))).
struct WrittenSoftmax : OpRewritePattern<graph::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::BinaryOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != BinaryKind::Div)
      return failure();
    Value argument = inputOf(op.getLhs(), UnaryKind::Exp);
    graph::ReduceOp sum = rowReduction(op.getRhs(), graph::ReduceKind::Sum);
    if (!argument || !sum || sum.getInput() != op.getLhs())
      return failure();
    int64_t axis = sum.getAxes().front();
    for (Pair pair : operandsOf(argument, BinaryKind::Sub)) {
      graph::ReduceOp max = rowReduction(pair.second, graph::ReduceKind::Max);
      if (!max || max.getInput() != pair.first || max.getAxes().front() != axis)
        continue;
      auto loc = locationOf(rewriter, op, {pair.first});
      rewriter.replaceOp(op, graph::SoftmaxOp::create(rewriter, loc, op.getType(), pair.first,
                                                      rewriter.getI64IntegerAttr(axis), rewriter.getBoolAttr(false),
                                                      rewriter.getBoolAttr(false)));
      return success();
    }
    return failure();
  }
};

class RecognizeSoftmax : public impl::RecognizeSoftmaxBase<RecognizeSoftmax> {
public:
  using RecognizeSoftmaxBase::RecognizeSoftmaxBase;

  void runOnOperation() override {
    if (failed(rewriteAll<GuardedSoftmax, WrittenSoftmax>(getOperation(), "the search for softmax")))
      signalPassFailure();
  }
};

} // namespace
} // namespace cupola
