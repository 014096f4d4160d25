//===- lib/Target/CUDA/Nibbles.cpp - numbers of four bits, scaled ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Nibbles.h"

#include <cmath>

using namespace mlir;
using namespace cupola::kernel;
using cupola::graph::BinaryKind;

namespace cupola::cuda {
namespace {

/// Follows a chain towards its beginning and keeps what it has passed.
class Chain {
public:
  explicit Chain(Nibbles &found) : found(found) {}

  /// The op that makes `value`, if it is of this type and nothing else reads it.
  template <class Op> Op enter(Value value) {
    auto op = value.getDefiningOp<Op>();
    if (op && op->hasOneUse())
      found.inner.push_back(op);
    return op && op->hasOneUse() ? op : Op();
  }
  BinaryOp enter(Value value, BinaryKind kind) {
    auto op = value.getDefiningOp<BinaryOp>();
    return op && op.getKind() == kind ? enter<BinaryOp>(value) : BinaryOp();
  }

private:
  Nibbles &found;
};

/// A whole number that i8 holds, as a constant or as a cast of one.
bool takeOffset(Nibbles &found, Value value) {
  if (auto cast = value.getDefiningOp<CastOp>(); cast && cast.getInput().getType().isSignlessInteger(8)) {
    found.offsetValue = cast.getInput();
    return true;
  }
  auto constant = value.getDefiningOp<kernel::ConstantOp>();
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  const double offset = number ? number.getValueAsDouble() : 0.5;
  if (offset != std::trunc(offset) || offset < -128 || offset > 127)
    return false;
  found.offset = static_cast<int8_t>(offset);
  return true;
}

/// A scale that was widened is used as it was.
Value scaleOf(Value value, Type result) {
  auto cast = value.getDefiningOp<CastOp>();
  return cast && cast.getInput().getType() == result ? cast.getInput() : value;
}

} // namespace

std::optional<Nibbles> nibblesOf(Operation *result) {
  const Type type = result->getNumResults() == 1 ? result->getResult(0).getType() : Type();
  if (!type || !isa<FloatType>(type) || type.isF64())
    return std::nullopt;
  Nibbles found;
  Chain chain(found);
  auto product = dyn_cast<BinaryOp>(result);
  if (auto cast = dyn_cast<CastOp>(result))
    product = chain.enter(cast.getInput(), BinaryKind::Mul);
  if (!product || product.getKind() != BinaryKind::Mul || !product.getType().isF32())
    return std::nullopt;
  if (isa<BinaryOp>(result) && llvm::any_of(result->getUsers(), [](Operation *user) { return isa<CastOp>(user); }))
    return std::nullopt;
  BinaryOp sum = chain.enter(product.getLhs(), BinaryKind::Add);
  CastOp number = sum ? chain.enter<CastOp>(sum.getLhs()) : CastOp();
  BinaryOp masked = number ? chain.enter(number.getInput(), BinaryKind::BitwiseAnd) : BinaryOp();
  BinaryOp shifted = masked ? chain.enter(masked.getLhs(), BinaryKind::ShiftRight) : BinaryOp();
  found.bytes = shifted ? chain.enter<LoadOp>(shifted.getLhs()) : LoadOp();
  if (!found.bytes || !found.bytes.getType().isUnsignedInteger(8) || !isInteger(masked.getRhs(), 15) ||
      !takeOffset(found, sum.getRhs()))
    return std::nullopt;
  found.shift = shifted.getRhs();
  found.scale = scaleOf(product.getRhs(), type);
  return found;
}

} // namespace cupola::cuda
