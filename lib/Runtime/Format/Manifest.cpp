//===- lib/Runtime/Format/Manifest.cpp - Package structs to and from manifest bytes ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Beside each struct (Plan.h, Step.h, LibraryCall.h) a function `fields` lists its
// fields as manifest.proto numbers them. The encoder and the decoder are two visitors
// of these lists, so they cannot disagree; test/Runtime/ManifestTest.cpp holds them
// against the code that protoc makes of manifest.proto.
//===----------------------------------------------------------------------===//
#include "lib/Runtime/Format/Manifest.h"
#include "lib/Runtime/Format/Wire.h"

#include <limits>
#include <type_traits>

namespace cupola::format {

namespace {

template <typename T> constexpr bool isNumber = std::is_integral_v<T> || std::is_enum_v<T>;

template <typename T> uint64_t toWire(T value) {
  if constexpr (std::is_same_v<T, int64_t>)
    return zigzag(value);
  else
    return static_cast<uint64_t>(value);
}

/// Writes what differs from zero, as proto3 does.
class Encoder {
public:
  template <typename T> using Ref = const T &;

  template <typename T> void operator()(uint32_t field, const T &value) {
    if constexpr (isNumber<T>) {
      if (toWire(value) != 0) {
        out.tag(field, WireType::Varint);
        out.varint(toWire(value));
      }
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!value.empty())
        out.bytes(field, value);
    } else {
      const std::string nested = encode(value);
      if (!nested.empty())
        out.bytes(field, nested);
    }
  }

  template <typename T> void operator()(uint32_t field, const std::vector<T> &values) {
    if constexpr (isNumber<T>) {
      WireWriter packed;
      for (T value : values)
        packed.varint(toWire(value));
      if (!values.empty())
        out.bytes(field, packed.text());
    } else if constexpr (std::is_same_v<T, std::string>) {
      for (const std::string &value : values)
        out.bytes(field, value);
    } else {
      for (const T &value : values)
        out.bytes(field, encode(value));
    }
  }

  template <typename T> static std::string encode(const T &value) {
    Encoder encoder;
    fields<Encoder>(encoder, value);
    return encoder.out.text();
  }

private:
  WireWriter out;
};

/// Offers the field at the reader's position to the list; the entry with its
/// number takes it. The messages nest to a fixed depth, so recursion is bounded.
class Decoder {
public:
  template <typename T> using Ref = T &;

  explicit Decoder(std::string_view bytes) : in(bytes) {}

  template <typename T> bool decode(T &value) {
    // A proto3 field that is not there is zero, whatever the struct starts with.
    reset = true;
    fields<Decoder>(*this, value);
    reset = false;
    while (!in.atEnd()) {
      number = in.tag();
      taken = false;
      fields<Decoder>(*this, value);
      if (!taken)
        in.skip();
    }
    return !in.failed();
  }

  template <typename T> void operator()(uint32_t field, T &value) {
    if (reset)
      return clear(value);
    if (field != number || taken || in.failed())
      return;
    taken = true;
    if constexpr (isNumber<T>)
      expect(WireType::Varint) ? readNumber(in, value) : in.fail();
    else
      expect(WireType::Bytes) ? readBytes(value) : in.fail();
  }

  template <typename T> void operator()(uint32_t field, std::vector<T> &values) {
    if (reset)
      return values.clear();
    if (field != number || taken || in.failed())
      return;
    taken = true;
    if (!expect(WireType::Bytes))
      return in.fail();
    if constexpr (isNumber<T>) {
      WireReader packed(in.bytes());
      while (!packed.atEnd())
        readNumber(packed, values.emplace_back());
      if (packed.failed())
        in.fail();
    } else {
      readBytes(values.emplace_back());
    }
  }

private:
  bool expect(WireType type) const { return in.type() == type; }

  template <typename T> static void clear(T &value) {
    if constexpr (isNumber<T>)
      value = static_cast<T>(0);
    else if constexpr (std::is_same_v<T, std::string>)
      value.clear();
    else
      Decoder({}).decode(value);
  }

  template <typename T> static void readNumber(WireReader &from, T &value) {
    const uint64_t word = from.varint();
    if constexpr (std::is_same_v<T, int64_t>) {
      value = unzigzag(word);
    } else if constexpr (std::is_same_v<T, bool>) {
      value = word != 0;
    } else if constexpr (std::is_enum_v<T>) {
      using Under = std::underlying_type_t<T>;
      word > std::numeric_limits<Under>::max() ? from.fail() : void(value = T(word));
    } else {
      word > std::numeric_limits<T>::max() ? from.fail() : void(value = T(word));
    }
  }

  template <typename T> void readBytes(T &value) {
    const std::string_view bytes = in.bytes();
    if constexpr (std::is_same_v<T, std::string>)
      value = std::string(bytes);
    else if (!in.failed() && !Decoder(bytes).decode(value))
      in.fail();
  }

  WireReader in;
  uint32_t number = 0;
  bool taken = false;
  bool reset = false;
};

} // namespace

std::string serializeManifest(const Package &package) { return Encoder::encode(package); }

Status parseManifest(std::string_view bytes, Package &package) {
  if (!Decoder(bytes).decode(package))
    return Status::package("the manifest is not a valid message");
  return Status::ok();
}

} // namespace cupola::format
