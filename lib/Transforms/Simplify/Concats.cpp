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

LogicalResult dropSingleConcat(graph::ConcatOp op, PatternRewriter &rewriter) {
  if (op.getInputs().size() != 1)
    return failure();
  rewriter.replaceOp(op, op.getInputs().front());
  return success();
}

ElementsAttr splatOfBytes(ElementsAttr value) {
  const ArrayRef<char> bytes = bytesOf(value);
  const size_t size = graph::byteSize(value.getElementType());
  if (bytes.size() <= size || std::memcmp(bytes.data(), bytes.data() + size, bytes.size() - size) != 0)
    return {};
  return graph::constantOf(cast<RankedTensorType>(value.getType()), bytes.take_front(size), nullptr);
}

/// A weight that is one value all over, as exporters write blocks of zeros, is a splat here.
LogicalResult makeSplatParts(graph::ConcatOp op, PatternRewriter &rewriter) {
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

/// Null where the constant is no splat.
Attribute splatElement(graph::ConstantOp constant) {
  auto values = dyn_cast<DenseElementsAttr>(constant.getValue());
  return values && values.isSplat() ? values.getSplatValue<Attribute>() : Attribute();
}

bool areOne(Value a, Value b) {
  auto first = a.getDefiningOp<graph::ConstantOp>(), second = b.getDefiningOp<graph::ConstantOp>();
  if (!first || !second || splatElement(first) != splatElement(second))
    return false;
  return splatElement(first) || (a.hasOneUse() && b.hasOneUse());
}

Value merged(PatternRewriter &rewriter, graph::ConcatOp op, ArrayRef<Value> run) {
  if (run.size() == 1)
    return run.front();
  const Location loc = fusedLoc(rewriter, llvm::map_to_vector(run, [](Value part) { return part.getDefiningOp(); }));
  const Attribute element = splatElement(run.front().getDefiningOp<graph::ConstantOp>());
  if (!element)
    return graph::ConcatOp::create(rewriter, rewriter.getFusedLoc({loc, op.getLoc()}), run, op.getAxis());
  graph::Exprs shape = graph::shapeOf(run.front());
  for (Value part : run.drop_front())
    shape[op.getAxis()] += graph::extentOf(part, op.getAxis());
  return splat(rewriter, loc, element, graph::tensorType(shape, graph::elementOf(run.front())));
}

/// Constants side by side: equal splats are one, all others that nothing else reads a concat of
/// their own, which fold-constants computes.
LogicalResult mergeConstantParts(graph::ConcatOp op, PatternRewriter &rewriter) {
  SmallVector<SmallVector<Value>> runs;
  for (Value part : op.getInputs())
    if (!runs.empty() && areOne(runs.back().back(), part))
      runs.back().push_back(part);
    else
      runs.push_back({part});
  if (runs.size() == op.getInputs().size())
    return failure();
  if (runs.size() == 1 && !splatElement(runs[0][0].getDefiningOp<graph::ConstantOp>()))
    return failure(); // fold-constants takes it as it is
  const auto parts = llvm::map_to_vector(runs, [&](ArrayRef<Value> run) { return merged(rewriter, op, run); });
  rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(parts); });
  return success();
}

} // namespace

void addConcatPatterns(RewritePatternSet &patterns) {
  addPatterns(patterns, /*benefit=*/3, dropSingleConcat, makeSplatParts);
  patterns.add(mergeConstantParts);
}

} // namespace cupola::simplification
