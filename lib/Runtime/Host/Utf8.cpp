//===- lib/Runtime/Host/Utf8.cpp - code points of texts ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/Utf8.h"

namespace cupola::runtime {

/// How many bytes begin a code point whose first one is `lead`; 0: it begins none.
static size_t lengthOf(uint8_t lead) {
  return lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
}

/// Nothing that has a shorter form, is half a pair of UTF-16, or lies above the last code point.
static bool isScalar(uint32_t point, size_t length) {
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  return point >= kLeast[length] && point < 0x110000 && (point < 0xd800 || point > 0xdfff);
}

/// 0: none begins here.
static size_t decode(std::string_view text, size_t at, uint32_t &point) {
  const auto lead = static_cast<uint8_t>(text[at]);
  const size_t length = lengthOf(lead);
  if (length == 0 || length > text.size() - at)
    return 0;
  point = length == 1 ? lead : lead & (0x7fU >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<uint8_t>(text[at + i]);
    if ((byte & 0xc0) != 0x80)
      return 0;
    point = point << 6 | (byte & 0x3f);
  }
  return isScalar(point, length) ? length : 0;
}

uint32_t nextCodePoint(std::string_view text, size_t &at) {
  uint32_t point = 0;
  const size_t length = decode(text, at, point);
  at += length == 0 ? 1 : length;
  return length == 0 ? kReplacement : point;
}

void appendCodePoint(std::string &text, uint32_t point) {
  const auto add = [&](uint32_t byte) { text += static_cast<char>(byte); };
  const auto follow = [&](unsigned shift) { add(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80)
    return add(point);
  if (point < 0x800)
    return add(0xc0 | point >> 6), follow(0);
  if (point < 0x10000)
    return add(0xe0 | point >> 12), follow(6), follow(0);
  add(0xf0 | point >> 18), follow(12), follow(6), follow(0);
}

bool isUtf8(std::string_view text) {
  uint32_t point = 0;
  for (size_t at = 0, length; at < text.size(); at += length)
    if ((length = decode(text, at, point)) == 0)
      return false;
  return true;
}

} // namespace cupola::runtime
