//===- lib/Runtime/Tools/PinnedInputs.cpp - Values of inputs that are no more ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/PinnedInputs.h"
#include "lib/Runtime/Text.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace cupola::runtime {

using format::DType;

namespace {

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

struct Comparison {
  DType dtype;
  bool (*isSame)(const uint8_t *bytes, const char *text, char **end);
};

constexpr Comparison comparisons[] = {
    {DType::Bool, isBool},
    {DType::I8, isElement<int8_t>},
    {DType::U8, isElement<uint8_t>},
    {DType::I16, isElement<int16_t>},
    {DType::U16, isElement<uint16_t>},
    {DType::I32, isElement<int32_t>},
    {DType::U32, isElement<uint32_t>},
    {DType::I64, isElement<int64_t>},
    {DType::U64, isElement<uint64_t>},
    {DType::F32, isElement<float>},
    {DType::F64, isElement<double>},
};

bool agrees(const npz::Array &array, const std::string &text) {
  const auto row = std::find_if(std::begin(comparisons), std::end(comparisons),
                                [&](const Comparison &entry) { return entry.dtype == array.dtype; });
  if (row == std::end(comparisons))
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
