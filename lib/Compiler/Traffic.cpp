//===- lib/Compiler/Traffic.cpp - the least that a kernel has to move ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/Traffic.h"

#include "lib/Reference/Tensor.h"

using namespace mlir;

namespace cupola::compiler {

namespace {

Expr bytesPerElement(Value tensor) { return Expr(graph::byteSize(graph::elementOf(tensor))); }

Expr elementsRead(Value value);

/// How many elements of its operand `use` an op needs.
Expr elementsRead(OpOperand &use) {
  Operation *op = use.getOwner();
  const Expr all = graph::elementCount(use.get());
  // These hand on the demand of their own readers.
  if (isa<graph::ReshapeOp, graph::TransposeOp, graph::SliceOp>(op))
    return min(all, elementsRead(op->getResult(0)));
  const bool isData = use.getOperandNumber() == 0;
  if (isData && isa<graph::GatherOp, graph::GatherElementsOp, graph::GatherNDOp>(op))
    return min(all, elementsRead(op->getResult(0)));
  return all;
}

/// Of a value with several readers: as if they had nothing in common, but never more
/// than there is.
Expr elementsRead(Value value) {
  const Expr all = graph::elementCount(value);
  Expr sum(0);
  for (OpOperand &use : value.getUses()) {
    const Expr part = elementsRead(use);
    if (part == all)
      return all;
    sum = sum + part;
  }
  return min(all, sum);
}

} // namespace

Expr compulsoryBytes(graph::FusionOp fusion) {
  Expr bytes(0);
  for (BlockArgument argument : fusion.getBody().getArguments())
    bytes = bytes + elementsRead(argument) * bytesPerElement(argument);
  for (Value result : fusion.getResults())
    bytes = bytes + graph::elementCount(result) * bytesPerElement(result);
  return simplify(bytes, graph::symbolRanges(fusion->getParentOfType<ModuleOp>()));
}

} // namespace cupola::compiler
