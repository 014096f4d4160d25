//===- lib/Import/Onnx/NarrowTypes.cpp - types that kernels do not have ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/NarrowTypes.h"

#include "dialects/Graph/ElementTypes.h"
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/ModelNames.h"
#include "lib/Import/Onnx/StringTypes.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace cupola::graph;

namespace cupola::onnx_import {
namespace {

using format::DType;
using Signedness = IntegerType::SignednessSemantics;

template <unsigned width, Signedness sign> Type integer(MLIRContext *context) {
  return IntegerType::get(context, width, sign);
}
template <class Float> Type real(MLIRContext *context) { return Float::get(context); }

struct NarrowType {
  DType dtype;
  Type (*type)(MLIRContext *context);
};

constexpr NarrowType narrowTypes[] = {
    {DType::I4, integer<4, Signedness::Signless>}, {DType::U4, integer<4, Signedness::Unsigned>},
    {DType::I2, integer<2, Signedness::Signless>}, {DType::U2, integer<2, Signedness::Unsigned>},
    {DType::F4E2M1, real<Float4E2M1FNType>},       {DType::F8E4M3FN, real<Float8E4M3FNType>},
    {DType::F8E4M3FNUZ, real<Float8E4M3FNUZType>}, {DType::F8E5M2, real<Float8E5M2Type>},
    {DType::F8E5M2FNUZ, real<Float8E5M2FNUZType>}, {DType::F8E8M0, real<Float8E8M0FNUType>},
};

/// Which operands of an op may be narrow, none listed: all; `moves`: its results are their elements.
struct Taker {
  StringRef op;
  bool moves;
  SmallVector<size_t, 3> operands;

