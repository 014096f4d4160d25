//===- lib/Import/Onnx/Constants.cpp - element types, constants in the IR --===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Constants.h"

#include "dialects/Graph/Constants.h"
#include "dialects/Graph/ElementTypes.h"
#include "lib/Import/Onnx/NarrowTypes.h"

#include "mlir/IR/Builders.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using T = onnx::TensorProto;

namespace cupola::onnx_import {

Type elementTypeOf(int32_t dataType, MLIRContext *context) {
  const format::ElementType *row = format::findElementType(
      [&](const format::ElementType &candidate) { return isComputed(candidate.dtype) && candidate.onnx == dataType; });
  return row ? graph::typeOf(row->dtype, context) : Type();
}

int32_t dataTypeOf(Type element) { return modelRowOf(element).onnx; }

onnx::TypeProto typeProtoOf(Type element, ArrayRef<Expr> shape) {
  onnx::TypeProto type;
  auto &tensor = *type.mutable_tensor_type();
  tensor.set_elem_type(dataTypeOf(element));
  tensor.mutable_shape();
  for (const Expr &extent : shape) {
    auto &dim = *tensor.mutable_shape()->add_dim();
    if (extent.constant())
      dim.set_dim_value(*extent.constant());
  }
  return type;
}

ElementsAttr constantAttr(const TensorValue &tensor, Type element) {
  return graph::constantOf(RankedTensorType::get(tensor.dims, element), {tensor.bytes.data(), tensor.bytes.size()},
                           tensor.owner);
}

double roundedTo(Type type, double value) {
  if (type.isF32())
    return static_cast<float>(value);
  if (!isa<FloatType>(type) || type.isF64())
    return value;
  APFloat number(value);
  bool lost = false;
  number.convert(cast<FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
  return number.convertToDouble();
}

/// One little-endian element; nullopt for uint64 values beyond int64.
static std::optional<Scalar> readScalar(const char *bytes, Type element) {
  const unsigned width = std::max(8u, element.getIntOrFloatBitWidth());
  uint64_t bits = 0;
  for (unsigned i = 0; i < width / 8; ++i)
    bits |= uint64_t(static_cast<unsigned char>(bytes[i])) << (8 * i);
  if (auto type = dyn_cast<FloatType>(element)) {
    APFloat number(type.getFloatSemantics(), APInt(64, bits).trunc(width));
    bool lost = false;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    return Scalar::constant(number.convertToDouble());
  }
  const APInt number = APInt(64, bits).trunc(width);
  if (element.isInteger(1))
    return Scalar::integer(bits != 0);
  if (!element.isUnsignedInteger())
    return Scalar::integer(number.getSExtValue());
  if (number.getActiveBits() > 63)
    return std::nullopt;
  return Scalar::integer(static_cast<int64_t>(number.getZExtValue()));
}

std::optional<Known> knownElements(const TensorValue &tensor, Type element) {
  const auto count = knownCount(tensor.dims);
  if (!count || (isa<FloatType>(element) && *count > Known::maxReals))
    return std::nullopt;
  const size_t width = graph::byteSize(element);
  Known known{tensor.dims, {}};
  known.elements.reserve(static_cast<size_t>(*count));
  for (int64_t i = 0; i < *count; ++i) {
    const auto scalar = readScalar(tensor.bytes.data() + static_cast<size_t>(i) * width, element);
    if (!scalar)
      return std::nullopt;
    known.elements.push_back(*scalar);
  }
  return known;
}

DenseElementsAttr attributeOf(const Known &known, Type element) {
  Builder builder(element.getContext());
  SmallVector<Attribute> values;
  for (const Scalar &scalar : known.elements) {
    if (isa<FloatType>(element))
      values.push_back(builder.getFloatAttr(element, scalar.asDouble()));
    else
      values.push_back(IntegerAttr::get(
          element,
          APInt(64, static_cast<uint64_t>(scalar.num.constant().value_or(0))).trunc(element.getIntOrFloatBitWidth())));
  }
  return DenseElementsAttr::get(RankedTensorType::get(known.dims, element), values);
}

} // namespace cupola::onnx_import
