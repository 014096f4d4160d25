//===- dialects/Graph/Interface.cpp - inputs as the model declares them ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cupola::graph {

format::DType interfaceTypeOf(Type element, DictionaryAttr attributes) {
  const auto name = attributes ? attributes.getAs<StringAttr>(elementAttr) : StringAttr();
  if (!name)
    return dtypeOf(element);
  return format::findElementType([&](const format::ElementType &row) { return name == row.name; })->dtype;
}

Exprs declaredShapeOf(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto declared = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), "graph.dims");
  return declared ? exprsOf(declared) : shapeOf(argument);
}

} // namespace cupola::graph
