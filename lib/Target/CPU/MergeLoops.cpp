//===- lib/Target/CPU/MergeLoops.cpp - loops that move through memory as one ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Not of products, whose loops are rows and columns.

#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Target/CPU/Passes.h"
#include "lib/Target/CollapseLoops.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

#define GEN_PASS_DEF_MERGELOOPS
#include "lib/Target/CPU/Passes.h.inc"

void mergeLoops(FuncOp func) {
  Variables vars(func);
  if (func.walk([](DotOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return;
  func.walk([&](Operation *op) {
    if (isa<ForeachOp, kernel::ReduceOp>(op))
      collapseLoops(op, vars);
  });
}

namespace {

struct MergeLoops : impl::MergeLoopsBase<MergeLoops> {
  void runOnOperation() override { mergeLoops(getOperation()); }
};

} // namespace
} // namespace cupola::cpu
