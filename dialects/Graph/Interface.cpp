//===- dialects/Graph/Interface.cpp - inputs as the model declares them ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Interface.h"

#include "dialects/Graph/Graph.h"

using namespace mlir;

namespace cupola::graph {

/// `named` may be null.
static format::DType dtypeOf(StringAttr named, Type tensor) {
  const format::ElementType *row = nullptr;
  if (named)
    row = format::findElementType([&](const format::ElementType &type) { return named.getValue() == type.name; });
  return row ? row->dtype : graph::dtypeOf(cast<RankedTensorType>(tensor).getElementType());
}

format::DType declaredDtype(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return dtypeOf(function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), elementAttr), argument.getType());
}

format::DType declaredDtype(func::FuncOp function, unsigned result) {
  return dtypeOf(function.getResultAttrOfType<StringAttr>(result, elementAttr), function.getResultTypes()[result]);
}

Exprs declaredShapeOf(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto declared = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), "graph.dims");
  return declared ? exprsOf(declared) : shapeOf(argument);
}

} // namespace cupola::graph
