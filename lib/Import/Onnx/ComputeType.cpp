//===- lib/Import/Onnx/ComputeType.cpp - where types meet, and round once -===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ComputeType.h"

using namespace mlir;

namespace cupola::onnx_import {

/// Bits of the largest magnitude of an integer type; what is below zero has one more
/// value, a power of two.
static unsigned magnitudeBits(Type integer) {
  const bool isSigned = !integer.isUnsignedInteger() && !integer.isInteger(1);
  return integer.getIntOrFloatBitWidth() - isSigned;
}

bool holdsInteger(Type to, Type from) {
  if (auto real = dyn_cast<FloatType>(to))
    return APFloat::semanticsPrecision(real.getFloatSemantics()) >= magnitudeBits(from);
  const bool mayBeNegative = magnitudeBits(from) < from.getIntOrFloatBitWidth();
  return magnitudeBits(to) >= magnitudeBits(from) && !(mayBeNegative && to.isUnsignedInteger());
}

static bool holds(FloatType to, Type from) {
  auto real = dyn_cast<FloatType>(from);
  if (!real)
    return holdsInteger(to, from);
  const auto &wide = to.getFloatSemantics(), &narrow = real.getFloatSemantics();
  return APFloat::semanticsPrecision(wide) >= APFloat::semanticsPrecision(narrow) &&
         APFloat::semanticsMaxExponent(wide) >= APFloat::semanticsMaxExponent(narrow);
}

static Type firstHolding(ArrayRef<FloatType> floats, ArrayRef<Type> types) {
  for (FloatType candidate : floats)
    if (llvm::all_of(types, [&](Type type) { return holds(candidate, type); }))
      return candidate;
  return floats.back();
}

Type commonFloat(ArrayRef<Type> types) {
  MLIRContext *context = types.front().getContext();
  return firstHolding(
      {Float16Type::get(context), BFloat16Type::get(context), Float32Type::get(context), Float64Type::get(context)},
      types);
}

Type formulaType(ArrayRef<Type> types) {
  MLIRContext *context = types.front().getContext();
  return firstHolding({Float32Type::get(context), Float64Type::get(context)}, types);
}

Value roundedOnce(GraphBuilder &b, Value value, function_ref<Value(Value)> formula) {
  const Type element = b.element(value);
  return b.cast(formula(b.cast(value, formulaType({element}))), element);
}

} // namespace cupola::onnx_import
