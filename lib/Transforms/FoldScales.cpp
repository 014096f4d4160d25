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

/// A constant that varies along one dimension of the value that it has been broadcast to.
struct ChannelConstant {
  Value value;
  size_t dim = 0;
};

/// Nothing for anything else, and for one number everywhere, which costs nothing in an epilogue.
std::optional<ChannelConstant> channelConstant(Value value) {
  const size_t rank = graph::rankOf(value);
  if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>())
    value = broadcast.getInput();
  const Exprs shape = graph::shapeOf(value);
  auto isLong = [](const Expr &extent) { return !extent.isConstant(1); };
  if (llvm::count_if(shape, isLong) != 1 || !constantBehind(value) || splatOf(value))
    return std::nullopt;
  const size_t dim = llvm::find_if(shape, isLong) - shape.begin();
  return ChannelConstant{value, dim + rank - shape.size()};
}

/// A convolution, a contraction with a weight, or a sum over windows times a weight, and
/// where its weight is an operand.
struct Weighted {
  Operation *op = nullptr;
  unsigned weight = 0;
  size_t columns = 0;                ///< the dimension of the weight that is the channels
  SmallVector<Operation *, 2> after; ///< what leads from it to the value: reduce, reshape
};

/// The dimension that a reshape's dimension `dim` was: it and all in front of it stay, or it and all behind it.
std::optional<size_t> dimBefore(graph::ReshapeOp op, size_t dim) {
  const Exprs in = graph::shapeOf(op.getInput()), out = graph::shapeOf(op.getResult());
  const size_t behind = out.size() - dim;
  if (dim < in.size() && ArrayRef(in).take_front(dim + 1) == ArrayRef(out).take_front(dim + 1))
    return dim;
  if (behind <= in.size() && ArrayRef(in).take_back(behind) == ArrayRef(out).take_back(behind))
    return in.size() - behind;
  return std::nullopt;
}

/// Whose value has its channels in dimension `dim`. Sums of narrower integers are left alone: scales have the type of
/// the sums, which weights do not hold.
std::optional<Weighted> weightedSum(Value value, size_t dim) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse())
    return std::nullopt;
  if (isa<graph::ConvOp, graph::MatMulOp>(op)) {
    auto conv = dyn_cast<graph::ConvOp>(op);
    const size_t last = graph::rankOf(value) - 1, channels = conv ? conv.dims().channels : last;
    if (dim != channels || !constantBehind(op->getOperand(1)) ||
        graph::elementOf(op->getOperand(1)) != graph::elementOf(value))
      return std::nullopt;
    return Weighted{op, 1, conv ? static_cast<size_t>(conv.dims().columns) : last, {}};
  }
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op))
    if (const std::optional<size_t> before = dimBefore(reshape, dim)) {
      auto inner = weightedSum(reshape.getInput(), *before);
      if (inner && inner->after.size() == 1)
        return inner->after.push_back(op), inner;
    }
  auto reduce = dyn_cast<graph::ReduceOp>(op);
  if (!reduce || reduce.getKind() != graph::ReduceKind::Sum || llvm::is_contained(reduce.getAxes(), int64_t(dim)) ||
      !reduce.getInput().hasOneUse())
    return std::nullopt;
  for (unsigned i : {0u, 1u})
    if (auto product = reduce.getInput().getDefiningOp<graph::BinaryOp>())
      if (product.getKind() == BinaryKind::Mul && constantBehind(product->getOperand(i)))
        return Weighted{product, i, dim, {op}};
  return std::nullopt;
}

/// `value` times the factors along its dimension `dim`.
Value scaled(OpBuilder &b, Location loc, Value value, size_t dim, Value factor) {
  Exprs ones(graph::rankOf(value), Expr(1));
  ones[dim] = graph::elementCount(factor);
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
  Value weight = scaled(rewriter, loc, sum.op->getOperand(sum.weight), sum.columns, scale);
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
    const auto scale = channelConstant(product.second);
    if (!scale)
      continue;
    if (auto sum = weightedSum(product.first, scale->dim))
      return rewriter.replaceOp(op, rebuild(rewriter, op, *sum, scale->value)), success();
    if (!product.first.hasOneUse())
      continue;
    for (Pair biased : operandsOf(product.first, BinaryKind::Add)) {
      const auto bias = channelConstant(biased.second);
      if (!bias || bias->dim != scale->dim)
        continue;
      auto sum = weightedSum(biased.first, scale->dim);
      if (!sum)
        continue;
      Value value = rebuild(rewriter, op, *sum, scale->value);
      auto loc = fusedLoc(rewriter, {product.first.getDefiningOp(), op});
      const size_t dim = graph::rankOf(bias->value) - (graph::rankOf(value) - bias->dim);
      Value shift = scaled(rewriter, loc, bias->value, dim, scale->value);
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
