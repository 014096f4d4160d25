//===- lib/Compiler/InputTensor.cpp - what a package says of a value that is handed in ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/InputTensor.h"

#include "dialects/Graph/ElementTypes.h"
#include "dialects/Graph/Graph.h"

using namespace mlir;

namespace cupola::compiler {

/// The smallest extent that elements of `value` select from; 0 if they select nothing.
static int64_t indexedExtent(Value value) {
  int64_t smallest = 0;
  auto consider = [&](int64_t extent) {
    if (extent > 0 && (smallest == 0 || extent < smallest))
      smallest = extent;
  };
  for (OpOperand &use : value.getUses()) {
    Operation *op = use.getOwner();
    if (auto gather = dyn_cast<graph::GatherOp>(op)) {
      if (use.getOperandNumber() == 1)
        consider(graph::extentOf(gather.getData(), gather.getAxis()).constant().value_or(0));
    } else if (auto fusion = dyn_cast<graph::FusionOp>(op)) {
      consider(indexedExtent(fusion.getBody().getArgument(use.getOperandNumber())));
    } else if (auto classed = dyn_cast<graph::ClassInterface>(op);
               classed && (classed.getFusionClass() == graph::FusionClass::View || isa<graph::CastOp>(op))) {
      consider(indexedExtent(op->getResult(0)));
    }
  }
  return smallest;
}

format::Tensor inputTensor(Value value) {
  format::Tensor tensor;
  tensor.dtype = graph::dtypeOf(graph::elementOf(value));
  if (!isa<FloatType>(graph::elementOf(value))) {
    tensor.indexedExtent = indexedExtent(value);
    tensor.mask = tensor.indexedExtent == 0;
  }
  return tensor;
}

} // namespace cupola::compiler
