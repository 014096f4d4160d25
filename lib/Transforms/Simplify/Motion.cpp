//===- lib/Transforms/Simplify/Motion.cpp - ops move to where they fuse ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Everything moves one way: views down, arithmetic up. So the rewriting ends.

#include "lib/Transforms/Match.h"
#include "lib/Transforms/Simplify/Patterns.h"

#include "mlir/IR/IRMapping.h"

#include <cmath>

using namespace mlir;

namespace cupola::simplification {
namespace {
using namespace cupola::match;
using graph::Exprs;

/// A reshape that splits the first dimension of a matrix-like tensor and leaves the
/// others: [m, rest..] -> [b.., rest..]. The number of dimensions it adds, or none.
std::optional<int64_t> splitsRows(graph::ReshapeOp op) {
  Exprs from = graph::shapeOf(op.getInput()), to = graph::shapeOf(op.getResult());
  if (from.empty() || to.size() <= from.size())
    return std::nullopt;
  if (ArrayRef(from).drop_front() != ArrayRef(to).take_back(from.size() - 1))
    return std::nullopt;
  return to.size() - from.size();
}

/// Rebuilds `op` with other operands, which have the shape `shape`.
Value rebuild(PatternRewriter &rewriter, Operation *op, ValueRange operands, ArrayRef<Expr> shape) {
  auto type = graph::tensorType(shape, graph::elementOf(op->getResult(0)));
  OperationState state(op->getLoc(), op->getName(), operands, TypeRange(type), op->getAttrs());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return rewriter.create(state)->getResult(0);
}

/// A splat of the same number in another shape.
Value resizedSplat(PatternRewriter &rewriter, Location loc, Value value, ArrayRef<Expr> shape) {
  return splat(rewriter, loc, *splatOf(value), graph::tensorType(shape, graph::elementOf(value)));
}

/// Pointwise ops on nothing but one reshape or transpose (and splats) move before it:
/// a scale after the split into heads joins the epilogue of the contraction.
struct PointwiseBeforeView : RewritePattern {
  explicit PointwiseBeforeView(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isPointwise(op))
      return failure();
    Value viewed;
    for (Value operand : op->getOperands()) {
      if (splatOf(operand) || operand == viewed)
        continue;
      if (viewed || !isBijectiveView(operand.getDefiningOp()))
        return failure();
      viewed = operand;
    }
    if (!viewed)
      return failure();
    Operation *view = viewed.getDefiningOp();
    Value input = view->getOperand(0);
    Exprs shape = graph::shapeOf(input);
    const auto operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) {
      return operand == viewed ? input : resizedSplat(rewriter, op->getLoc(), operand, shape);
    });
    IRMapping map;
    map.map(input, rebuild(rewriter, op, operands, shape));
    Operation *moved = rewriter.clone(*view, map);
    rewriter.modifyOpInPlace(moved, [&] { moved->getResult(0).setType(op->getResult(0).getType()); });
    rewriter.replaceOp(op, moved->getResults());
    return success();
  }
};

/// Pointwise ops on rows that were split move before the split; the other operands are
/// flattened. So what follows a contraction of flattened rows stays in its epilogue.
struct PointwiseBeforeSplit : RewritePattern {
  explicit PointwiseBeforeSplit(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isPointwise(op))
      return failure();
    graph::ReshapeOp split;
    for (Value operand : op->getOperands())
      if (auto reshape = operand.getDefiningOp<graph::ReshapeOp>();
          reshape && !split && !splatOf(operand) && splitsRows(reshape))
        split = reshape;
    if (!split)
      return failure();
    Exprs shape = graph::shapeOf(split.getInput());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (operand == split.getResult())
        operands.push_back(split.getInput());
      else if (splatOf(operand))
        operands.push_back(resizedSplat(rewriter, op->getLoc(), operand, shape));
      else
        operands.push_back(reshapeTo(rewriter, op->getLoc(), operand, shape));
    }
    Value moved = rebuild(rewriter, op, operands, shape);
    rewriter.replaceOp(op, graph::ReshapeOp::create(rewriter, split.getLoc(), op->getResult(0).getType(), moved));
    return success();
  }
};

/// reshape(broadcast(y)) that joins the first dimensions is a broadcast of y with its
/// own first dimensions joined, where they are all repeated or none is.
LogicalResult flattenBeforeBroadcast(graph::ReshapeOp op, PatternRewriter &rewriter) {
  auto broadcast = op.getInput().getDefiningOp<graph::BroadcastOp>();
  if (!broadcast)
    return failure();
  Exprs wide = graph::shapeOf(op.getInput()), flat = graph::shapeOf(op.getResult());
  Exprs source = graph::shapeOf(broadcast.getInput());
  if (flat.empty() || wide.size() <= flat.size() ||
      ArrayRef(flat).drop_front() != ArrayRef(wide).take_back(flat.size() - 1))
    return failure();
  size_t rows = wide.size() - flat.size() + 1;
  ArrayRef<Expr> sourceRows = ArrayRef(source).take_front(rows);
  bool repeated = llvm::all_of(sourceRows, [](const Expr &e) { return e.isConstant(1); });
  if (!repeated && sourceRows != ArrayRef(wide).take_front(rows))
    return failure();
  Exprs shape{repeated ? Expr(1) : flat.front()};
  shape.append(source.begin() + rows, source.end());
  Value flattened = reshapeTo(rewriter, op.getLoc(), broadcast.getInput(), shape);
  auto loc = fusedLoc(rewriter, {broadcast, op});
  rewriter.replaceOp(op, graph::BroadcastOp::create(rewriter, loc, op.getType(), flattened));
  return success();
}