  bool takes(size_t operand) const { return operands.empty() || llvm::is_contained(operands, operand); }
};

const Taker *takerOf(const onnx::NodeProto &node) {
  static const Taker ofOnnx[] = {
      {"BitCast", false, {0}},
      {"Cast", false, {0}},
      {"CastLike", false, {0, 1}},
      {"Concat", true, {}},
      {"DequantizeLinear", false, {0, 1, 2}},
      {"Expand", true, {0}},
      {"Flatten", true, {0}},
      {"Gather", true, {0}},
      {"GatherElements", true, {0}},
      {"GatherND", true, {0}},
      {"Identity", true, {0}},
      {"Loop", false, {}},
      {"Pad", true, {0, 2}},
      {"QuantizeLinear", false, {1, 2}},
      {"Reshape", true, {0}},
      {"Scan", false, {}},
      {"Shape", false, {0}},
      {"Size", false, {0}},
      {"Slice", true, {0}},
      {"Split", true, {0}},
      {"Squeeze", true, {0}},
      {"TensorScatter", true, {0, 1}},
      {"Tile", true, {0}},
      {"Transpose", true, {0}},
      {"Unsqueeze", true, {0}},
  };
  static const Taker ofMicrosoft[] = {{"DequantizeLinear", false, {0, 2}},
                                      {"GatherBlockQuantized", false, {0, 3}},
                                      {"GroupQueryAttention", false, {3, 4}},
                                      {"QuantizeLinear", false, {2}}};
  const std::string domain = canonicalDomain(node.domain());
  const ArrayRef<Taker> takers = domain.empty()              ? ArrayRef(ofOnnx)
                                 : domain == "com.microsoft" ? ArrayRef(ofMicrosoft)
                                                             : ArrayRef<Taker>();
  const auto *found = llvm::find_if(takers, [&](const Taker &taker) { return taker.op == node.op_type(); });
  return found == takers.end() ? nullptr : found;
}

/// The low bits of bytes that hold integers, as numbers: of signed ones the highest bit counts below 0.
Value lowBits(GraphBuilder &b, Value bytes, IntegerType narrow) {
  const Type held = heldIn(narrow);
  const int64_t end = int64_t(1) << narrow.getWidth();
  Value value = b.binary(BinaryKind::BitwiseAnd, b.cast(bytes, held), b.intScalar(end - 1, held));
  if (narrow.isUnsigned())
    return value;
  Value sign = b.intScalar(end / 2, held);
  return b.binary(BinaryKind::Sub, b.binary(BinaryKind::BitwiseXor, value, sign), sign);
}

} // namespace

Type modelTypeOf(int32_t dataType, MLIRContext *context) {
  if (dataType == format::rowOf(DType::String).onnx)
    return stringType(context);
  const Type narrow = narrowTypeOf(dataType, context);
  return narrow ? narrow : elementTypeOf(dataType, context);
}

Type narrowTypeOf(int32_t dataType, MLIRContext *context) {
  for (const NarrowType &row : narrowTypes)
    if (format::rowOf(row.dtype).onnx == dataType)
      return row.type(context);
  return Type();
}

const format::ElementType *narrowRowOf(Type element) {
  const unsigned width = element.getIntOrFloatBitWidth();
  if (width > 8 || (width == 8 && isa<IntegerType>(element))) // asked of every operand: no look-ups of types
    return nullptr;
  for (const NarrowType &row : narrowTypes)
    if (row.type(element.getContext()) == element)
      return &format::rowOf(row.dtype);
  return nullptr;
}

bool isPower(Type element) { return isa<Float8E8M0FNUType>(element); }

const format::ElementType &modelRowOf(Type element) {
  if (isString(element))
    return format::rowOf(DType::String);
  const format::ElementType *narrow = narrowRowOf(element);
  return narrow ? *narrow : graph::elementTypeOf(element);
}

Type heldIn(Type element) { return graph::typeOf(modelRowOf(element).dtype, element.getContext()); }

TensorValue unpacked(const TensorValue &tensor, Type narrow) {
  const unsigned width = narrow.getIntOrFloatBitWidth(), perByte = 8 / width;
  const auto count = static_cast<size_t>(elementCount(tensor.dims).value_or(0));
  auto held = std::make_shared<std::string>(count, '\0');
  for (size_t i = 0; i < count; ++i) { // the first one is in the low bits
    const auto byte = static_cast<unsigned char>(tensor.bytes[i / perByte]);
    const APInt bits(width, byte >> (i % perByte * width) & ((1U << width) - 1));
    (*held)[i] = static_cast<char>(narrow.isSignlessInteger() ? bits.getSExtValue() : bits.getZExtValue());
  }
  return {tensor.dataType, tensor.dims, *held, held};
}

Value heldOf(GraphBuilder &b, Value bytes, Type element) {
  auto number = dyn_cast<IntegerType>(element);
  return number && isNarrow(element) ? lowBits(b, bytes, number) : bytesOf(b, bytes, element);
}

Value bytesOf(GraphBuilder &b, Value held, Type element) {
  const unsigned width = element.getIntOrFloatBitWidth();
  if (width == 8 || !isNarrow(element))
    return held;
  return b.binary(BinaryKind::BitwiseAnd, held, b.intScalar((int64_t(1) << width) - 1, b.element(held)));
}

Value numbersOf(GraphBuilder &b, Value held, Type element) {
  const format::ElementType *row = narrowRowOf(element);
  const format::NarrowFloat *type = row ? format::narrowFloatOf(row->dtype) : nullptr;
  return type ? numbersOfBits(b, held, *type) : held;
}

Value roundedTo(GraphBuilder &b, Value numbers, Type narrow, const NarrowRounding &rounding) {
  if (const format::NarrowFloat *type = format::narrowFloatOf(narrowRowOf(narrow)->dtype))
    return bitsOfNumbers(b, numbers, *type, rounding);
  if (isa<FloatType>(b.element(numbers))) // casts of floats stop at the ends of a type, where low bits would be kept
    numbers = b.cast(numbers, IntegerType::get(b.context(), 32));
  return lowBits(b, numbers, cast<IntegerType>(narrow));
}

void checkNarrowOperands(const onnx::NodeProto &node, const OpBinder &op) {
  const Taker *taker = nullptr;
  for (size_t i = 0; i < op.inputCount(); ++i) {
    if (!op.has(i) || !isNarrow(op.element(i, "operand")))
      continue;
    taker = takerOf(node);
    if (!taker || !taker->takes(i))
      op.unsupported("input " + std::to_string(i) + " has elements of " + typeText(op.element(i, "operand")) +
                     ", supported are those as what QuantizeLinear, DequantizeLinear and Cast read, and ops that only "
                     "move elements");
  }
  for (size_t i = 0; taker && taker->moves && i < op.inputCount(); ++i)
    if (op.has(i) && taker->takes(i) && op.element(i, "operand") != op.element(0, "operand"))
      op.bad("inputs 0 and " + std::to_string(i) + " have elements of " + typeText(op.element(0, "operand")) + " and " +
             typeText(op.element(i, "operand")) + ", expected one type");
}

void keepNarrowType(const onnx::NodeProto &node, const OpBinder &op) {
  if (!op.has(0) || !isNarrow(op.element(0, "operand")))
    return;
  const Taker *taker = takerOf(node);
  if (!taker || !taker->moves)
    return;
  for (const Tensor result : op.results())
    if (result)
      result->element = op.element(0, "operand");
}

} // namespace cupola::onnx_import
