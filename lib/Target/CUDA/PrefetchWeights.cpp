//===- lib/Target/CUDA/PrefetchWeights.cpp - weights on their way while the kernel before ends ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/CudaDialect.h"
#include "lib/Target/CUDA/Passes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::simt;

namespace cupola::cuda {
#define GEN_PASS_DEF_PREFETCHWEIGHTS
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// Iterations whose weights are asked for: 16 bytes of each thread are 8 KB of a block of 512, for each of them.
constexpr int64_t ahead = 4;

class Prefetcher {
public:
  explicit Prefetcher(simt::FuncOp func)
      : vars(func), constants(cuda::constantsOf(func)), entry(func.getBody().front()),
        start(OpBuilder::atBlockBegin(&entry)) {}

  /// Puts a loop over the first iterations of `loop` where the kernel begins.
  void run(simt::ForOp loop) {
    const auto isOne = [&](Operation &op) { return isOfWeights(op); };
    if (loop.getUnroll() || loop.getRing() || llvm::none_of(loop.getBody().front(), isOne) || !bringOperands(loop))
      return;
    const Expr from = vars.read(loop.getFrom(), loop.getIndices()), to = vars.read(loop.getTo(), loop.getIndices()),
               step = vars.read(loop.getStep(), loop.getIndices());
    Expr bounds[] = {from, min(to, from + step * ahead), step};
    const SmallVector<Value> indices = mapped(vars.write(bounds));
    auto first = simt::ForOp::create(start, loop.getLoc(), bounds[0], bounds[1], bounds[2], indices, /*unroll=*/false);
    Block &body = first.getBody().emplaceBlock();
    brought.map(loop.getIndex(), body.addArgument(start.getIndexType(), loop.getIndex().getLoc()));
    fill(body, loop);
  }

private:
  bool isOfWeights(Operation &op) {
    auto load = dyn_cast<LoadVectorOp>(op);
    auto view = load ? dyn_cast<BlockArgument>(load.getMemory()) : BlockArgument();
    return view && llvm::is_contained(constants, view.getArgNumber()) && isa<kernel::ViewType>(view.getType());
  }

  static bool isPure(Operation &op) { return op.getNumRegions() == 0 && isMemoryEffectFree(&op); }

  SmallVector<Value> mapped(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return brought.lookupOrDefault(value); });
  }

  /// What the loop's bounds and positions are made of, again at the start; false where that has to be loaded.
  bool bringOperands(simt::ForOp loop) {
    bool canBring = llvm::all_of(loop.getIndices(), [&](Value value) { return bring(value); });
    for (Operation &op : loop.getBody().front())
      if (isOfWeights(op))
        canBring &=
            llvm::all_of(cast<LoadVectorOp>(op).getIndices(), [&](Value index) { return bringInto(index, loop); });
    return canBring;
  }

  /// Of a value of the loop's body: what it is made of outside.
  bool bringInto(Value value, simt::ForOp loop) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &loop.getBody().front())
      return value == loop.getIndex() || bring(value);
    return isPure(*op) && llvm::all_of(op->getOperands(), [&](Value operand) { return bringInto(operand, loop); });
  }

  bool bring(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || brought.contains(value))
      return value.getParentBlock() == &entry || brought.contains(value);
    if (op->getBlock() != &entry || !isPure(*op) ||
        !llvm::all_of(op->getOperands(), [&](Value operand) { return bring(operand); }))
      return false;
    start.clone(*op, brought);
    return true;
  }

  void fill(Block &body, simt::ForOp loop) {
    OpBuilder b = OpBuilder::atBlockEnd(&body);
    for (Operation &op : loop.getBody().front())
      if (isOfWeights(op))
        prefetch(b, cast<LoadVectorOp>(op));
      else if (isPure(op) && llvm::all_of(op.getOperands(), [&](Value operand) { return bringInto(operand, loop); }))
        b.clone(op, brought);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  void prefetch(OpBuilder &b, LoadVectorOp load) {
    const SmallVector<Value> indices = mapped(load.getIndices());
    if (load.getMask().empty()) {
      PrefetchOp::create(b, load.getLoc(), load.getMemory(), load.getPositionAttr(), indices);
      return;
    }
    auto guard = GuardOp::create(b, load.getLoc(), load.getMask(), indices);
    OpBuilder inside = OpBuilder::atBlockBegin(&guard.getBody().emplaceBlock());
    PrefetchOp::create(inside, load.getLoc(), load.getMemory(), load.getPositionAttr(), indices);
  }

  kernel::Variables vars;
  ArrayRef<int64_t> constants;
  Block &entry;
  OpBuilder start;
  IRMapping brought; ///< values to those at the start, and in the loop at hand
};

struct PrefetchWeights : cuda::impl::PrefetchWeightsBase<PrefetchWeights> {
  void runOnOperation() override {
    if (cuda::constantsOf(getOperation()).empty())
      return;
    Prefetcher prefetcher(getOperation());
    for (auto loop : llvm::make_early_inc_range(getOperation().getBody().getOps<simt::ForOp>()))
      prefetcher.run(loop);
  }
};

} // namespace
