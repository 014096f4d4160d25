//===- lib/Runtime/Format/Wire.cpp - Protobuf's wire format, the part we use ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Wire.h"

namespace cupola::format {

void WireWriter::varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void WireWriter::tag(uint32_t field, WireType type) { varint(uint64_t(field) << 3 | static_cast<uint32_t>(type)); }

void WireWriter::bytes(uint32_t field, std::string_view value) {
  tag(field, WireType::Bytes);
  varint(value.size());
  out.append(value);
}

uint64_t WireReader::varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !atEnd(); shift += 7) {
    const auto byte = static_cast<uint8_t>(rest.front());
    rest.remove_prefix(1);
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80) {
      broken |= shift == 63 && byte > 1; // bits beyond the 64th
      return broken ? 0 : value;
    }
  }
  fail();
  return 0;
}

uint32_t WireReader::tag() {
  const uint64_t word = varint();
  current = static_cast<WireType>(word & 7);
  const uint64_t field = word >> 3;
  if (field == 0 || field >= uint64_t(1) << 29)
    fail();
  return broken ? 0 : static_cast<uint32_t>(field);
}

std::string_view WireReader::take(uint64_t count) {
  if (broken || count > rest.size()) {
    fail();
    return {};
  }
  const std::string_view taken = rest.substr(0, count);
  rest.remove_prefix(count);
  return taken;
}

std::string_view WireReader::bytes() { return take(varint()); }

void WireReader::skip() {
  switch (current) {
  case WireType::Varint:
    varint();
    return;
  case WireType::Fixed64:
    take(8);
    return;
  case WireType::Bytes:
    bytes();
    return;
  case WireType::Fixed32:
    take(4);
    return;
  }
  fail();
}

} // namespace cupola::format
