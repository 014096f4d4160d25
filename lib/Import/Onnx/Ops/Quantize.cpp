//===- lib/Import/Onnx/Ops/Quantize.cpp - between numbers and integers -----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Quantize.h"

#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/NarrowTypes.h"
#include "lib/Import/Onnx/TensorData.h"

using namespace mlir;

namespace cupola::onnx_import {

//===----------------------------------------------------------------------===//
// What ops of quantised operands share
//===----------------------------------------------------------------------===//

static std::string named(size_t index, StringRef name) {
  return "input " + std::to_string(index) + " (" + name.str() + ")";
}

static bool isInteger(Type type, unsigned most) {
  return isa<IntegerType>(type) && !type.isInteger(1) && type.getIntOrFloatBitWidth() <= most;
}

void quantize::requireByte(OpBinder &op, size_t index, StringRef name) {
  if (const Type type = op.element(index, name); !isInteger(type, 8))
    op.bad(named(index, name) + " has elements of " + typeText(type) + ", expected int8 or uint8");
}

Value quantize::number(OpBinder &op, size_t index, StringRef name) { return op.b.reshape(op.scalar(index, name), {}); }

/// [] or [1]: both are in use.
static bool isOneNumber(ArrayRef<Expr> shape) { return shape.size() < 2 && graph::product(shape).isConstant(1); }

Value quantize::alongAxis(OpBinder &op, size_t index, StringRef name, ArrayRef<Expr> shape, int64_t axis) {
  Value value = op.value(index, name);
  const Exprs own = op.b.shape(value);
  if (isOneNumber(own))
    return op.b.reshape(value, {});
  if (own.size() != 1)
    op.bad(named(index, name) + " has the shape " + shapeText(own) + ", expected one number, or a list of them");
  const std::string what = "the extent of " + named(index, name) + " and that of dimension " + std::to_string(axis) +
                           " of " + shapeText(shape);
  Exprs dims(shape.size(), Expr(1));
  if (own[0].constant() || own[0] == shape[axis]) {
    dims[axis] = op.b.sameExtent(own[0], shape[axis], what);
    return op.b.reshape(value, dims);
  }
  op.b.oneOrAll(own[0], shape[axis], what);
  dims[axis] = own[0];
  value = op.b.reshape(value, dims);
  dims[axis] = shape[axis];
  return op.b.broadcast(value, dims);
}

Value quantize::zeroPoint(OpBinder &op, size_t index, function_ref<Value()> read) {
  if (!op.has(index))
    return Value();
  Value value = read(); // also for what it says about the shape
  const Known *known = op.known(index);
  const auto isZero = [](const Scalar &scalar) { return scalar.isConstant() && scalar.asDouble() == 0; };
  return known && llvm::all_of(known->elements, isZero) ? Value() : value;
}

Type quantize::factorType(OpBinder &op) { return IntegerType::get(op.b.context(), 16); }

Value quantize::centred(OpBinder &op, Value value, Value zero, Type type) {
  value = op.b.cast(value, type);
  return zero ? op.b.binary(BinaryKind::Sub, value, op.b.cast(zero, type)) : value;
}

Value quantize::rounded(OpBinder &op, Value value, Value zero, Type integer) {
  value = op.b.unary(UnaryKind::Round, value);
  if (zero)
    value = op.b.binary(BinaryKind::Add, value, op.b.cast(zero, op.b.element(value)));
  return op.b.cast(value, integer); // which saturates
}

Value quantize::numbersOf(OpBinder &op, Value integers, Value scale, Value zero) {
  return op.b.binary(BinaryKind::Mul, centred(op, integers, zero, op.b.element(scale)), scale);
}

Value quantize::integersOf(OpBinder &op, Value numbers, Value scale, Value zero, Type integer) {
  return rounded(op, op.b.binary(BinaryKind::Div, numbers, scale), zero, integer);
}

Value quantize::ofBlocks(OpBinder &op, Value value, ArrayRef<Expr> shape, int64_t axis, int64_t block) {
  value = op.b.unsqueeze(value, {axis + 1});
  Exprs each = op.b.shape(value), whole(shape);
  whole[axis] = each[axis] * Expr(block);
  each[axis + 1] = Expr(block);
  value = op.b.reshape(op.b.broadcast(value, each), whole);
  return op.b.slice(value, Exprs(shape.size(), Expr(0)), Ints(shape.size(), 1), shape);
}

quantize::Quantised quantize::dynamically(OpBinder &op, Value numbers, int64_t apart) {
  const Type type = op.b.element(numbers), byte = IntegerType::get(op.b.context(), 8, IntegerType::Unsigned);
  const Ints together = sequence(apart, static_cast<int64_t>(op.b.shape(numbers).size()));
  const auto extreme = [&](ReduceKind reduction, BinaryKind kind) {
    Value value = op.b.reduce(reduction, numbers, together);
    return op.b.binary(kind, apart ? value : op.b.reshape(value, {}), op.b.scalar(0, type));
  };
  Value low = extreme(ReduceKind::Min, BinaryKind::Min), high = extreme(ReduceKind::Max, BinaryKind::Max);
  Value range = op.b.binary(BinaryKind::Sub, high, low);
  Value step = op.b.binary(BinaryKind::Div, range, op.b.scalar(255, type));
  Value isFlat = op.b.binary(BinaryKind::Equal, range, op.b.scalar(0, type)); // zeros, or nothing
  Value scale = op.b.select(isFlat, op.b.scalar(1, type), step);
  Value zero = rounded(op, op.b.unary(UnaryKind::Neg, op.b.binary(BinaryKind::Div, low, scale)), Value(), byte);
  return {integersOf(op, numbers, scale, zero, byte), scale, zero};
}

using namespace quantize;

//===----------------------------------------------------------------------===//
// QuantizeLinear, DequantizeLinear
//===----------------------------------------------------------------------===//

/// Every number `block` times along `axis`, of which there are `extent`.
static Value inBlocks(OpBinder &op, size_t index, StringRef name, ArrayRef<Expr> shape, int64_t axis, int64_t block) {
  Value value = op.value(index, name);
  const Exprs own = op.b.shape(value);
  const std::string found =
      named(index, name) + " has the shape " + shapeText(own) + " and block_size is " + std::to_string(block);
  if (block < 1 || own.size() != shape.size())
    op.bad(found + ", expected blocks of at least 1 and the rank of " + shapeText(shape));
  Exprs blocks(shape);
  blocks[axis] = simplify(ceilDiv(shape[axis], Expr(block)), op.b.ranges());
  op.b.sameShape(own, blocks, "the shape of " + named(index, name) + " and the blocks of " + shapeText(shape));
  return ofBlocks(op, value, shape, axis, block);
}

/// A scale or zero point as ONNX has it: one for all, along the axis, or of blocks.
static Value perElement(OpBinder &op, size_t index, StringRef name) {
  const Exprs shape = op.shape(0, "x"), own = op.shape(index, name);
  const int64_t number = op.intAttribute("axis", 1), block = op.intAttribute("block_size", 0);
  if (block == 0 && isOneNumber(own))
    return op.b.reshape(op.value(index, name), {});
  const auto rank = static_cast<int64_t>(shape.size());
  if (block == 0 && own.size() == 1 && !own[0].constant() && (number < -rank || number >= rank))
    return quantize::number(op, index, name); // the axis, which may be the default, is no other dimension's
  const int64_t axis = op.axis(number, rank);
  return block == 0 ? alongAxis(op, index, name, shape, axis) : inBlocks(op, index, name, shape, axis, block);
}

/// Whether it is a float in which a scale may be.
static bool isNumber(Type type) { return isa<FloatType>(type) && (!isNarrow(type) || isPower(type)); }

static Value readScale(OpBinder &op, StringRef name, Type type) {
  return op.b.cast(onnx_import::numbersOf(op.b, perElement(op, 1, name), op.element(1, name)), type);
}

/// As numbers; null: 0.
static Value readZeroPoint(OpBinder &op, Type type) {
  if (op.has(2) && op.element(2, "zero_point") != type)
    op.bad("input 2 (zero_point) has elements of " + typeText(op.element(2, "zero_point")) + ", expected " +
           typeText(type));
  return zeroPoint(op, 2, [&] { return onnx_import::numbersOf(op.b, perElement(op, 2, "zero_point"), type); });
}

/// The type that an attribute names; null where it names none.
static Type typeAttribute(OpBinder &op, StringRef name) {
  const auto number = static_cast<int32_t>(op.intAttribute(name, 0));
  const Type type = modelTypeOf(number, op.b.context());
  if (number != 0 && !type)
    op.unsupported("attribute '" + name.str() + "' is " + elementTypeName(number) + ", which is not supported");
  return type;
}

static Type quantizedType(OpBinder &op) {
  const Type given = typeAttribute(op, "output_dtype");
  if (!op.has(2) && !given)
    return IntegerType::get(op.b.context(), 8, IntegerType::Unsigned);
  const Type type = given ? given : op.element(2, "y_zero_point");
  if (!isInteger(type, 16) && (!isNarrow(type) || isPower(type)))
    op.bad("the result has elements of " + typeText(type) +
           ", expected integers of up to 16 bits, float4e2m1 or floats of 8 bits but float8e8m0");
  return type;
}

/// In which x / scale is computed: as `precision` says, or the type of the scale.
static Type quotientType(OpBinder &op) {
  const Type given = typeAttribute(op, "precision"), scale = op.element(1, "y_scale");
  for (Type type : {op.element(0, "x"), scale})
    if (!isNumber(type) && !type.isSignlessInteger(32))
      op.bad("x or y_scale has elements of " + typeText(type) + ", expected floats or int32");
  if (given && (!isNumber(given) || isPower(given)))
    op.bad("attribute 'precision' is " + typeText(given) + ", expected a float type");
  return formulaType({given ? given : scale});
}

/// To a type of fewer than 8 bits, whose ends the type that holds it does not have.
static Value narrowInteger(OpBinder &op, Value quotient, Value zero, Type narrow) {
  const Type type = op.b.element(quotient);
  const int64_t count = int64_t(1) << narrow.getIntOrFloatBitWidth(),
                first = narrow.isUnsignedInteger() ? 0 : -count / 2;
  Value value = op.b.unary(UnaryKind::Round, quotient);
  if (zero)
    value = op.b.binary(BinaryKind::Add, value, op.b.cast(zero, type));
  value = op.b.binary(BinaryKind::Max, value, op.b.scalar(static_cast<double>(first), type));
  value = op.b.binary(BinaryKind::Min, value, op.b.scalar(static_cast<double>(first + count - 1), type));
  return op.b.cast(value, heldIn(narrow));
}

void importQuantizeLinear(OpBinder &op) {
  const bool saturate = op.intAttribute("saturate", 1) != 0; // concerns floats alone
  const Type result = quantizedType(op), type = quotientType(op);
  const Value scale = readScale(op, "y_scale", type), x = op.b.cast(op.value(0, "x"), type);
  const Value zero = readZeroPoint(op, result);
  Value quotient = op.b.binary(BinaryKind::Div, x, scale);
  if (!isNarrow(result))
    return op.result(rounded(op, quotient, zero, result));
  if (isa<IntegerType>(result))
    return op.result(narrowInteger(op, quotient, zero, result), result);
  if (zero)
    quotient = op.b.binary(BinaryKind::Add, quotient, op.b.cast(zero, type));
  op.result(roundedTo(op.b, quotient, result, {saturate}), result);
}

void importDequantizeLinear(OpBinder &op) {
  const Type element = op.element(0, "x"), scaleType = op.element(1, "x_scale");
  if (!isInteger(element, 16) && !element.isSignlessInteger(32) && !isNarrow(element))
    op.bad("input 0 (x) has elements of " + typeText(element) +
           ", expected integers of up to 16 bits, int32 or floats of up to 8 bits");
  if (!isNumber(scaleType))
    op.bad("input 1 (x_scale) has elements of " + typeText(scaleType) + ", expected floats");
  const Type given = typeAttribute(op, "output_dtype"), result = given ? given : scaleType;
  if (!isa<FloatType>(result) || isNarrow(result))
    op.bad(
        (given ? "attribute 'output_dtype' is " : "attribute 'output_dtype' is missing, and x_scale has elements of ") +
        typeText(result) + ", expected float32, float16 or bfloat16");
  Value scale = readScale(op, "x_scale", formulaType({scaleType, result}));
  Value numbers = onnx_import::numbersOf(op.b, op.value(0, "x"), element);
  op.result(op.b.cast(quantize::numbersOf(op, numbers, scale, readZeroPoint(op, element)), result));
}

void importDynamicQuantizeLinear(OpBinder &op) {
  if (const Type type = op.element(0, "x"); !type.isF32())
    op.bad("input 0 (x) has elements of " + typeText(type) + ", expected float32");
  const Quantised quantised = dynamically(op, op.value(0, "x"));
  op.result(quantised.integers);
  op.result(quantised.scale, 1);
  op.result(quantised.zero, 2);
}

} // namespace cupola::onnx_import
