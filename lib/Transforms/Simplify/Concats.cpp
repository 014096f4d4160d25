//===- lib/Transforms/Simplify/Concats.cpp - concats of fewer parts ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Every part of a concat is a test for each element that is read through it, and a constant
// that is no splat a buffer, too.

#include "dialects/Graph/Constants.h"
#include "lib/Transforms/Constants.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Simplify/Patterns.h"

#include <cstring>

using namespace mlir;

namespace cupola::simplification {
namespace {
using namespace cupola::match;

struct DropSingleConcat : OpRewritePattern<graph::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::ConcatOp op, PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 1)
      return failure();
    rewriter.replaceOp(op, op.getInputs().front());
    return success();
  }
};

/// A weight that is one value all over, as exporters write blocks of zeros, is a splat here.
struct SplatParts : OpRewritePattern<graph::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::ConcatOp op, PatternRewriter &rewriter) const override {
    bool changed = false;
    for (OpOperand &part : op->getOpOperands()) {
      auto constant = part.get().getDefiningOp<graph::ConstantOp>();
      ElementsAttr values = constant ? splatOfBytes(constant.getValue()) : ElementsAttr();
      if (!values)
        continue;
      rewriter.setInsertionPoint(constant);
      Value splat = graph::ConstantOp::create(rewriter, constant.getLoc(), values);
      rewriter.modifyOpInPlace(op, [&] { part.set(splat); });
      changed = true;
    }
    return success(changed);
  }

private:
  static ElementsAttr splatOfBytes(ElementsAttr value) {
    const ArrayRef<char> bytes = bytesOf(value);
    const size_t size = graph::byteSize(value.getElementType());
    if (bytes.size() <= size || std::memcmp(bytes.data(), bytes.data() + size, bytes.size() - size) != 0)
      return {};
    return graph::constantOf(cast<RankedTensorType>(value.getType()), bytes.take_front(size), nullptr);
  }
};

Attribute splatOf(graph::ConstantOp constant) {
  auto values = dyn_cast<DenseElementsAttr>(constant.getValue());
  return values && values.isSplat() ? values.getSplatValue<Attribute>() : Attribute();
}

/// Constants side by side: equal splats are one, all others that nothing else reads a concat of
/// their own, which fold-constants computes.
struct MergeConstantParts : OpRewritePattern<graph::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::ConcatOp op, PatternRewriter &rewriter) const override {
    SmallVector<SmallVector<Value>> runs;
    for (Value part : op.getInputs())
      if (!runs.empty() && areOne(runs.back().back(), part))
        runs.back().push_back(part);
      else
        runs.push_back({part});
    const bool isFoldable = runs.size() == 1 && !splatOf(runs[0][0].getDefiningOp<graph::ConstantOp>());
    if (runs.size() == op.getInputs().size() || isFoldable)
      return failure();
    const auto parts = llvm::map_to_vector(runs, [&](ArrayRef<Value> run) { return merged(rewriter, op, run); });
    rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(parts); });
    return success();
  }

private:
  static bool areOne(Value a, Value b) {
    auto first = a.getDefiningOp<graph::ConstantOp>(), second = b.getDefiningOp<graph::ConstantOp>();
    if (!first || !second || splatOf(first) != splatOf(second))
      return false;
    return splatOf(first) || (a.hasOneUse() && b.hasOneUse());
  }

  static Value merged(PatternRewriter &rewriter, graph::ConcatOp op, ArrayRef<Value> run) {
    if (run.size() == 1)
      return run.front();
    const Location loc = fusedLoc(rewriter, llvm::map_to_vector(run, [](Value part) { return part.getDefiningOp(); }));
    const Attribute element = splatOf(run.front().getDefiningOp<graph::ConstantOp>());
    if (!element)
      return graph::ConcatOp::create(rewriter, rewriter.getFusedLoc({loc, op.getLoc()}), run, op.getAxis());
    graph::Exprs shape = graph::shapeOf(run.front());
    for (Value part : run.drop_front())
      shape[op.getAxis()] += graph::extentOf(part, op.getAxis());
    return splat(rewriter, loc, element, graph::tensorType(shape, graph::elementOf(run.front())));
  }
};

} // namespace

void addConcatPatterns(RewritePatternSet &patterns) {
  patterns.add<DropSingleConcat, SplatParts>(patterns.getContext(), /*benefit=*/3);
  patterns.add<MergeConstantParts>(patterns.getContext());
}

} // namespace cupola::simplification
