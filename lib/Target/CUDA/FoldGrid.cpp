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
    Builder builder(func.getContext());
    SmallVector<Attribute> vars;
    for (size_t i = 0; i < func.getGrid().size(); ++i)
      vars.push_back(builder.getStringAttr("g" + std::to_string(i)));
    ArrayAttr extents = func.getGrid();
    func.setGridAttr(builder.getArrayAttr({}));
    for (auto loop : func.getBody().getOps<ForeachOp>()) {
      loop.setVarsAttr(prepended(builder.getArrayAttr(vars), loop.getVars()));
      loop.setExtentsAttr(prepended(extents, loop.getExtents()));
    }
  }
};

} // namespace
