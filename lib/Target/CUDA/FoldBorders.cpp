//===- lib/Target/CUDA/FoldBorders.cpp - what stands around a tensor is part of its load ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_FOLDBORDERS
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// The load that a choice is about, if the choice is made where its mask holds.
LoadOp maskedLoad(SelectOp select) {
  auto load = select.getLhs().getDefiningOp<LoadOp>();
  auto inside = select.getCondition().getDefiningOp<InRangeOp>();
  const bool isSame = load && inside && load->hasOneUse() && !load.getMask().empty() &&
                      load.getMask() == inside.getExprs() && load.getIndices() == inside.getIndices();
  return isSame ? load : LoadOp();
}

void fold(SelectOp select) {
  auto border = select.getRhs().getDefiningOp<ConstantOp>();
  LoadOp load = border ? maskedLoad(select) : LoadOp();
  if (!load || load.getType() != border.getType())
    return;
  OpBuilder builder(select);
  Value other = ConstantOp::create(builder, border.getLoc(), border.getValue());
  Value folded = LoadOp::create(builder, load.getLoc(), load.getType(), load.getView(), load.getPosition(),
                                load.getMask(), load.getIndices(), other);
  auto inside = select.getCondition().getDefiningOp<InRangeOp>();
  select.replaceAllUsesWith(folded);
  select.erase();
  load.erase();
  if (inside->use_empty())
    inside.erase();
}

struct FoldBorders : cuda::impl::FoldBordersBase<FoldBorders> {
  void runOnOperation() override {
    getOperation().walk([](SelectOp select) { fold(select); });
  }
};

} // namespace
