//===- lib/Transforms/FoldScales.cpp - scales of channels become part of the weights ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_FOLDSCALES
#include "lib/Transforms/Passes.h.inc"

namespace {
using namespace cupola::match;
using graph::BinaryKind;
using graph::Exprs;

/// The constant [1.., C] that `value`, [.., C], repeats; null for anything else, and for
/// one number everywhere, which costs nothing in an epilogue.
Value channelConstant(Value value) {
  if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>())
    value = broadcast.getInput();
  Exprs shape = graph::shapeOf(value);
  bool perChannel =
      !shape.empty() && llvm::all_of(ArrayRef(shape).drop_back(), [](const Expr &e) { return e.isConstant(1); });
  return perChannel && constantBehind(value) && !splatOf(value) ? value : Value();
}

/// A convolution, a contraction with a weight, or a sum over windows times a weight, and
/// where its weight is an operand. Channels are the last dimension of weight and result.
struct Weighted {
  Operation *op = nullptr;
  unsigned weight = 0;
  SmallVector<Operation *, 2> after; ///< what leads from it to the value: reduce, reshape
};

/// Input and result have one last dimension.
bool keepsChannels(Operation *op) {
  Exprs in = graph::shapeOf(op->getOperand(0)), out = graph::shapeOf(op->getResult(0));
  return !in.empty() && !out.empty() && in.back() == out.back();
}

std::optional<Weighted> weightedSum(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse())
    return std::nullopt;
  if (isa<graph::ConvOp, graph::MatMulOp>(op))
    return constantBehind(op->getOperand(1)) ? std::optional(Weighted{op, 1, {}}) : std::nullopt;
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op); reshape && keepsChannels(op)) {
    auto inner = weightedSum(reshape.getInput());
    if (inner && inner->after.size() == 1)
      return inner->after.push_back(op), inner;
  }
  auto reduce = dyn_cast<graph::ReduceOp>(op);
  if (!reduce || reduce.getKind() != graph::ReduceKind::Sum || !keepsChannels(op) || !reduce.getInput().hasOneUse())
    return std::nullopt;
  for (unsigned i : {0u, 1u})
    if (auto product = reduce.getInput().getDefiningOp<graph::BinaryOp>())
      if (product.getKind() == BinaryKind::Mul && constantBehind(product->getOperand(i)))
        return Weighted{product, i, {op}};
  return std::nullopt;
}

Value scaled(OpBuilder &b, Location loc, Value value, Value factor) {
  Exprs ones(graph::rankOf(value), Expr(1));
  ones.back() = graph::shapeOf(factor).back();
  Value wide = reshapeTo(b, loc, factor, ones);
  if (wide.getType() != value.getType())
    wide = graph::BroadcastOp::create(b, loc, value.getType(), wide);
  return graph::BinaryOp::create(b, loc, BinaryKind::Mul, value, wide);
}

Value rebuild(PatternRewriter &rewriter, Operation *product, const Weighted &sum, Value scale) {
  auto loc = fusedLoc(rewriter, {sum.op, product});
  Operation *op = rewriter.clone(*sum.op);
  op->setLoc(loc);
  rewriter.setInsertionPoint(op);
  Value weight = scaled(rewriter, loc, sum.op->getOperand(sum.weight), scale);
  rewriter.modifyOpInPlace(op, [&] { op->setOperand(sum.weight, weight); });
  rewriter.setInsertionPoint(product);
  for (Operation *step : sum.after) {
    Operation *next = rewriter.clone(*step);
    rewriter.modifyOpInPlace(next, [&] { next->setOperand(0, op->getResult(0)); });
    op = next;
  }
  return op->getResult(0);
}

/// (sum(x * w) + bias) * scale = sum(x * (w * scale)) + bias * scale
LogicalResult moveScaleIntoWeights(graph::BinaryOp op, PatternRewriter &rewriter) {
  for (Pair product : operandsOf(op.getResult(), BinaryKind::Mul)) {
    Value scale = channelConstant(product.second);
    if (!scale)
      continue;
    if (auto sum = weightedSum(product.first))
      return rewriter.replaceOp(op, rebuild(rewriter, op, *sum, scale)), success();
    if (!product.first.hasOneUse())
      continue;
    for (Pair biased : operandsOf(product.first, BinaryKind::Add)) {
      Value bias = channelConstant(biased.second);
      auto sum = bias ? weightedSum(biased.first) : std::nullopt;
      if (!sum)
        continue;
      Value value = rebuild(rewriter, op, *sum, scale);
      auto loc = fusedLoc(rewriter, {product.first.getDefiningOp(), op});
      Value shift = scaled(rewriter, loc, bias, scale);
      if (shift.getType() != value.getType())
        shift = graph::BroadcastOp::create(rewriter, loc, value.getType(), shift);
      rewriter.replaceOpWithNewOp<graph::BinaryOp>(op, BinaryKind::Add, value, shift)->setLoc(loc);
      return success();
    }
  }
  return failure();
}

class FoldScales : public impl::FoldScalesBase<FoldScales> {
public:
  void runOnOperation() override {
    if (failed(rewriteAll(getOperation(), "the folding of scales", moveScaleIntoWeights)))
      signalPassFailure();
  }
};

} // namespace
} // namespace cupola
