//===- lib/Target/CPU/MergeLoops.cpp - loops that move through memory as one ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Of pointwise kernels alone: the loops of others are the rows and columns of what they reduce or multiply.

#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Target/CPU/KernelPlan.h"
#include "lib/Target/CPU/Passes.h"
#include "lib/Target/CollapseLoops.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

#define GEN_PASS_DEF_MERGELOOPS
#include "lib/Target/CPU/Passes.h.inc"

void mergeLoops(FuncOp func) {
  Variables vars(func);
  if (ForeachOp loop = onlyForeach(func))
    collapseLoops(loop, vars);
}

namespace {

struct MergeLoops : impl::MergeLoopsBase<MergeLoops> {
  void runOnOperation() override { mergeLoops(getOperation()); }
};

} // namespace
} // namespace cupola::cpu
