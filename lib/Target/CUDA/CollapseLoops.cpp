//===- lib/Target/CUDA/CollapseLoops.cpp - merge the variables of all loops ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CollapseLoops.h"
#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_COLLAPSELOOPS
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

struct CollapseLoops : cuda::impl::CollapseLoopsBase<CollapseLoops> {
  void runOnOperation() override {
    Variables vars(getOperation());
    getOperation()->walk([&](Operation *op) {
      if (isa<ForeachOp, kernel::ReduceOp>(op))
        collapseLoops(op, vars);
    });
  }
};

} // namespace
