//===- lib/Runtime/Npz/Npy.cpp - One .npy member ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The header is a Python literal: {'descr': '<f4', 'fortran_order': False,
// 'shape': (2, 3), }, in any order of keys.
//===----------------------------------------------------------------------===//
#include "lib/Runtime/Format/Checked.h"
#include "lib/Runtime/Npz/Npz.h"

#include <cctype>
#include <charconv>
#include <cstring>

namespace cupola::npz {

namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr uint64_t kMostEmptyStrings = uint64_t(1) << 24;

/// Of single bytes, and of bits without a meaning, the order is not said.
bool hasOrder(const format::ElementType &row) { return row.bytes > 1 && row.npy[0] != 'V'; }

/// The type that .npy calls so, or null; values of several bytes are read little-endian.
const format::ElementType *elementTypeOf(std::string_view descr) {
  if (descr.size() == 3 && (descr.substr(1) == "V1" || descr.substr(1) == "f1")) // of several types: see takeBits
    return &format::rowOf(format::DType::U8);
  return format::findElementType([&](const format::ElementType &row) {
    return isComputed(row.dtype) && !descr.empty() && descr.substr(1) == row.npy &&
           (descr[0] == '<' || (descr[0] == '|' && !hasOrder(row)));
  });
}

Status bad(const std::string &what) { return Status::usage("not a readable .npy: " + what); }

struct Header {
  std::string descr;
  bool columnMajor = false;
  std::vector<int64_t> shape;
};

/// Reads the literal; every function leaves `text` behind what it read.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  bool parse(Header &header) {
    bool sawDescr = false, sawOrder = false, sawShape = false;
    if (!symbol('{'))
      return false;
    while (!symbol('}')) {
      std::string key;
      if (!string(key) || !symbol(':'))
        return false;
      if (key == "descr")
        sawDescr = string(header.descr);
      else if (key == "fortran_order")
        sawOrder = boolean(header.columnMajor);
      else if (key == "shape")
        sawShape = tuple(header.shape);
      else
        return false;
      if (!symbol(',') && !peek('}'))
        return false;
    }
    return sawDescr && sawOrder && sawShape;
  }

private:
  bool peek(char c) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0])))
      text.remove_prefix(1);
    return !text.empty() && text[0] == c;
  }
  bool symbol(char c) {
    if (!peek(c))
      return false;
    text.remove_prefix(1);
    return true;
  }
  bool string(std::string &value) {
    const char quote = peek('"') ? '"' : '\'';
    if (!symbol(quote))
      return false;
    const size_t end = text.find(quote);
    if (end == std::string_view::npos)
      return false;
    value = std::string(text.substr(0, end));
    text.remove_prefix(end + 1);
    return true;
  }
  bool boolean(bool &value) {
    for (bool candidate : {false, true}) {
      const std::string_view word = candidate ? "True" : "False";
      if (peek(word[0]) && text.substr(0, word.size()) == word) {
        text.remove_prefix(word.size());
        value = candidate;
        return true;
      }
    }
    return false;
  }
  bool tuple(std::vector<int64_t> &values) {
    if (!symbol('('))
      return false;
    while (!symbol(')')) {
      int64_t &value = values.emplace_back(0);
      peek(' ');
      if (text.empty() || !std::isdigit(static_cast<unsigned char>(text[0])))
        return false;
      for (; !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])); text.remove_prefix(1))
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text[0] - '0', &value))
          return false;
      if (!symbol(',') && !peek(')'))
        return false;
    }
    return true;
  }

  std::string_view text;
};

/// The literal and where the values begin.
Result<std::string_view> headerText(std::string_view npy, uint64_t &dataStart) {
  if (npy.size() < 10 || npy.substr(0, kNpyMagic.size()) != kNpyMagic)
    return bad("it does not begin with numpy's magic bytes");
  const auto byte = [&](size_t at) { return static_cast<uint64_t>(static_cast<uint8_t>(npy[at])); };
  const uint64_t major = byte(6);
  if (major < 1 || major > 3)
    return bad("version " + std::to_string(major) + ", 1 to 3 are read");
  const uint64_t start = major == 1 ? 10 : 12;
  if (npy.size() < start)
    return bad("its header is cut off");
  uint64_t length = byte(8) | byte(9) << 8;
  if (major > 1)
    length |= byte(10) << 16 | byte(11) << 24;
  if (!format::fits(start, length, npy.size()))
    return bad("its header is cut off");
  dataStart = start + length;
  return npy.substr(start, length);
}

