//===- lib/Import/Onnx/NarrowTypes.cpp - types that only constants have ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/NarrowTypes.h"

#include "lib/Import/Onnx/ModelNames.h"
#include "lib/Import/Onnx/StringTypes.h"

#include "onnx/onnx_pb.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

using T = onnx::TensorProto;
using Signedness = IntegerType::SignednessSemantics;

template <unsigned width, Signedness sign> Type integer(MLIRContext *context) {
  return IntegerType::get(context, width, sign);
}
template <class Float> Type real(MLIRContext *context) { return Float::get(context); }

struct NarrowType {
  int32_t dataType;
  Type (*type)(MLIRContext *context);
};

constexpr NarrowType narrowTypes[] = {
    {T::INT4, integer<4, Signedness::Signless>},   {T::UINT4, integer<4, Signedness::Unsigned>},
    {T::INT2, integer<2, Signedness::Signless>},   {T::UINT2, integer<2, Signedness::Unsigned>},
    {T::FLOAT4E2M1, real<Float4E2M1FNType>},       {T::FLOAT8E4M3FN, real<Float8E4M3FNType>},
    {T::FLOAT8E4M3FNUZ, real<Float8E4M3FNUZType>}, {T::FLOAT8E5M2, real<Float8E5M2Type>},
    {T::FLOAT8E5M2FNUZ, real<Float8E5M2FNUZType>},
};

/// Which operands of an op may be narrow; `moves`: its results are elements of operand 0.
struct Taker {
  StringRef op;
  bool moves;
  SmallVector<size_t, 2> operands = {0};
};

const Taker *takerOf(const onnx::NodeProto &node) {
  static const Taker ofOnnx[] = {
      {"Cast", false},   {"CastLike", false}, {"DequantizeLinear", false, {0, 2}},
      {"Flatten", true}, {"Gather", true},    {"Identity", true},
      {"Reshape", true}, {"Slice", true},     {"Split", true},
      {"Squeeze", true}, {"Transpose", true}, {"Unsqueeze", true},
  };
  static const Taker ofMicrosoft[] = {{"GatherBlockQuantized", false, {0, 3}}};
  const std::string domain = canonicalDomain(node.domain());
  const ArrayRef<Taker> takers = domain.empty()              ? ArrayRef(ofOnnx)
                                 : domain == "com.microsoft" ? ArrayRef(ofMicrosoft)
                                                             : ArrayRef<Taker>();
  const auto *found = llvm::find_if(takers, [&](const Taker &taker) { return taker.op == node.op_type(); });
  return found == takers.end() ? nullptr : found;
}

/// The bits of each value of a type, of which there are 256 at most, in the type that holds it.
std::vector<uint16_t> heldValues(Type narrow) {
  const unsigned width = narrow.getIntOrFloatBitWidth();
  std::vector<uint16_t> values;
  for (unsigned bits = 0; bits < 1U << width; ++bits) {
    const APInt number(width, bits);
    if (auto type = dyn_cast<FloatType>(narrow)) {
      APFloat value(type.getFloatSemantics(), number);
      bool lost = false;
      value.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &lost);
      values.push_back(static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue()));
    } else {
      values.push_back(static_cast<uint8_t>(narrow.isUnsignedInteger() ? number.getZExtValue()
                                                                       : static_cast<uint64_t>(number.getSExtValue())));
    }
  }
  return values;
}

} // namespace

Type narrowTypeOf(int32_t dataType, MLIRContext *context) {
  for (const NarrowType &row : narrowTypes)
    if (row.dataType == dataType)
      return row.type(context);
  return Type();
}

std::optional<int32_t> narrowDataTypeOf(Type element) {
  const unsigned width = element.getIntOrFloatBitWidth();
  if (width > 8 || (width == 8 && isa<IntegerType>(element))) // asked of every operand: no look-ups of types
    return std::nullopt;
  for (const NarrowType &row : narrowTypes)
    if (row.type(element.getContext()) == element)
      return row.dataType;
  return std::nullopt;
}

Type heldIn(Type element) {
  if (isString(element))
    return IntegerType::get(element.getContext(), 64);
  if (!narrowDataTypeOf(element))
    return element;
  if (isa<FloatType>(element))
    return Float16Type::get(element.getContext());
  return IntegerType::get(element.getContext(), 8, cast<IntegerType>(element).getSignedness());
}

TensorValue widened(const TensorValue &tensor, Type narrow) {
  const std::vector<uint16_t> values = heldValues(narrow);
  const size_t width = narrow.getIntOrFloatBitWidth(), perByte = 8 / width;
  const size_t bytes = heldIn(narrow).getIntOrFloatBitWidth() / 8;
  const auto count = static_cast<size_t>(elementCount(tensor.dims).value_or(0));
  auto held = std::make_shared<std::string>(count * bytes, '\0');
  for (size_t i = 0; i < count; ++i) { // the first one is in the low bits
    const unsigned byte = static_cast<unsigned char>(tensor.bytes[i / perByte]);
    const uint16_t value = values[byte >> (i % perByte * width) & (values.size() - 1)];
    for (size_t part = 0; part < bytes; ++part)
      (*held)[i * bytes + part] = static_cast<char>(value >> (8 * part));
  }
  return {tensor.dataType, tensor.dims, *held, held};
}

void refuseNarrow(const GraphBuilder &builder, const TensorRecord &tensor, const std::string &what) {
  if (!tensor.poisoned && narrowDataTypeOf(tensor.element))
    builder.fail(what + " has elements of " + typeText(tensor.element) + ", which are not supported but as constants",
                 ErrorKind::Unsupported);
}

void checkNarrowOperands(const onnx::NodeProto &node, const OpBinder &op) {
  for (size_t i = 0; i < op.inputCount(); ++i) {
    if (!op.has(i) || !narrowDataTypeOf(op.element(i, "operand")))
      continue;
    const Taker *taker = takerOf(node);
    if (!taker || !llvm::is_contained(taker->operands, i))
      op.unsupported("input " + std::to_string(i) + " has elements of " + typeText(op.element(i, "operand")) +
                     ", supported are those as what DequantizeLinear or Cast reads, and ops that only move elements");
  }
}

void keepNarrowType(const onnx::NodeProto &node, const OpBinder &op) {
  if (!op.has(0) || !narrowDataTypeOf(op.element(0, "operand")))
    return;
  const Taker *taker = takerOf(node);
  if (!taker || !taker->moves)
    return;
  for (const Tensor result : op.results())
    if (result)
      result->element = op.element(0, "operand");
}

} // namespace cupola::onnx_import
