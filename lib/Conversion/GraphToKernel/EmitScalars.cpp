//===- lib/Conversion/GraphToKernel/EmitScalars.cpp - functions of scalars ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToKernel/Emitter.h"

using namespace mlir;

namespace cupola {

Value Emitter::constant(Type type, double value) {
  TypedAttr attribute;
  if (isa<FloatType>(type))
    attribute = b.getFloatAttr(type, value);
  else
    attribute =
        IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), static_cast<int64_t>(value), /*isSigned=*/true,
                                     /*implicitTrunc=*/true));
  return kernel::ConstantOp::create(b, loc(), attribute);
}

Value Emitter::unary(graph::UnaryKind kind, Value input, bool coarse) {
  Type type = graph::isPredicate(kind) ? b.getI1Type() : input.getType();
  return kernel::UnaryOp::create(b, loc(), type, kind, input, /*alpha=*/llvm::APFloat(0.0),
                                 /*beta=*/llvm::APFloat(0.0), coarse);
}

Value Emitter::binary(graph::BinaryKind kind, Value lhs, Value rhs) {
  Type type = graph::isComparison(kind) ? b.getI1Type() : lhs.getType();
  return kernel::BinaryOp::create(b, loc(), type, kind, lhs, rhs);
}

Value Emitter::select(Value condition, Value lhs, Value rhs) {
  return kernel::SelectOp::create(b, loc(), lhs.getType(), condition, lhs, rhs);
}

Value Emitter::selectInside(Index conditions, Value inside, Value outside) {
  return conditions.empty() ? inside : select(inRange(conditions), inside, outside);
}

Value Emitter::convert(Value scalar, Type type) {
  if (scalar.getType() == type)
    return scalar;
  if (graph::accumulatorOf(type) == scalar.getType())
    if (Value stored = beforeWidening(scalar, type))
      return stored;
  return kernel::CastOp::create(b, loc(), type, scalar);
}

/// Half precision that was widened for arithmetic and is stored as it was, or one of two such, as parts of a concat;
/// null if something was computed.
Value Emitter::beforeWidening(Value scalar, Type type) {
  if (auto widened = scalar.getDefiningOp<kernel::CastOp>())
    return widened.getInput().getType() == type ? widened.getInput() : Value();
  auto choice = scalar.getDefiningOp<kernel::SelectOp>();
  Value lhs = choice ? beforeWidening(choice.getLhs(), type) : Value();
  Value rhs = lhs ? beforeWidening(choice.getRhs(), type) : Value();
  return rhs ? kernel::SelectOp::create(b, loc(), type, choice.getCondition(), lhs, rhs).getResult() : Value();
}

Value Emitter::indexValue(const Expr &expr, Type type) {
  Expr position = expr;
  SmallVector<Value> operands = operandsOf(position);
  return convert(kernel::IndexOp::create(b, loc(), b.getI64Type(), position, operands), type);
}

} // namespace cupola
