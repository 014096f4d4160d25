//===- lib/Target/CUDA/PlainLoad.cpp - operands that are nothing but a load ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/OperandCopies.h"

using namespace mlir;
using namespace cupola;
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

/// That of an operand, or of one of the values that it may be.
static LoadOp plainLoad(Block &operand, Value value) {
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

LoadOp plainLoad(Block &operand) { return plainLoad(operand, operand.getTerminator()->getOperand(0)); }

/// A float that has all numbers of a byte's type.
static bool hasAllOf(Type type, Type byte) {
  auto number = dyn_cast<FloatType>(type);
  return number && graph::byteSize(type) >= 2 && (isa<FloatType>(byte) || byte.isInteger(8));
}

LoadOp byteLoad(Block &operand) {
  Value value = operand.getTerminator()->getOperand(0);
  SmallVector<Type> through;
  while (auto cast = value.getDefiningOp<CastOp>()) {
    through.push_back(value.getType());
    value = cast.getInput();
  }
  auto load = value.getDefiningOp<LoadOp>();
  const bool isWhole = load && load->getBlock() == &operand && graph::byteSize(load.getType()) == 1 &&
                       !load.getType().isInteger(1) && !isIndirect(load.getIndices()) && hasZerosAround(load) &&
                       !through.empty();
  return isWhole && llvm::all_of(through, [&](Type type) { return hasAllOf(type, load.getType()); }) ? load : LoadOp();
}

SmallVector<ChosenLoad> chosenLoads(Block &operand) {
  SmallVector<ChosenLoad> loads;
  SmallVector<std::pair<InRangeOp, bool>> before;
  Value value = operand.getTerminator()->getOperand(0);
  while (auto choice = value.getDefiningOp<SelectOp>()) {
    auto condition = choice.getCondition().getDefiningOp<InRangeOp>();
    LoadOp first = condition && condition.getExprs().size() == 1 ? plainLoad(operand, choice.getLhs()) : LoadOp();
    if (!first)
      return {};
    loads.push_back({first, before});
    loads.back().where.push_back({condition, true});
    before.push_back({condition, false});
    value = choice.getRhs();
  }
  LoadOp last = plainLoad(operand, value);
  if (!last)
    return {};
  loads.push_back({last, before});
  return loads;
}

} // namespace cupola::cuda
