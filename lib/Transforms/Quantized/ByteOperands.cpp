//===- lib/Transforms/Quantized/ByteOperands.cpp - operands of products that are bytes ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Quantized/ByteOperands.h"

#include "lib/Transforms/Constants.h"
#include "lib/Transforms/Match.h"

using namespace mlir;

namespace cupola {
namespace {

bool isView(Operation *op) {
  return isa_and_nonnull<graph::ReshapeOp, graph::TransposeOp, graph::SliceOp, graph::PadOp>(op);
}

/// What zero points are before they are repeated; null where they vary along the last dimension.
Value zeroBehind(Value value) {
  if (match::splatOf(value))
    return value;
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  const graph::Exprs shape = broadcast ? graph::shapeOf(broadcast.getInput()) : graph::Exprs();
  return !shape.empty() && shape.back().isConstant(1) ? broadcast.getInput() : Value();
}

/// What a cast takes bytes from; null for other values.
Value bytesBehind(Value value) {
  auto cast = value.getDefiningOp<graph::CastOp>();
  if (!cast)
    return {};
  const Type from = graph::elementOf(cast.getInput());
  return from.isSignlessInteger(8) || from.isUnsignedInteger(8) ? cast.getInput() : Value();
}

/// A border of anything but zeros stands for no border of bytes that is known.
bool isHarmless(Operation *view) {
  auto pad = dyn_cast<graph::PadOp>(view);
  if (!pad || pad.getMode() != graph::PadMode::Constant)
    return true;
  if (auto real = dyn_cast<FloatAttr>(pad.getValue()))
    return real.getValue().isZero();
  auto integer = dyn_cast<IntegerAttr>(pad.getValue());
  return integer && integer.getValue().isZero();
}

bool areHarmless(ArrayRef<Operation *> views, const ByteOperand &operand) {
  return views.empty() || (operand.hasOneZero() && llvm::all_of(views, isHarmless));
}

struct Bounds {
  int64_t least, largest;
};

std::optional<Bounds> rangeOf(graph::ConstantOp constant) {
  const ArrayRef<char> bytes = bytesOf(constant.getValue());
  if (bytes.empty())
    return std::nullopt;
  const bool isUnsigned = graph::elementOf(constant.getResult()).isUnsignedInteger(8);
  Bounds range{255, -128};
  for (const char byte : bytes) {
    const int64_t number = isUnsigned ? static_cast<int64_t>(static_cast<uint8_t>(byte)) : static_cast<int8_t>(byte);
    range = {std::min(range.least, number), std::max(range.largest, number)};
  }
  return range;
}

/// Of bytes that are constants, perhaps less others, behind views.
std::optional<Bounds> rangeOf(Value integers) {
  const Value bytes = bytesBehind(integers);
  if (const std::optional<double> number = match::splatOf(bytes ? bytes : integers))
    return Bounds{static_cast<int64_t>(*number), static_cast<int64_t>(*number)};
  Operation *op = integers.getDefiningOp();
  if (isView(op) || isa_and_nonnull<graph::BroadcastOp>(op))
    return rangeOf(op->getOperand(0));
  if (auto difference = dyn_cast_or_null<graph::BinaryOp>(op)) {
    const std::optional<Bounds> from = rangeOf(difference.getLhs()), zero = rangeOf(difference.getRhs());
    if (difference.getKind() != graph::BinaryKind::Sub || !from || !zero)
      return std::nullopt;
    return Bounds{from->least - zero->largest, from->largest - zero->least};
  }
  auto constant = bytes ? bytes.getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
  return constant ? rangeOf(constant) : std::nullopt;
}

} // namespace

bool ByteOperand::hasOneZero() const {
  return !zero || match::splatOf(zero) || graph::elementCount(zero).isConstant(1);
}

std::optional<ByteOperand> byteOperand(Value value) {
  ByteOperand operand;
  for (; isView(value.getDefiningOp()); value = value.getDefiningOp()->getOperand(0))
    operand.views.insert(operand.views.begin(), value.getDefiningOp());
  if (auto difference = value.getDefiningOp<graph::BinaryOp>();
      difference && difference.getKind() == graph::BinaryKind::Sub && bytesBehind(difference.getLhs())) {
    operand.zero = zeroBehind(difference.getRhs());
    if (!operand.zero)
      return std::nullopt;
    operand.ops.push_back(difference);
    value = difference.getLhs();
  }
  operand.bytes = bytesBehind(value);
  operand.ops.push_back(value.getDefiningOp());
  return operand.bytes && areHarmless(operand.views, operand) ? std::optional(std::move(operand)) : std::nullopt;
}

bool isOfBytes(Operation *contraction, const QuantizedProduct &product) {
  const std::optional<ByteOperand> left = byteOperand(product.left.numbers);
  if (!left || !llvm::all_of(product.left.views, isView) || !areHarmless(product.left.views, *left))
    return false;
  auto conv = dyn_cast<graph::ConvOp>(contraction);
  if (conv && !left->hasOneZero())
    return false;
  const std::optional<Bounds> right = rangeOf(product.right.numbers);
  if (!right)
    return false;
  const bool isByte = right->least >= -128 && right->largest <= 127;
  return isByte || (right->largest - right->least <= 255 && !(conv && conv.getGroups() != 1));
}

} // namespace cupola
