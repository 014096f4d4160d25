//===- lib/Target/CUDA/PlainLoad.cpp - operands that are nothing but a load ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/OperandCopies.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cuda {

static bool isZero(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (auto integer = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr())
    return integer.getValue().isZero();
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  return number && number.getValue().isPosZero();
}

/// Bytes on the left may have another border than zeros, as the right operand has zeros where no matrix is.
static bool isFill(Value value, Block &operand) {
  const bool isLeft = isa<DotOp>(operand.getParentOp()) && operand.getParent()->getRegionNumber() == 0;
  const bool isByte = value.getType().isInteger(8) && value.getDefiningOp<ConstantOp>();
  return isZero(value) || (isLeft && isByte);
}

bool hasZerosAround(LoadOp load) { return !load.getOther() || isZero(load.getOther()); }

LoadOp plainLoad(Block &operand) {
  Value value = operand.getTerminator()->getOperand(0);
  Type type = value.getType();
  while (auto cast = value.getDefiningOp<CastOp>()) {
    value = cast.getInput();
    // Through a wider float and back is the value itself.
    auto through = dyn_cast<FloatType>(value.getType());
    if (!through || through.getWidth() < type.getIntOrFloatBitWidth())
      return {};
  }
  auto load = value.getDefiningOp<LoadOp>();
  bool plain = load && load.getType() == type && !isIndirect(load.getIndices()) &&
               (!load.getOther() || isFill(load.getOther(), operand)) && load->getBlock() == &operand;
  return plain ? load : LoadOp();
}

} // namespace cupola::cuda
