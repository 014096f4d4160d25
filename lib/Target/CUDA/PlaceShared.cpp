//===- lib/Target/CUDA/PlaceShared.cpp - offsets in shared memory ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::simt;

namespace cupola::cuda {
#define GEN_PASS_DEF_PLACESHARED
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

struct PlaceShared : cuda::impl::PlaceSharedBase<PlaceShared> {
  void runOnOperation() override {
    int64_t end = 0;
    Builder builder(&getContext());
    getOperation()->walk([&](SmemOp op) {
      SmemType type = op.getSmem().getType();
      if (op.getOver())
        return op.setOffsetAttr(op.getOver().getDefiningOp<SmemOp>().getOffsetAttr());
      end = llvm::alignTo(end, type.getAlignment());
      op.setOffsetAttr(builder.getI64IntegerAttr(end));
      end += llvm::alignTo(type.getCount() * graph::byteSize(type.getElement()), 16);
    });
  }
};

} // namespace
