//===- dialects/Kernel/KernelWork.cpp - how much a kernel computes ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Kernel/Kernel.h"

using namespace mlir;

namespace cupola::kernel {

static Expr operationsIn(Block &body);

/// An operand's element is needed once, however often it is multiplied. What scales blocks is not counted.
static Expr operationsIn(DotOp dot) {
  const graph::Exprs mnk = graph::exprsOf(dot.getExtents());
  return mnk[0] * mnk[1] * mnk[2] * 2 + operationsIn(dot.getLhs().front()) * mnk[0] * mnk[2] +
         operationsIn(dot.getRhs().front()) * mnk[2] * mnk[1];
}

static Expr operationsIn(Block &body) {
  Expr total = 0;
  for (Operation &op : body) {
    if (auto dot = dyn_cast<DotOp>(op)) {
      total += operationsIn(dot);
      continue;
    }
    Expr once = isa<UnaryOp, BinaryOp, CallOp>(op) ? 1 : isa<ReduceOp>(op) ? op.getNumResults() : 0;
    if (auto loop = dyn_cast<ForOp>(op))
      once = operationsIn(loop.getBody().front()) * loop.getSteps();
    else
      for (Region &region : op.getRegions())
        once += operationsIn(region.front());
    if (auto extents = extentsOf(&op))
      once = once * graph::product(graph::exprsOf(extents));
    total += once;
  }
  return total;
}

Expr operationsOf(FuncOp func) {
  return operationsIn(func.getBody().front()) * graph::product(graph::exprsOf(func.getGrid()));
}

} // namespace cupola::kernel
