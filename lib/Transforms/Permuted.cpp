//===- lib/Transforms/Permuted.cpp - views whose dimensions come in another order ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Permuted.h"

using namespace mlir;

namespace cupola {

SmallVector<int64_t> inverse(ArrayRef<int64_t> perm) {
  SmallVector<int64_t> result(perm.size());
  for (auto [i, dim] : llvm::enumerate(perm))
    result[dim] = i;
  return result;
}

RankedTensorType unpermutedType(Value value, ArrayRef<int64_t> perm) {
  return graph::tensorType(unpermuted<Expr>(graph::shapeOf(value), perm), graph::elementOf(value));
}

Value unpermutedView(OpBuilder &b, Operation *view, ValueRange operands, ArrayRef<int64_t> perm) {
  Operation *copy = b.clone(*view);
  copy->setOperands(operands);
  copy->getResult(0).setType(unpermutedType(view->getResult(0), perm));
  if (auto concat = dyn_cast<graph::ConcatOp>(copy)) {
    concat.setAxis(perm[concat.getAxis()]);
  } else if (auto pad = dyn_cast<graph::PadOp>(copy)) {
    pad.setLowAttr(b.getArrayAttr(unpermuted(pad.getLow().getValue(), perm)));
  } else {
    auto slice = cast<graph::SliceOp>(copy);
    slice.setStartsAttr(b.getArrayAttr(unpermuted(slice.getStarts().getValue(), perm)));
    slice.setSteps(unpermuted(slice.getSteps(), perm));
  }
  return copy->getResult(0);
}

} // namespace cupola
