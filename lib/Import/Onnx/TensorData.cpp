//===- lib/Import/Onnx/TensorData.cpp - element types, inline tensor data --===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/TensorData.h"

#include "lib/Planner/Checked.h"

#include "onnx/onnx_pb.h"

#include <cstring>

namespace cupola::onnx_import {
namespace {

using T = onnx::TensorProto;

/// Which typed field of TensorProto holds elements of a type.
enum class Field : uint8_t { None, Float, Int32, Int64, Double, UInt64, String };

struct ElementType {
  int32_t type;
  const char *name;
  int64_t bits;
  Field field;
  int64_t fieldEntries = 1; ///< entries of the typed field per element
  int64_t lo = 0, hi = 0;   ///< range of an int32_data entry; lo == hi: not checked
};

constexpr ElementType types[] = {
    {T::FLOAT, "float32", 32, Field::Float},
    {T::UINT8, "uint8", 8, Field::Int32, 1, 0, 255},
    {T::INT8, "int8", 8, Field::Int32, 1, -128, 127},
    {T::UINT16, "uint16", 16, Field::Int32, 1, 0, 65535},
    {T::INT16, "int16", 16, Field::Int32, 1, -32768, 32767},
    {T::INT32, "int32", 32, Field::Int32},
    {T::INT64, "int64", 64, Field::Int64},
    {T::STRING, "string", 0, Field::String},
    {T::BOOL, "bool", 8, Field::Int32, 1, 0, 1},
    {T::FLOAT16, "float16", 16, Field::Int32, 1, 0, 65535},
    {T::DOUBLE, "float64", 64, Field::Double},
    {T::UINT32, "uint32", 32, Field::UInt64},
    {T::UINT64, "uint64", 64, Field::UInt64},
    {T::COMPLEX64, "complex64", 64, Field::Float, 2},
    {T::COMPLEX128, "complex128", 128, Field::Double, 2},
    {T::BFLOAT16, "bfloat16", 16, Field::Int32, 1, 0, 65535},
    {T::FLOAT8E4M3FN, "float8e4m3fn", 8, Field::Int32, 1, 0, 255},
    {T::FLOAT8E4M3FNUZ, "float8e4m3fnuz", 8, Field::Int32, 1, 0, 255},
    {T::FLOAT8E5M2, "float8e5m2", 8, Field::Int32, 1, 0, 255},
    {T::FLOAT8E5M2FNUZ, "float8e5m2fnuz", 8, Field::Int32, 1, 0, 255},
    {T::UINT4, "uint4", 4, Field::None},
    {T::INT4, "int4", 4, Field::None},
    {T::FLOAT4E2M1, "float4e2m1", 4, Field::None},
    {T::FLOAT8E8M0, "float8e8m0", 8, Field::Int32, 1, 0, 255},
    {T::UINT2, "uint2", 2, Field::None},
    {T::INT2, "int2", 2, Field::None},
    {T::FLOAT6E2M3, "float6e2m3", 6, Field::None},
    {T::FLOAT6E3M2, "float6e3m2", 6, Field::None},
};

const ElementType *find(int32_t dataType) {
  for (const ElementType &row : types)
    if (row.type == dataType)
      return &row;
  return nullptr;
}

int64_t fieldSize(const T &tensor, Field field) {
  switch (field) {
  case Field::None:
    return 0;
  case Field::Float:
    return tensor.float_data_size();
  case Field::Int32:
    return tensor.int32_data_size();
  case Field::Int64:
    return tensor.int64_data_size();
  case Field::Double:
    return tensor.double_data_size();
  case Field::UInt64:
    return tensor.uint64_data_size();
  case Field::String:
    return tensor.string_data_size();
  }
  return 0;
}

constexpr std::pair<Field, const char *> fieldNames[] = {
    {Field::Float, "float_data"},   {Field::Int32, "int32_data"},   {Field::Int64, "int64_data"},
    {Field::Double, "double_data"}, {Field::UInt64, "uint64_data"}, {Field::String, "string_data"},
};

std::string fieldName(Field field) {
  for (const auto &[known, name] : fieldNames)
    if (known == field)
      return name;
  return "raw_data";
}

/// The names of the filled data fields, "raw_data and float_data".
std::string filledFields(const T &tensor) {
  std::string names = tensor.raw_data().empty() ? "" : "raw_data";
  for (const auto &[field, name] : fieldNames)
    if (fieldSize(tensor, field))
      names += (names.empty() ? "" : " and ") + std::string(name);
  return names;
}

template <typename Out, typename List> std::string pack(const List &values) {
  std::string bytes(sizeof(Out) * static_cast<size_t>(values.size()), '\0');
  char *target = bytes.data();
  for (const auto value : values) {
    const Out element = static_cast<Out>(value);
    std::memcpy(target, &element, sizeof(Out));
    target += sizeof(Out);
  }
  return bytes;
}

} // namespace

std::string elementTypeName(int32_t dataType) {
  const ElementType *type = find(dataType);
  return type ? type->name : "type " + std::to_string(dataType);
}

int64_t elementBits(int32_t dataType) {
  const ElementType *type = find(dataType);
  return type ? type->bits : 0;
}

std::optional<int64_t> elementCount(const std::vector<int64_t> &dims) {
  std::optional<int64_t> count = 1;
  bool zero = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      return std::nullopt;
    zero |= dim == 0;
    count = count ? checkedMul(*count, dim) : count;
  }
  return zero ? 0 : count;
}

