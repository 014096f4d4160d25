//===- dialects/Graph/ElementTypes.cpp - element types as MLIR has them ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/ElementTypes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using cupola::format::DType;
using cupola::format::NumberClass;

namespace cupola::graph {

Type typeOf(DType dtype, MLIRContext *context) {
  const format::ElementType &row = format::rowOf(format::rowOf(dtype).storage);
  switch (row.number) {
  case NumberClass::Int:
  case NumberClass::Bool:
    return IntegerType::get(context, row.bits);
  case NumberClass::UInt:
    return IntegerType::get(context, row.bits, IntegerType::Unsigned);
  case NumberClass::BFloat:
    return BFloat16Type::get(context);
  default:
    break;
  }
  return row.bits == 16   ? Type(Float16Type::get(context))
         : row.bits == 32 ? Type(Float32Type::get(context))
                          : Type(Float64Type::get(context));
}

static NumberClass numberClassOf(Type element) {
  if (isa<Float8E4M3FNType>(element))
    return NumberClass::Float8E4M3FN;
  if (isa<Float8E5M2Type>(element))
    return NumberClass::Float8E5M2;
  if (isa<FloatType>(element))
    return element.isBF16() ? NumberClass::BFloat : NumberClass::Float;
  return element.isInteger(1) ? NumberClass::Bool : element.isUnsignedInteger() ? NumberClass::UInt : NumberClass::Int;
}

const format::ElementType &elementTypeOf(Type element) {
  const NumberClass number = numberClassOf(element);
  const unsigned bits = element.getIntOrFloatBitWidth();
  return *format::findElementType(
      [&](const format::ElementType &row) { return row.number == number && row.bits == bits; });
}

DType dtypeOf(Type element) { return elementTypeOf(element).dtype; }
int64_t byteSize(Type element) { return elementTypeOf(element).bytes; }
bool isFloat8(Type element) { return isa<Float8E4M3FNType, Float8E5M2Type>(element); }
Type accumulatorOf(Type element) { return typeOf(elementTypeOf(element).accumulator, element.getContext()); }

Type productOf(Type left, Type right) {
  const bool areBytes = (left.isUnsignedInteger(8) || left.isSignlessInteger(8)) && right.isSignlessInteger(8);
  const bool areWords = left.isSignlessInteger(16) && right == left;
  if (areBytes || areWords)
    return typeOf(format::DType::I32, left.getContext());
  if (isFloat8(left) && isFloat8(right))
    return typeOf(format::DType::F32, left.getContext());
  return left == right ? left : Type();
}

} // namespace cupola::graph