/// From column-major to row-major order.
std::vector<uint8_t> transposed(std::string_view values, const std::vector<int64_t> &shape, size_t element) {
  std::vector<uint8_t> out(values.size());
  std::vector<int64_t> index(shape.size());
  for (size_t at = 0; at < values.size(); at += element) {
    size_t source = 0;
    for (size_t d = shape.size(); d-- > 0;)
      source = source * static_cast<size_t>(shape[d]) + static_cast<size_t>(index[d]);
    std::memcpy(&out[at], &values[source * element], element);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
  return out;
}

/// "<U5", "|S5"
struct StringKind {
  char kind;
  size_t width;

  static std::optional<StringKind> of(std::string_view descr) {
    if (descr.size() < 3 || (descr.substr(0, 2) != "<U" && descr.substr(0, 2) != "|S"))
      return std::nullopt;
    StringKind result{descr[1], 0};
    const char *end = descr.data() + descr.size();
    const std::from_chars_result read = std::from_chars(descr.data() + 2, end, result.width);
    constexpr size_t kMostWidth = size_t(1) << 30;
    if (read.ec != std::errc() || read.ptr != end || result.width > kMostWidth)
      return std::nullopt;
    return result;
  }
  size_t bytes() const { return width * (kind == 'U' ? 4 : 1); }
};

/// An array of empty strings has no bytes at all.
Result<Array> parseStrings(const Header &header, const StringKind &kind, std::string_view values) {
  Array array;
  array.dtype = format::DType::String;
  array.shape = header.shape;
  format::Size count = 1;
  for (int64_t extent : header.shape)
    count = count * format::Size(static_cast<uint64_t>(extent));
  if ((count * format::Size(kind.bytes())).value() != values.size())
    return bad("it holds " + std::to_string(values.size()) + " bytes of strings, which its shape does not give");
  if (kind.width == 0) {
    if (*count.value() > kMostEmptyStrings)
      return bad("it holds " + std::to_string(*count.value()) + " empty strings");
    array.texts.resize(*count.value());
    return array;
  }
  std::vector<uint8_t> turned;
  if (header.columnMajor && header.shape.size() > 1) {
    turned = transposed(values, array.shape, kind.bytes());
    values = {reinterpret_cast<const char *>(turned.data()), turned.size()};
  }
  std::optional<std::vector<std::string>> texts = unpackStrings(values, kind.kind, kind.width);
  if (!texts)
    return bad("a string has a number that is no code point");
  array.texts = std::move(*texts);
  return array;
}

} // namespace

Result<Array> parseNpy(std::string_view npy) {
  uint64_t dataStart = 0;
  CUPOLA_ASSIGN(std::string_view text, headerText(npy, dataStart));
  Header header;
  if (!HeaderParser(text).parse(header))
    return bad("its header is '" + std::string(text.substr(0, 80)) + "'");
  if (const auto kind = StringKind::of(header.descr))
    return parseStrings(header, *kind, npy.substr(dataStart));
  Array array;
  const format::ElementType *type = elementTypeOf(header.descr);
  if (header.descr == "|O")
    return bad("it holds pickled objects; strings of a fixed width (dtype 'U' or 'S') are read");
  if (!type)
    return bad("element type '" + header.descr + "' is not read");
  array.dtype = type->dtype;
  format::Size bytes = format::byteSize(array.dtype);
  for (int64_t extent : header.shape)
    bytes = bytes * format::Size(static_cast<uint64_t>(extent));
  const std::string_view values = npy.substr(dataStart);
  if (bytes.value() != values.size())
    return bad("it holds " + std::to_string(values.size()) + " bytes of values, which its shape does not give");
  array.shape = header.shape;
  if (header.columnMajor && header.shape.size() > 1)
    array.bytes = transposed(values, array.shape, format::byteSize(array.dtype));
  else
    array.bytes.assign(values.begin(), values.end());
  return array;
}

bool holdsBitsOf(format::DType array, format::DType declared) {
  using format::DType;
  if (declared == DType::BF16)
    return array == DType::U16;
  return format::byteSize(declared) == 1 && !isComputed(declared) && (array == DType::U8 || array == DType::I8);
}

void takeBits(Array &array, format::DType declared) {
  if (!holdsBitsOf(array.dtype, declared))
    return;
  array.dtype = declared;
  if (format::byteSize(declared) == 1)
    for (uint8_t &byte : array.bytes)
      byte &= (1U << format::rowOf(declared).bits) - 1;
}

std::string npyHeader(const Array &array) {
  const format::ElementType &row = format::rowOf(array.dtype);
  std::string descr = (hasOrder(row) ? "<" : "|") + std::string(row.npy);
  if (array.dtype == format::DType::String) {
    const char kind = stringKind(array);
    descr = (kind == 'U' ? "<U" : "|S") + std::to_string(stringWidth(array, kind));
  }
  std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : array.shape)
    text += std::to_string(extent) + (array.shape.size() == 1 ? "," : ", ");
  if (array.shape.size() > 1)
    text.resize(text.size() - 2);
  text += "), }";
  // Spaces and a line end bring the values to a multiple of 64.
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  std::string header(kNpyMagic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

} // namespace cupola::npz
