//===- lib/Import/Onnx/Ops/Elementwise.cpp - arithmetic of elements --------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/Text.h"
#include "lib/Import/Onnx/ValuePropagation.h"

#include <cmath>

using namespace mlir;

namespace cupola::onnx_import {

void importUnary(OpBinder &op, UnaryKind kind, bool floatsOnly) {
  floatsOnly ? op.requireFloat(0, "X") : op.requireNumber(0, "X");
  if (auto known = foldUnary(op, kind))
    return op.result(std::move(*known), op.element(0, "X"));
  op.result(op.b.unary(kind, op.value(0, "X")));
}

void importBinary(OpBinder &op, BinaryKind kind) {
  const Type type = graph::isComparison(kind) ? IntegerType::get(op.b.context(), 1) : op.element(0, "A");
  if (auto known = foldBinary(op, kind))
    return op.result(std::move(*known), type);
  op.result(op.b.binary(kind, op.value(0, "A"), op.value(1, "B")));
}

void importArithmetic(OpBinder &op, BinaryKind kind) {
  op.requireNumber(0, "A");
  op.requireNumber(1, "B");
  importBinary(op, kind);
}

void importVariadic(OpBinder &op, BinaryKind kind, bool mean) {
  for (size_t i = 0; i < op.inputCount(); ++i)
    op.requireNumber(i, "operand");
  if (op.inputCount() == 1)
    return op.result(op.tensor(0, "operand"));
  if (op.inputCount() == 2 && !mean)
    if (auto known = foldBinary(op, kind))
      return op.result(std::move(*known), op.element(0, "operand"));
  std::vector<Value> values = op.allValues();
  const Type type = op.b.element(values[0]);
  if (isa<FloatType>(type) && kind == BinaryKind::Add && (values.size() > 2 || mean))
    for (Value &value : values)
      if (op.b.element(value) == type)
        value = op.b.cast(value, formulaType({type}));
  Value result = values[0];
  for (size_t i = 1; i < values.size(); ++i)
    result = op.b.binary(kind, result, values[i]);
  if (mean)
    result =
        op.b.binary(BinaryKind::Div, result, op.b.scalar(static_cast<double>(values.size()), op.b.element(result)));
  op.result(op.b.cast(result, type));
}

void importMean(OpBinder &op) {
  op.requireFloat(0, "operand");
  importVariadic(op, BinaryKind::Add, /*mean=*/true);
}

void importMod(OpBinder &op) {
  importArithmetic(op, op.intAttribute("fmod", 0) != 0 ? BinaryKind::Fmod : BinaryKind::Mod);
}

void importModOfIntegers(OpBinder &op) {
  if (op.intAttribute("fmod", 0) == 0 && isa<FloatType>(op.element(0, "A")))
    op.bad("input 0 (A) has elements of " + typeText(op.element(0, "A")) +
           " and fmod is 0, expected fmod 1 for floats");
  importMod(op);
}

/// Whether every element of a known operand is one of `type`.
static bool allFit(const Known *operand, Type type) {
  return operand && llvm::all_of(operand->elements, [&](const Scalar &element) {
           if (!element.isConstant())
             return false;
           const double number = element.asDouble();
           return isa<FloatType>(type) ? roundedTo(type, number) == number
                                       : number == std::trunc(number) && std::abs(number) <= 1 << 30;
         });
}

/// In which a base and an exponent of another type are computed without loss.
static Type powerType(const Known *exponents, Type base, Type exponent) {
  if (base == exponent || allFit(exponents, base))
    return base;
  if (isa<FloatType>(base) || isa<FloatType>(exponent))
    return commonFloat({base, exponent});
  // Powers of integers wrap, so that a wider type gives the same low bits.
  const Type i64 = IntegerType::get(base.getContext(), 64);
  return holdsInteger(base, exponent) ? base : holdsInteger(i64, exponent) ? i64 : exponent;
}

void importPow(OpBinder &op) {
  op.requireNumber(0, "X");
  op.requireNumber(1, "Y");
  if (auto known = foldBinary(op, BinaryKind::Pow))
    return op.result(std::move(*known), op.element(0, "X"));
  Value base = op.value(0, "X"), exponent = op.value(1, "Y");
  const Type type = powerType(op.known(1), op.b.element(base), op.b.element(exponent));
  Value power = op.b.binary(BinaryKind::Pow, op.b.cast(base, type), op.b.cast(exponent, type));
  op.result(op.b.cast(power, op.b.element(base)));
}

void importClipAttributes(OpBinder &op) {
  op.requireFloat(0, "input");
  Value value = op.value(0, "input");
  const Type type = op.b.element(value);
  if (op.hasAttribute("min"))
    value = op.b.binary(BinaryKind::Max, value, op.b.scalar(op.floatAttribute("min", 0), type));
  if (op.hasAttribute("max"))
    value = op.b.binary(BinaryKind::Min, value, op.b.scalar(op.floatAttribute("max", 0), type));
  op.result(value);
}

void importClip(OpBinder &op) {
  op.requireNumber(0, "input");
  if (!op.has(1) && !op.has(2))
    return op.result(op.tensor(0, "input"));
  Value value = op.value(0, "input");
  for (const auto &[index, name, kind] :
       {std::tuple(1, "min", BinaryKind::Max), std::tuple(2, "max", BinaryKind::Min)}) {
    if (!op.has(static_cast<size_t>(index)))
      continue;
    const Exprs shape = op.shape(static_cast<size_t>(index), name);
    if (!graph::product(shape).isConstant(1))
      op.bad(std::string("input ") + name + " has the shape " + shapeText(shape) + ", expected a scalar");
    Value bound = op.b.reshape(op.value(static_cast<size_t>(index), name), {});
    value = op.b.binary(kind, value, bound);
  }
  op.result(value);
}

static void requireInteger(OpBinder &op, size_t index, StringRef name) {
  op.requireNumber(index, name);
  if (!isa<IntegerType>(op.element(index, name)))
    op.bad("input " + std::to_string(index) + " (" + name.str() + ") has elements of " +
           typeText(op.element(index, name)) + ", expected integers");
}

void importBitwise(OpBinder &op, BinaryKind kind) {
  requireInteger(op, 0, "A");
  requireInteger(op, 1, "B");
  importBinary(op, kind);
}

void importBitwiseNot(OpBinder &op) {
  requireInteger(op, 0, "X");
  op.result(op.b.unary(UnaryKind::BitwiseNot, op.value(0, "X")));
}

void importBitShift(OpBinder &op) {
  const std::string direction = op.stringAttribute("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    op.bad("attribute 'direction' is " + quoted(direction) + ", expected LEFT or RIGHT");
  importBitwise(op, direction == "LEFT" ? BinaryKind::ShiftLeft : BinaryKind::ShiftRight);
}

} // namespace cupola::onnx_import
