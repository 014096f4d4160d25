//===- lib/Target/CUDA/OverlapLaunches.cpp - kernels that begin before the one before them ends ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/CudaDialect.h"
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

/// Arithmetic, and memory of the block's or the thread's own.
bool touchesNothing(Operation &op) {
  return op.getNumRegions() == 0 && (isMemoryEffectFree(&op) || isa<SmemOp, RegistersOp>(op));
}

/// Asynchronous copies and prefetches, and what says from where to where.
bool onlyCopies(Operation &op, llvm::function_ref<bool(Value view)> from) {
  if (auto copy = dyn_cast<AsyncCopyOp>(op))
    return from(copy.getView());
  if (auto copy = dyn_cast<AsyncPairOp>(op))
    return from(copy.getView());
  if (auto prefetch = dyn_cast<PrefetchOp>(op))
    return from(prefetch.getView());
  return isa<simt::ForOp, GuardOp>(op)
             ? llvm::all_of(op.getRegion(0).front(), [&](Operation &inner) { return onlyCopies(inner, from); })
             : op.getNumRegions() == 0 && isMemoryEffectFree(&op);
}

bool isPrefetch(Operation &op) {
  return op.walk([](PrefetchOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Copies of the first tiles come one after the other, each behind what they have in common; those of weights can begin
/// at once. They belong to the first group of copies then, which is waited for first. What is asked for comes behind
/// them.
void moveWeightsBefore(Operation *wait, Operation *release, simt::FuncOp func) {
  const ArrayRef<int64_t> constants = cuda::constantsOf(func);
  const auto isConstant = [&](Value view) {
    while (auto advance = view.getDefiningOp<AdvanceOp>())
      view = advance.getView();
    auto argument = dyn_cast<BlockArgument>(view);
    return argument && llvm::is_contained(constants, argument.getArgNumber());
  };
  const auto isAny = [](Value) { return true; };
  SmallVector<Operation *> prefetches;
  for (Operation &op :
       llvm::make_early_inc_range(llvm::make_range(std::next(release->getIterator()), wait->getBlock()->end()))) {
    if (touchesNothing(op) || onlyCopies(op, isConstant)) {
      op.moveBefore(wait);
      if (isPrefetch(op))
        prefetches.push_back(&op);
    } else if (!isa<AsyncCommitOp>(op) && !onlyCopies(op, isAny)) {
      break;
    }
  }
  for (Operation *prefetch : prefetches)
    prefetch->moveBefore(wait);
}

/// Every thread waits, also one that has nothing to do: a kernel that has ended then says so of all that came before.
struct OverlapLaunches : cuda::impl::OverlapLaunchesBase<OverlapLaunches> {
  void runOnOperation() override {
    simt::FuncOp func = getOperation();
    if (cuda::waitsForKernels(func) || func.isCooperative()) // the schedule did it in a better place
      return;
    Block &body = func.getBody().front();
    OpBuilder builder(&body, llvm::find_if_not(body, touchesNothing));
    auto wait = GridWaitOp::create(builder, func.getLoc());
    auto release = GridReleaseOp::create(builder, func.getLoc());
    if (!cuda::constantsOf(func).empty())
      moveWeightsBefore(wait, release, func);
  }
};

} // namespace