std::optional<int64_t> tensorBytes(int32_t dataType, const std::vector<int64_t> &dims) {
  const auto count = elementCount(dims);
  const auto bits = count ? checkedMul(*count, elementBits(dataType)) : std::nullopt;
  return bits ? std::optional<int64_t>(*bits / 8 + (*bits % 8 != 0)) : std::nullopt;
}

std::vector<int64_t> dimsOf(const T &tensor) { return {tensor.dims().begin(), tensor.dims().end()}; }

std::string checkInlineData(const T &tensor, int64_t count) {
  const ElementType *type = find(tensor.data_type());
  if (!type)
    return "has element type number " + std::to_string(tensor.data_type()) + ", which ONNX does not define";
  const std::string filled = filledFields(tensor);
  if (filled.find(" and ") != std::string::npos)
    return "has data in " + filled + ", expected one of them";
  const std::string elements = std::to_string(count) + " elements of " + type->name;
  if (!tensor.raw_data().empty() || (filled.empty() && type->field == Field::None)) {
    const int64_t bytes = tensorBytes(type->type, {count}).value_or(-1);
    if (type->field == Field::String)
      return "has raw_data, expected string_data for elements of string";
    if (bytes == static_cast<int64_t>(tensor.raw_data().size()))
      return "";
    return "has " + std::to_string(tensor.raw_data().size()) + " bytes of raw_data, expected " + std::to_string(bytes) +
           " for " + elements;
  }
  if (type->field == Field::None && filled != "int32_data")
    return "has data in " + filled + ", expected raw_data";
  if (type->field == Field::None) { // an entry is a byte
    const int64_t bytes = tensorBytes(type->type, {count}).value_or(-1);
    return bytes == tensor.int32_data_size()
               ? ""
               : "has " + std::to_string(tensor.int32_data_size()) + " entries of int32_data, expected " +
                     std::to_string(bytes) + " for " + elements;
  }
  const int64_t entries = count * type->fieldEntries;
  if (!filled.empty() && filled != fieldName(type->field))
    return "has data in " + filled + ", expected " + fieldName(type->field) + " for elements of " + type->name;
  if (fieldSize(tensor, type->field) != entries)
    return "has " + std::to_string(fieldSize(tensor, type->field)) + " entries of " + fieldName(type->field) +
           ", expected " + std::to_string(entries) + " for " + elements;
  if (type->lo != type->hi)
    for (int32_t value : tensor.int32_data())
      if (value < type->lo || value > type->hi)
        return "has the value " + std::to_string(value) + ", which is outside of " + type->name;
  return "";
}

std::string inlineBytes(const T &tensor) {
  if (!tensor.raw_data().empty())
    return tensor.raw_data();
  switch (tensor.data_type()) {
  case T::FLOAT:
  case T::COMPLEX64:
    return pack<float>(tensor.float_data());
  case T::DOUBLE:
  case T::COMPLEX128:
    return pack<double>(tensor.double_data());
  case T::INT32:
    return pack<int32_t>(tensor.int32_data());
  case T::INT64:
    return pack<int64_t>(tensor.int64_data());
  case T::UINT32:
    return pack<uint32_t>(tensor.uint64_data());
  case T::UINT64:
    return pack<uint64_t>(tensor.uint64_data());
  default:
    return elementBits(tensor.data_type()) == 16 ? pack<uint16_t>(tensor.int32_data())
                                                 : pack<uint8_t>(tensor.int32_data());
  }
}

TensorValue readTensor(const T &tensor, const BlobStore &blobs) {
  if (const Blob *blob = blobs.find(tensor))
    return {blob->dataType, blob->dims, blob->bytes, blob->owner};
  auto bytes = std::make_shared<const std::string>(inlineBytes(tensor));
  return {tensor.data_type(), dimsOf(tensor), *bytes, bytes};
}

} // namespace cupola::onnx_import
