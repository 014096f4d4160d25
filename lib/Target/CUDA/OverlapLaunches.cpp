//===- lib/Target/CUDA/OverlapLaunches.cpp - kernels that begin before the one before them ends ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::simt;

namespace cupola::cuda {
#define GEN_PASS_DEF_OVERLAPLAUNCHES
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// Whether the schedule did it in a better place.
bool waits(simt::FuncOp func) {
  return func.walk([](GridWaitOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Arithmetic, and memory of the block's or the thread's own.
bool touchesNothing(Operation &op) {
  return op.getNumRegions() == 0 && (isMemoryEffectFree(&op) || isa<SmemOp, RegistersOp>(op));
}

/// Every thread waits, also one that has nothing to do: a kernel that has ended then says so of all that came before.
struct OverlapLaunches : cuda::impl::OverlapLaunchesBase<OverlapLaunches> {
  void runOnOperation() override {
    simt::FuncOp func = getOperation();
    if (waits(func))
      return;
    Block &body = func.getBody().front();
    OpBuilder builder(&body, llvm::find_if_not(body, touchesNothing));
    GridWaitOp::create(builder, func.getLoc());
    GridReleaseOp::create(builder, func.getLoc());
  }
};

} // namespace
