//===- lib/Import/Onnx/PinnedInputs.cpp - inputs with a value at compile time ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/PinnedInputs.h"

#include "lib/Import/Onnx/ModelNames.h"
#include "lib/Import/Onnx/TensorData.h"
#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

#include <charconv>
#include <limits>

namespace cupola::onnx_import {
namespace {

using onnx::TensorProto;

template <typename T> std::optional<T> parse(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional<T>(value) : std::nullopt;
}

/// A number of a type that TensorProto keeps in int32_data.
template <typename T> bool addSmall(std::string_view text, TensorProto &tensor) {
  const auto value = parse<int64_t>(text);
  if (!value || *value < std::numeric_limits<T>::min() || *value > std::numeric_limits<T>::max())
    return false;
  tensor.add_int32_data(static_cast<int32_t>(*value));
  return true;
}

bool addBool(std::string_view text, TensorProto &tensor) {
  const bool isTrue = text == "1" || text == "true";
  tensor.add_int32_data(isTrue);
  return isTrue || text == "0" || text == "false";
}

template <typename T, auto Add> bool addNumber(std::string_view text, TensorProto &tensor) {
  const auto value = parse<T>(text);
  (tensor.*Add)(value.value_or(T()));
  return value.has_value();
}

bool addUint32(std::string_view text, TensorProto &tensor) {
  const auto value = parse<uint32_t>(text);
  tensor.add_uint64_data(value.value_or(0));
  return value.has_value();
}

struct PinnedType {
  TensorProto::DataType type;
  bool (*add)(std::string_view text, TensorProto &tensor);
};

constexpr PinnedType types[] = {
    {TensorProto::BOOL, addBool},
    {TensorProto::INT8, addSmall<int8_t>},
    {TensorProto::UINT8, addSmall<uint8_t>},
    {TensorProto::INT16, addSmall<int16_t>},
    {TensorProto::UINT16, addSmall<uint16_t>},
    {TensorProto::INT32, addSmall<int32_t>},
    {TensorProto::UINT32, addUint32},
    {TensorProto::INT64, addNumber<int64_t, &TensorProto::add_int64_data>},
    {TensorProto::UINT64, addNumber<uint64_t, &TensorProto::add_uint64_data>},
    {TensorProto::FLOAT, addNumber<float, &TensorProto::add_float_data>},
    {TensorProto::DOUBLE, addNumber<double, &TensorProto::add_double_data>},
};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  if (text.empty())
    return parts;
  for (size_t comma; (comma = text.find(',')) != std::string_view::npos; text.remove_prefix(comma + 1))
    parts.push_back(text.substr(0, comma));
  parts.push_back(text);
  return parts;
}

/// The declared extents; what is unknown of a list is `count`. Nullopt: they do not hold `count` elements.
std::optional<std::vector<int64_t>> shapeFor(const onnx::TensorShapeProto &shape, int64_t count) {
  std::vector<int64_t> dims;
  for (const auto &dim : shape.dim())
    dims.push_back(extentOf(dim).value_or(shape.dim_size() == 1 ? count : -1));
  return elementCount(dims) == count ? std::optional(dims) : std::nullopt;
}

} // namespace

std::unique_ptr<TensorProto> pinnedValue(const onnx::ValueInfoProto &input, const std::string &text,
                                         Diagnostics &diagnostics) {
  const auto fail = [&](const std::string &what) {
    diagnostics.error(ErrorKind::Usage, "--set " + printable(input.name()) + ": " + what);
    return nullptr;
  };
  const auto &declared = input.type().tensor_type();
  const std::string element = elementTypeName(declared.elem_type());
  const PinnedType *type = nullptr;
  for (const PinnedType &row : types)
    if (row.type == declared.elem_type())
      type = &row;
  if (!type)
    return fail("the input has elements of " + element +
                ", expected bool, an integer type of 8 bits or more, float32 or float64");
  const std::vector<std::string_view> numbers = split(text);
  if (numbers.size() > maxPinnedElements)
    return fail(std::to_string(numbers.size()) + " values, expected at most " + std::to_string(maxPinnedElements));
  const auto dims = shapeFor(declared.shape(), static_cast<int64_t>(numbers.size()));
  if (!dims)
    return fail(std::to_string(numbers.size()) + " values, the input is declared as " + element +
                declaredShapeText(input));
  auto tensor = std::make_unique<TensorProto>();
  tensor->set_name(input.name());
  tensor->set_data_type(declared.elem_type());
  for (int64_t dim : *dims)
    tensor->add_dims(dim);
  for (std::string_view number : numbers)
    if (!type->add(number, *tensor))
      return fail(quoted(std::string(number)) + " is no " + element);
  return tensor;
}

} // namespace cupola::onnx_import
