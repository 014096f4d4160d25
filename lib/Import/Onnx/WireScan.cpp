//===- lib/Import/Onnx/WireScan.cpp - look at a model before parsing it ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/WireScan.h"

#include "lib/Import/Onnx/Text.h"
#include "lib/Import/Onnx/WireSchema.h"

#include <array>
#include <vector>

namespace cupola::onnx_import {
namespace {

struct Frame {
  Message message;
  size_t end;                       ///< offset of the first byte behind it
  const char *field;                ///< of the parent, for the error's path
  int64_t index;                    ///< how many of that field came before
  std::array<int64_t, 32> counts{}; ///< per field number
};

class Scanner {
public:
  Scanner(std::string_view bytes, const Limits &limits, Diagnostics &diagnostics)
      : bytes(bytes), limits(limits), diagnostics(diagnostics) {}

  bool run();

private:
  std::string_view bytes;
  const Limits &limits;
  Diagnostics &diagnostics;
  size_t position = 0;
  std::vector<Frame> stack;
  std::vector<std::pair<int64_t Limits::*, int64_t>> totals; ///< counts over the file

  bool field();
  bool lengthDelimited(const FieldRule *rule);
  bool skipFixed(size_t count);
  bool varint(uint64_t &value);
  bool text(const FieldRule &rule, size_t length);
  bool count(const FieldRule &rule, int64_t amount);
  bool fail(const std::string &what, ErrorKind kind = ErrorKind::BadModel);
  std::string path(const FieldRule *leaf) const;
};

std::string Scanner::path(const FieldRule *leaf) const {
  std::string result;
  for (const Frame &frame : stack)
    if (frame.field)
      result += std::string(frame.field) + "[" + std::to_string(frame.index) + "].";
  if (leaf)
    return result + leaf->name;
  if (result.empty())
    return "the model";
  result.pop_back();
  return result;
}

bool Scanner::fail(const std::string &what, ErrorKind kind) {
  diagnostics.error(kind, "byte " + std::to_string(position) + ": " + what);
  return false;
}

bool Scanner::varint(uint64_t &value) {
  value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (position == stack.back().end)
      return fail("the data ends inside a number of " + path(nullptr));
    const auto byte = static_cast<unsigned char>(bytes[position++]);
    if (shift < 64)
      value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return fail("a number of " + path(nullptr) + " has more than 10 bytes");
}

bool Scanner::skipFixed(size_t count) {
  if (stack.back().end - position < count)
    return fail("the data ends inside a number of " + path(nullptr));
  position += count;
  return true;
}

bool Scanner::count(const FieldRule &rule, int64_t amount) {
  int64_t *total = &stack.back().counts[rule.number];
  if (rule.wholeFile) {
    total = nullptr;
    for (auto &[limit, number] : totals)
      if (limit == rule.limit)
        total = &number;
    if (!total)
      total = &totals.emplace_back(rule.limit, 0).second;
    ++stack.back().counts[rule.number];
  }
  *total += amount; // at most the number of bytes of the file
  if (!rule.limit || *total <= limits.*rule.limit)
    return true;
  return fail(exceeds(limits, rule.limit, "the number of " + path(&rule) + " entries, " + std::to_string(*total) + ","),
              ErrorKind::Limit);
}

bool Scanner::text(const FieldRule &rule, size_t length) {
  const auto limit = rule.kind == FieldKind::Name ? &Limits::nameBytes : &Limits::textBytes;
  if (length > static_cast<uint64_t>(limits.*limit))
    return fail(exceeds(limits, limit, path(&rule) + " with " + std::to_string(length) + " bytes"), ErrorKind::Limit);
  if (!isCleanText(bytes.substr(position, length)))
    return fail(path(&rule) + " is " + quoted(bytes.substr(position, length)) + ", expected UTF-8 text without NUL");
  position += length;
  return true;
}

bool Scanner::lengthDelimited(const FieldRule *rule) {
  uint64_t length = 0;
  if (!varint(length))
    return false;
  const size_t left = stack.back().end - position;
  if (length > left)
    return fail(path(rule) + " says that it has " + std::to_string(length) + " bytes, but " + std::to_string(left) +
                " are left");
  if (!rule) {
    position += length;
    return true;
  }
  const int64_t index = stack.back().counts[rule->number];
  const bool numbers = rule->kind == FieldKind::Varints || rule->kind == FieldKind::Floats;
  const int64_t elementBytes = rule->kind == FieldKind::Floats ? 4 : 1;
  if (!count(*rule, numbers ? static_cast<int64_t>(length) / elementBytes : 1))
    return false;
  if (rule->kind == FieldKind::Name || rule->kind == FieldKind::Text)
    return text(*rule, length);
  if (rule->kind != FieldKind::Message || rule->child == Message::Opaque) {
    position += length;
    return true;
  }
  if (stack.size() == static_cast<size_t>(maxMessageDepth))
    return fail("messages are nested more than " + std::to_string(maxMessageDepth) +
                " deep (about 32 graphs inside graphs)");
  stack.push_back({rule->child, position + length, rule->name, index, {}});
  return true;
}

bool Scanner::field() {
  uint64_t tag = 0;
  if (!varint(tag))
    return false;
  const uint64_t number = tag >> 3;
  if (number == 0 || number >= (1u << 29))
    return fail("field number " + std::to_string(number) + " in " + path(nullptr) + ", expected 1 to 536870911");
  const FieldRule *rule = findField(stack.back().message, static_cast<uint32_t>(number));
  uint64_t ignored = 0;
  switch (tag & 7) {
  case 0:
    return varint(ignored) && (!rule || rule->kind != FieldKind::Varints || count(*rule, 1));
  case 1:
    return skipFixed(8);
  case 2:
    return lengthDelimited(rule);
  case 5:
    return skipFixed(4) && (!rule || rule->kind != FieldKind::Floats || count(*rule, 1));
  default:
    return fail("wire type " + std::to_string(tag & 7) + " in " + path(nullptr) + ", expected 0, 1, 2 or 5");
  }
}

bool Scanner::run() {
  stack.push_back({Message::Model, bytes.size(), nullptr, 0, {}});
  while (!stack.empty()) {
    if (position == stack.back().end)
      stack.pop_back();
    else if (!field())
      return false;
  }
  return true;
}

} // namespace

bool scanModelBytes(std::string_view bytes, const Limits &limits, Diagnostics &diagnostics) {
  return Scanner(bytes, limits, diagnostics).run();
}

} // namespace cupola::onnx_import
