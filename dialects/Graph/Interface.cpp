//===- dialects/Graph/Interface.cpp - inputs as the model declares them ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cupola::graph {

Exprs declaredShapeOf(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto declared = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), "graph.dims");
  return declared ? exprsOf(declared) : shapeOf(argument);
}

} // namespace cupola::graph
