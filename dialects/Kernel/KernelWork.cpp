//===- dialects/Kernel/KernelWork.cpp - how much a kernel computes ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Kernel/Kernel.h"

using namespace mlir;

namespace cupola::kernel {

static Expr operationsIn(Block &body) {
  Expr total = 0;
  for (Operation &op : body) {
    Expr once = isa<UnaryOp, BinaryOp>(op) ? 1 : isa<DotOp>(op) ? 2 : isa<ReduceOp>(op) ? op.getNumResults() : 0;
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
