//===- lib/Transforms/Simplify/Views.cpp - views that cancel or merge ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Match.h"
#include "lib/Transforms/Simplify/Patterns.h"

using namespace mlir;

namespace cupola::simplification {
namespace {
using namespace cupola::match;
using graph::Exprs;

bool isZero(ArrayAttr exprs) {
  return llvm::all_of(graph::exprsOf(exprs), [](const Expr &e) { return e.isConstant(0); });
}

/// The result has the input's type and every element stays in its place.
bool isIdentity(graph::ReshapeOp) { return true; }
bool isIdentity(graph::BroadcastOp) { return true; }
bool isIdentity(graph::CastOp) { return true; }
bool isIdentity(graph::TransposeOp op) {
  for (auto [i, dim] : llvm::enumerate(op.getPerm()))
    if (int64_t(i) != dim)
      return false;
  return true;
}
bool isIdentity(graph::SliceOp op) {
  return isZero(op.getStarts()) && llvm::all_of(op.getSteps(), [](int64_t s) { return s == 1; });
}
bool isIdentity(graph::PadOp op) { return isZero(op.getLow()); }

template <class Op> LogicalResult dropIdentity(Op op, PatternRewriter &rewriter) {
  if (op.getInput().getType() != op.getType() || !isIdentity(op))
    return failure();
  rewriter.replaceOp(op, op.getInput());
  return success();
}

/// reshape(reshape), broadcast(broadcast): the last shape alone decides.
template <class Op> LogicalResult mergeTwo(Op op, PatternRewriter &rewriter) {
  auto inner = op.getInput().template getDefiningOp<Op>();
  if (!inner)
    return failure();
  auto loc = fusedLoc(rewriter, {inner, op});
  rewriter.replaceOp(op, Op::create(rewriter, loc, op.getType(), inner.getInput()));
  return success();
}

LogicalResult mergeTransposes(graph::TransposeOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<graph::TransposeOp>();
  if (!inner)
    return failure();
  const auto perm = llvm::map_to_vector(op.getPerm(), [&](int64_t dim) { return inner.getPerm()[dim]; });
  auto loc = fusedLoc(rewriter, {inner, op});
  rewriter.replaceOp(op, graph::TransposeOp::create(rewriter, loc, inner.getInput(), perm));
  return success();
}

LogicalResult mergeSlices(graph::SliceOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<graph::SliceOp>();
  if (!inner)
    return failure();
  Exprs starts;
  SmallVector<int64_t> steps;
  for (auto [outer, in, outerStep, inStep] : llvm::zip_equal(
           graph::exprsOf(op.getStarts()), graph::exprsOf(inner.getStarts()), op.getSteps(), inner.getSteps())) {
    starts.push_back(in + outer * Expr(inStep));
    steps.push_back(outerStep * inStep);
  }
  auto loc = fusedLoc(rewriter, {inner, op});
  rewriter.replaceOp(op, graph::SliceOp::create(rewriter, loc, op.getType(), inner.getInput(),
                                                graph::exprArray(op.getContext(), starts), steps));
  return success();
}

/// A transpose that only moves dimensions of extent 1 is a reshape.
LogicalResult transposeToReshape(graph::TransposeOp op, PatternRewriter &rewriter) {
  Exprs shape = graph::shapeOf(op.getInput());
  int64_t last = -1;
  for (int64_t dim : op.getPerm()) {
    if (shape[dim].isConstant(1))
      continue;
    if (dim < last)
      return failure();
    last = dim;
  }
  rewriter.replaceOpWithNewOp<graph::ReshapeOp>(op, op.getType(), op.getInput());
  return success();
}

/// A view of a splat constant is a splat constant where its shape is static, else one
/// broadcast of one element.
template <class Op> LogicalResult foldViewOfSplat(Op op, PatternRewriter &rewriter) {
  auto constant = op.getInput().template getDefiningOp<graph::ConstantOp>();
  auto type = cast<RankedTensorType>(op.getType());
  auto values = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!values || !values.isSplat() || !type.hasStaticShape())
    return failure();
  auto loc = fusedLoc(rewriter, {constant, op});
  rewriter.replaceOp(op, graph::ConstantOp::create(rewriter, loc, values.resizeSplat(type)));
  return success();
}

/// reshape and transpose of a broadcast splat: a broadcast of the splat.
template <class Op> LogicalResult foldViewOfBroadcastSplat(Op op, PatternRewriter &rewriter) {
  auto broadcast = op.getInput().template getDefiningOp<graph::BroadcastOp>();
  auto constant = broadcast ? broadcast.getInput().template getDefiningOp<graph::ConstantOp>() : nullptr;
  auto values = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!values || !values.isSplat())
    return failure();
  auto type = cast<RankedTensorType>(op.getType());
  auto ones = graph::tensorType(Exprs(type.getRank(), Expr(1)), type.getElementType());
  auto loc = fusedLoc(rewriter, {constant, broadcast, op});
  Value one = graph::ConstantOp::create(rewriter, loc, values.resizeSplat(ones));
  rewriter.replaceOp(op, graph::BroadcastOp::create(rewriter, loc, type, one));
  return success();
}

} // namespace

void addViewPatterns(RewritePatternSet &patterns) {
  addPatterns(patterns, /*benefit=*/3, dropIdentity<graph::ReshapeOp>, dropIdentity<graph::BroadcastOp>,
              dropIdentity<graph::CastOp>, dropIdentity<graph::TransposeOp>, dropIdentity<graph::SliceOp>,
              dropIdentity<graph::PadOp>);
  addPatterns(patterns, /*benefit=*/2, foldViewOfSplat<graph::ReshapeOp>, foldViewOfSplat<graph::BroadcastOp>,
              foldViewOfSplat<graph::TransposeOp>, foldViewOfSplat<graph::SliceOp>,
              foldViewOfBroadcastSplat<graph::ReshapeOp>, foldViewOfBroadcastSplat<graph::TransposeOp>,
              foldViewOfBroadcastSplat<graph::SliceOp>);
  addPatterns(patterns, /*benefit=*/1, mergeTwo<graph::ReshapeOp>, mergeTwo<graph::BroadcastOp>, mergeTransposes,
              mergeSlices, transposeToReshape);
}

} // namespace cupola::simplification
