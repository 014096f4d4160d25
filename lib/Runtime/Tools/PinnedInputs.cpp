//===- lib/Runtime/Tools/PinnedInputs.cpp - Values of inputs that are no more ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/PinnedInputs.h"
#include "lib/Runtime/Text.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace cupola::runtime {

using format::DType;

namespace {

constexpr size_t mostNumbers = 256; ///< of --set

template <typename T> std::string textOf(const uint8_t *bytes) {
  T element;
  std::memcpy(&element, bytes, sizeof(T));
  if constexpr (!std::is_floating_point_v<T>)
    return std::to_string(element);
  char text[32];
  std::snprintf(text, sizeof(text), "%.*g", std::numeric_limits<T>::max_digits10, static_cast<double>(element));
  return text;
}

/// Element `i` of an array as the number that `text` begins with; false if it is another.
template <typename T> bool isElement(const uint8_t *bytes, const char *text, char **end) {
  T element;
  std::memcpy(&element, bytes, sizeof(T));
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(std::strtod(text, end)) == element;
  else if constexpr (std::is_unsigned_v<T>)
    return std::strtoull(text, end, 10) == element;
  else
    return std::strtoll(text, end, 10) == element;
}

bool isBool(const uint8_t *bytes, const char *text, char **end) {
  const bool isWord = std::strncmp(text, "true", 4) == 0 || std::strncmp(text, "false", 5) == 0;
  const bool value = *text == 't' || *text == '1';
  *end = const_cast<char *>(text + std::strcspn(text, ","));
  return (isWord || *text == '0' || *text == '1') && value == (*bytes != 0);
}

struct NumberType {
  DType dtype;
  bool (*isSame)(const uint8_t *bytes, const char *text, char **end);
  std::string (*text)(const uint8_t *bytes);
};

constexpr NumberType numberTypes[] = {
    {DType::Bool, isBool, textOf<uint8_t>},
    {DType::I8, isElement<int8_t>, textOf<int8_t>},
    {DType::U8, isElement<uint8_t>, textOf<uint8_t>},
    {DType::I16, isElement<int16_t>, textOf<int16_t>},
    {DType::U16, isElement<uint16_t>, textOf<uint16_t>},
    {DType::I32, isElement<int32_t>, textOf<int32_t>},
    {DType::U32, isElement<uint32_t>, textOf<uint32_t>},
    {DType::I64, isElement<int64_t>, textOf<int64_t>},
    {DType::U64, isElement<uint64_t>, textOf<uint64_t>},
    {DType::F32, isElement<float>, textOf<float>},
    {DType::F64, isElement<double>, textOf<double>},
};

/// Null for types that no option takes.
const NumberType *numberType(DType dtype) {
  const auto row = std::find_if(std::begin(numberTypes), std::end(numberTypes),
                                [&](const NumberType &entry) { return entry.dtype == dtype; });
  return row == std::end(numberTypes) ? nullptr : row;
}

bool agrees(const npz::Array &array, const std::string &text) {
  const NumberType *row = numberType(array.dtype);
  if (!row)
    return false;
  const char *at = text.c_str();
  const size_t size = format::byteSize(array.dtype);
  for (size_t i = 0; i < array.bytes.size(); i += size) {
    char *end = nullptr;
    if (!row->isSame(array.bytes.data() + i, at, &end))
      return false;
    at = *end == ',' ? end + 1 : end;
  }
  return *at == '\0';
}

} // namespace

std::optional<std::string> valueText(const npz::Array &array) {
  const NumberType *row = numberType(array.dtype);
  const size_t size = format::byteSize(array.dtype);
  if (!row || array.bytes.size() > mostNumbers * size)
    return std::nullopt;
  std::string text;
  for (size_t i = 0; i < array.bytes.size(); i += size)
    text += (i == 0 ? "" : ",") + row->text(array.bytes.data() + i);
  return text;
}

Status takePinned(const PinnedInputs &pinned, std::vector<npz::Array> &arrays) {
  for (const auto &[name, text] : pinned)
    for (size_t i = arrays.size(); i-- > 0;) {
      if (arrays[i].name != name && arrays[i].name != "in:" + name)
        continue;
      if (!agrees(arrays[i], text))
        return Status::usage("input " + quote(name) + " has another value than the model was compiled for, " + text);
      arrays.erase(arrays.begin() + static_cast<ptrdiff_t>(i));
    }
  return Status::ok();
}

} // namespace cupola::runtime
