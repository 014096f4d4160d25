//===- lib/Runtime/Npz/NpyStrings.cpp - strings of .npy members ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/Utf8.h"
#include "lib/Runtime/Npz/Npz.h"

#include <algorithm>

namespace cupola::npz {

namespace {

size_t codePoints(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count)
    runtime::nextCodePoint(text, at);
  return count;
}

void appendUtf32(std::string &bytes, std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const uint32_t point = runtime::nextCodePoint(text, at);
    for (unsigned shift = 0; shift < 32; shift += 8)
      bytes += static_cast<char>(point >> shift & 0xff);
  }
}

/// False: an element is no code point.
bool appendUtf8(std::string &text, std::string_view values) {
  for (size_t at = 0; at < values.size(); at += 4) {
    uint32_t point = 0;
    for (size_t i = 0; i < 4; ++i)
      point |= static_cast<uint32_t>(static_cast<uint8_t>(values[at + i])) << (8 * i);
    if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
      return false;
    runtime::appendCodePoint(text, point);
  }
  return true;
}

} // namespace

char stringKind(const Array &array) {
  return std::all_of(array.texts.begin(), array.texts.end(), runtime::isUtf8) ? 'U' : 'S';
}

size_t stringWidth(const Array &array, char kind) {
  size_t width = 1;
  for (const std::string &text : array.texts)
    width = std::max(width, kind == 'U' ? codePoints(text) : text.size());
  return width;
}

std::string packStrings(const Array &array, char kind, size_t width) {
  std::string bytes;
  const size_t each = width * (kind == 'U' ? 4 : 1);
  for (const std::string &text : array.texts) {
    const size_t end = bytes.size() + each;
    if (kind == 'U')
      appendUtf32(bytes, text);
    else
      bytes += text;
    bytes.resize(end, '\0');
  }
  return bytes;
}

std::optional<std::vector<std::string>> unpackStrings(std::string_view values, char kind, size_t width) {
  const size_t each = width * (kind == 'U' ? 4 : 1);
  std::vector<std::string> texts;
  for (size_t at = 0; at < values.size(); at += each) {
    std::string &text = texts.emplace_back();
    if (kind == 'S')
      text = values.substr(at, each);
    else if (!appendUtf8(text, values.substr(at, each)))
      return std::nullopt;
    text.resize(text.find_last_not_of('\0') + 1);
  }
  return texts;
}

} // namespace cupola::npz
