//===- lib/Import/Onnx/Text.cpp - text that comes from a model -------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Text.h"

#include <charconv>

namespace cupola::onnx_import {
namespace {

struct Decoded {
  uint32_t point = 0;
  size_t bytes = 0; ///< 0: malformed
};

/// The code point at the front of non-empty `text`.
Decoded decode(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80)
    return {lead, 1};
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length)
    return {};
  uint32_t point = lead & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80)
      return {};
    point = point << 6 | (at(i) & 0x3fu);
  }
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  if (overlong || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
    return {};
  return {point, length};
}

/// Characters that move the cursor, turn the writing direction or are invisible.
bool isFormatting(uint32_t p) {
  return p < 0x20 || (p >= 0x7f && p < 0xa0) || (p >= 0x200b && p <= 0x200f) || (p >= 0x2028 && p <= 0x202e) ||
         (p >= 0x2060 && p <= 0x206f) || p == 0xfeff || p == 0x061c || (p >= 0xe0000 && p <= 0xe007f);
}

std::string hex(uint32_t value, int digits) {
  std::string text;
  for (int i = digits - 1; i >= 0; --i)
    text += "0123456789abcdef"[value >> (4 * i) & 15];
  return text;
}

std::string escaped(uint32_t point) {
  if (point == '\n')
    return "\\n";
  if (point == '\t')
    return "\\t";
  if (point < 0x100)
    return "\\x" + hex(point, 2);
  return point < 0x10000 ? "\\u" + hex(point, 4) : "\\U" + hex(point, 8);
}

} // namespace

bool isCleanText(std::string_view text) {
  while (!text.empty()) {
    const Decoded next = decode(text);
    if (next.bytes == 0 || next.point == 0)
      return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

std::string printable(std::string_view text, size_t limit, bool quotes) {
  std::string result;
  while (!text.empty()) {
    if (result.size() >= limit)
      return result + "...";
    const Decoded next = decode(text);
    const size_t taken = next.bytes ? next.bytes : 1;
    if (!next.bytes)
      result += "\\x" + hex(static_cast<unsigned char>(text[0]), 2);
    else if (isFormatting(next.point))
      result += escaped(next.point);
    else if (!quotes && (next.point == '\'' || next.point == '\\'))
      (result += '\\') += static_cast<char>(next.point);
    else
      result += text.substr(0, taken);
    text.remove_prefix(taken);
  }
  return result;
}

std::string quoted(std::string_view text) { return "'" + printable(text) + "'"; }

std::string listText(const std::vector<int64_t> &values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i == 16)
      return text + ", ...]";
    text += (i ? ", " : "") + std::to_string(values[i]);
  }
  return text + "]";
}

std::optional<int64_t> parseCount(std::string_view text) {
  int64_t value = 0;
  if (text.empty() || text[0] < '0' || text[0] > '9')
    return std::nullopt;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

} // namespace cupola::onnx_import
