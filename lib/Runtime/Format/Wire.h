//===- lib/Runtime/Format/Wire.h - Protobuf's wire format, the part we use ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The manifest is a Protobuf message (manifest.proto) so that any Protobuf tool
// reads it. The runtime encodes it itself: linking Protobuf into a library that
// lives in other people's processes invites clashes of its global state, and the
// static archives of distributions cannot go into a shared object.
//
// Reference: https://protobuf.dev/programming-guides/encoding/
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_WIRE_H
#define CUPOLA_LIB_RUNTIME_FORMAT_WIRE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace cupola::format {

enum class WireType : uint32_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

inline uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
inline int64_t unzigzag(uint64_t value) { return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1); }

class WireWriter {
public:
  void varint(uint64_t value);
  void tag(uint32_t field, WireType type);
  void bytes(uint32_t field, std::string_view value);
  const std::string &text() const { return out; }

private:
  std::string out;
};

/// Reads one message. The first mistake makes every later call return zero and
/// `failed` true.
class WireReader {
public:
  explicit WireReader(std::string_view input) : rest(input) {}

  bool atEnd() const { return broken || rest.empty(); }
  bool failed() const { return broken; }
  void fail() { broken = true; }

  uint64_t varint();
  /// The next field's number; its type is `type()` until the next call.
  uint32_t tag();
  WireType type() const { return current; }
  std::string_view bytes();
  /// Steps over the value of a field that this version does not know.
  void skip();

private:
  std::string_view take(uint64_t count);

  std::string_view rest;
  WireType current = WireType::Varint;
  bool broken = false;
};

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_WIRE_H
