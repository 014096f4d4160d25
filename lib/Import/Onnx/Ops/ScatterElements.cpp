//===- lib/Import/Onnx/Ops/ScatterElements.cpp - writes along one axis -----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Scatter.h"

using namespace mlir;

namespace cupola::onnx_import {

using namespace scatter;

namespace {

/// Indices and updates may cover only the front of the other dimensions: they get the
/// extents of data, with -1, which matches nothing.
void coverData(OpBinder &op, Value &index, Value &updates, ArrayRef<Expr> shape, int64_t axis) {
  const Exprs given = op.b.shape(updates);
  Exprs low(shape.size(), Expr(0)), high(shape.size(), Expr(0)), repeated = op.b.shape(index);
  bool covered = true;
  for (int64_t i = 0; i < int64_t(shape.size()); ++i) {
    if (i == axis || given[i] == shape[i])
      continue;
    high[i] = shape[i] - given[i];
    repeated[i] = given[i];
    covered = false;
  }
  if (covered)
    return;
  Builder builder(op.b.context());
  index = op.b.pad(op.b.broadcast(index, repeated), low, high, graph::PadMode::Constant, builder.getI64IntegerAttr(-1));
  updates = op.b.pad(updates, low, high, graph::PadMode::Constant,
                     cast<TypedAttr>(builder.getZeroAttr(op.b.element(updates))));
}

/// Elements of `updates` at `source` along `axis`, where `source` may have extents of 1.
Value take(OpBinder &op, Value updates, Value source, ArrayRef<Expr> shape, int64_t axis) {
  const Exprs dims = op.b.shape(source);
  updates = withFirst(op, updates, axis);
  for (int64_t i = 0; i < int64_t(dims.size()); ++i)
    if (i != axis && !dims[i].isConstant(1))
      return op.b.gatherElements(updates, op.b.broadcast(source, shape), axis);
  return op.b.gather(updates, op.b.reshape(source, {dims[axis]}), axis);
}

} // namespace

void importScatterElements(OpBinder &op) {
  requireOperands(op);
  const Exprs shape = op.shape(0, "data"), given = op.shape(1, "indices");
  const auto kind = readReduction(op);
  const int64_t axis = op.axis(op.intAttribute("axis", 0), static_cast<int64_t>(shape.size()));
  if (given.size() != shape.size())
    op.bad("data and indices have shapes " + shapeText(shape) + " and " + shapeText(given) + ", expected one rank");
  if (!kind)
    if (auto known = scatterKnown(op))
      return op.result(std::move(*known), op.element(0, "data"));
  op.b.sameShapeHere(given, op.shape(2, "updates"), "shapes of indices and updates");
  Value data = op.value(0, "data"), updates = op.b.reshape(op.value(2, "updates"), given);
  if (graph::product(given).isConstant(0))
    return op.result(data);
  Value index = fromFront(op, unrepeated(op, op.value(1, "indices")), shape[axis]);
  coverData(op, index, updates, shape, axis);
  Exprs rows = op.b.shape(index); // the updates themselves are not repeated
  rows[axis] = op.b.shape(updates)[axis];
  index = op.b.broadcast(index, rows);
  if (kind)
    return op.result(reduceInto(op, *kind, data, index, updates, axis, shape[axis]));
  Value last = lastOfConstant(op, shape, axis);
  if (!last)
    last = lastMatch(op, index, axis, shape[axis]);
  Value found = op.b.broadcast(isFound(op, last), shape);
  op.result(op.b.select(found, take(op, updates, orFirst(op, last), shape, axis), data));
}

} // namespace cupola::onnx_import
