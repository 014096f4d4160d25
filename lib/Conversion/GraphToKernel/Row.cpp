//===- lib/Conversion/GraphToKernel/Row.cpp - the row of a row reduction ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;

namespace cupola {

std::function<graph::Exprs(ArrayRef<Expr>)> gridOfRows(Emitter &emitter, Value input, ArrayRef<int64_t> axes,
                                                       graph::Exprs &columns) {
  graph::Exprs rows;
  for (auto [i, extent] : llvm::enumerate(graph::shapeOf(input))) {
    bool isColumn = llvm::is_contained(axes, static_cast<int64_t>(i));
    rows.push_back(isColumn ? Expr(0) : emitter.addGrid(extent));
    if (isColumn)
      columns.push_back(extent);
  }
  emitter.finishGrid();
  return [rows, axes = SmallVector<int64_t>(axes)](ArrayRef<Expr> column) {
    graph::Exprs index = rows;
    for (auto [axis, variable] : llvm::zip_equal(axes, column))
      index[axis] = variable;
    return index;
  };
}

Row::Row(Emitter &emitter, Value input, ArrayRef<Expr> extents, std::function<graph::Exprs(ArrayRef<Expr>)> at)
    : emitter(emitter), input(input), extents(extents), at(std::move(at)), elements(graph::product(extents)) {
  if (!isKept())
    return;
  Emitter::Loop space = loop();
  tile = emitter.map(space, [&]() -> SmallVector<Value> { return {emitter.emit(input, this->at(space.index))}; })[0];
}

bool Row::isKept() const {
  std::optional<int64_t> count = elements.constant();
  return count && *count <= maxRowElements;
}

Value Row::element(ArrayRef<Expr> columns) {
  if (tile) {
    graph::Exprs point;
    for (auto [column, extent] : llvm::zip_equal(columns, extents))
      if (!extent.isConstant(1))
        point.push_back(column);
    return emitter.extract(tile, point);
  }
  Value value = emitter.emit(input, at(columns));
  for (const auto &f : again)
    value = f(value);
  return value;
}

Value Row::reduce(graph::ReduceKind kind, function_ref<Value(Value)> f) {
  Emitter::Loop space = loop();
  return emitter.reduce(space, kind, [&] { return f(element(space)); });
}

void Row::transform(std::function<Value(Value)> f) {
  if (!tile) {
    again.push_back(std::move(f));
    return;
  }
  Emitter::Loop space = loop();
  tile = emitter.map(space, [&]() -> SmallVector<Value> { return {f(element(space))}; })[0];
}

} // namespace cupola
