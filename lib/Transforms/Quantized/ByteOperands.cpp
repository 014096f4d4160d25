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

bool isOneElement(Value value) {
  if (match::splatOf(value))
    return true;
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  return broadcast && graph::elementCount(broadcast.getInput()).isConstant(1);
}

/// What a cast takes bytes from; null for other values.
Value bytesBehind(Value value) {
  auto cast = value.getDefiningOp<graph::CastOp>();
  if (!cast)
    return {};
  const Type from = graph::elementOf(cast.getInput());
  return from.isSignlessInteger(8) || from.isUnsignedInteger(8) ? cast.getInput() : Value();
}

bool isZero(Attribute fill) {
  if (auto real = dyn_cast<FloatAttr>(fill))
    return real.getValue().isZero();
  auto integer = dyn_cast<IntegerAttr>(fill);
  return integer && integer.getValue().isZero();
}

/// A pad puts what stands for 0 between the bytes.
bool canPad(Value zero, ArrayRef<Operation *> views) {
  return llvm::all_of(views, [&](Operation *view) {
    auto pad = dyn_cast<graph::PadOp>(view);
    if (!pad || pad.getMode() != graph::PadMode::Constant)
      return true;
    return isZero(pad.getValue()) && (!zero || match::splatOf(zero));
  });
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

std::optional<ByteOperand> byteOperand(Value value) {
  ByteOperand operand;
  for (; isView(value.getDefiningOp()); value = value.getDefiningOp()->getOperand(0))
    operand.views.insert(operand.views.begin(), value.getDefiningOp());
  if (auto difference = value.getDefiningOp<graph::BinaryOp>();
      difference && difference.getKind() == graph::BinaryKind::Sub && bytesBehind(difference.getLhs())) {
    if (!isOneElement(difference.getRhs()))
      return std::nullopt;
    operand.zero = difference.getRhs();
    operand.ops.push_back(difference);
    value = difference.getLhs();
  }
  operand.bytes = bytesBehind(value);
  operand.ops.push_back(value.getDefiningOp());
  return operand.bytes && canPad(operand.zero, operand.views) ? std::optional(std::move(operand)) : std::nullopt;
}

bool isOfBytes(const QuantizedProduct &product) {
  const std::optional<ByteOperand> left = byteOperand(product.left.numbers);
  if (!left || !llvm::all_of(product.left.views, isView) || !canPad(left->zero, product.left.views))
    return false;
  const std::optional<Bounds> right = rangeOf(product.right.numbers);
  return right && right->least >= -128 && right->largest <= 127;
}

} // namespace cupola
