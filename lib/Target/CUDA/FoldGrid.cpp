//===- lib/Target/CUDA/FoldGrid.cpp - a grid of loops is one loop ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_FOLDGRID
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// Every grid point only runs loops that share nothing but constants.
bool isOnlyLoops(FuncOp func) {
  bool any = false;
  for (Operation &op : func.getBody().front()) {
    any |= isa<ForeachOp>(op);
    if (!isa<ForeachOp, kernel::ConstantOp>(op))
      return false;
  }
  return any;
}

ArrayAttr prepended(ArrayAttr front, ArrayAttr back) {
  SmallVector<Attribute> all(front.begin(), front.end());
  all.append(back.begin(), back.end());
  return ArrayAttr::get(front.getContext(), all);
}

struct FoldGrid : cuda::impl::FoldGridBase<FoldGrid> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.getGrid().empty() || !isOnlyLoops(func))
      return;
    ArrayAttr extents = func.getGrid();
    for (auto loop : func.getBody().getOps<ForeachOp>()) {
      loop.setExtentsAttr(prepended(extents, loop.getExtents()));
      for (auto [i, index] : llvm::enumerate(func.getPoint())) {
        Value own = loop.getBody().insertArgument(i, index.getType(), index.getLoc());
        index.replaceUsesWithIf(own, [&](OpOperand &use) { return loop->isProperAncestor(use.getOwner()); });
      }
    }
    func.getBody().front().eraseArguments(func.getViews().size(), func.getGrid().size());
    func.setGridAttr(ArrayAttr::get(func.getContext(), {}));
  }
};

} // namespace