SmallVector<int64_t> rowAxes(graph::LayerNormOp op) { return SmallVector<int64_t>(op.getAxes()); }
SmallVector<int64_t> rowAxes(graph::SoftmaxOp op) { return {static_cast<int64_t>(op.getAxis())}; }
void setRowAxes(graph::LayerNormOp op, ArrayRef<int64_t> axes) { op.setAxes(axes); }
void setRowAxes(graph::SoftmaxOp op, ArrayRef<int64_t> axes) { op.setAxis(axes.front()); }

/// Row ops on rows that were split move before the split.
template <class Op> LogicalResult moveRowOpBeforeSplit(Op op, PatternRewriter &rewriter) {
  auto split = op.getInput().template getDefiningOp<graph::ReshapeOp>();
  std::optional<int64_t> added = split ? splitsRows(split) : std::nullopt;
  SmallVector<int64_t> axes = rowAxes(op);
  if (!added || axes.front() <= *added)
    return failure();
  Value input = split.getInput();
  Value moved = rebuild(rewriter, op, input, graph::shapeOf(input));
  for (int64_t &axis : axes)
    axis -= *added;
  rewriter.modifyOpInPlace(moved.getDefiningOp(), [&] { setRowAxes(moved.getDefiningOp<Op>(), axes); });
  rewriter.replaceOp(op, graph::ReshapeOp::create(rewriter, split.getLoc(), op.getType(), moved));
  return success();
}

Operation *factorOp(Value value) {
  while (Value input = viewInput(value.getDefiningOp()))
    value = input;
  return value.getDefiningOp();
}

/// The scaled value behind views that nothing else reads.
std::optional<Scaled> factorOf(Value value, SmallVectorImpl<Operation *> &views) {
  while (value.hasOneUse()) {
    if (auto scaled = scaledBy(value))
      return scaled;
    Value input = viewInput(value.getDefiningOp());
    if (!input)
      return std::nullopt;
    views.push_back(value.getDefiningOp());
    value = input;
  }
  return std::nullopt;
}

bool isHarmless(Type element, double number) {
  double size = std::abs(number);
  if (element.isF32() || element.isF64())
    return size > 1e-10 && size < 1e10;
  int exponent;
  return std::frexp(size, &exponent) == 0.5 && size > 1e-3 && size < 1e3;
}

/// matmul(a * c, b) = matmul(a, b) * c: the factor joins the epilogue. In f32 and f64
/// this changes rounding only; narrower types take powers of two.
LogicalResult moveFactorBehindMatMul(graph::MatMulOp op, PatternRewriter &rewriter) {
  for (unsigned side : {0u, 1u}) {
    SmallVector<Operation *> views;
    std::optional<Scaled> scaled = factorOf(op->getOperand(side), views);
    if (!scaled || graph::elementOf(op.getLhs()) != graph::elementOf(op.getResult()) ||
        !isHarmless(graph::elementOf(op.getResult()), scaled->number))
      continue;
    Value operand = scaled->x;
    for (Operation *view : llvm::reverse(views)) {
      IRMapping map;
      map.map(view->getOperand(0), operand);
      operand = rewriter.clone(*view, map)->getResult(0);
    }
    Location factorLoc = factorOp(op->getOperand(side))->getLoc();
    Value product = graph::MatMulOp::create(rewriter, op.getLoc(), side == 0 ? operand : op.getLhs(),
                                            side == 1 ? operand : op.getRhs(), op.getTf32Attr(), op.getInt8RowsAttr());
    Value factor = splat(rewriter, factorLoc, scaled->number, graph::typeOf(op.getResult()));
    rewriter.replaceOp(op, graph::BinaryOp::create(rewriter, factorLoc, graph::BinaryKind::Mul, product, factor));
    return success();
  }
  return failure();
}

} // namespace

void addMotionPatterns(RewritePatternSet &patterns) {
  patterns.add<PointwiseBeforeView, PointwiseBeforeSplit>(patterns.getContext());
  addPatterns(patterns, /*benefit=*/1, flattenBeforeBroadcast, moveRowOpBeforeSplit<graph::LayerNormOp>,
              moveRowOpBeforeSplit<graph::SoftmaxOp>);
  patterns.add(moveFactorBehindMatMul, /*benefit=*/2);
}

} // namespace cupola::simplification
