//===- lib/Runtime/Host/ImageBmp.cpp - Windows bitmaps ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/Image.h"

#include <algorithm>
#include <cstdlib>

namespace cupola::runtime {
namespace {

/// Numbers at places of a file that is long enough.
uint32_t number(std::string_view file, size_t at, size_t bytes) {
  uint32_t value = 0;
  for (size_t i = bytes; i-- > 0;)
    value = value << 8 | static_cast<uint8_t>(file[at + i]);
  return value;
}

/// What stands before the pixels; rows are padded to 4 bytes, and begin at the bottom unless the height is negative.
struct Header {
  ImageExtents extents;
  bool isFromTop = false;
  uint32_t bits = 0, colours = 0;
  uint64_t palette = 0, begin = 0;
  uint64_t rowBytes() const { return (extents.width * bits + 31) / 32 * 4; }
};

constexpr size_t kShortest = 14 + 40;

Result<Header> headerOf(std::string_view file) {
  if (file.size() < kShortest)
    return Status::usage("it has " + std::to_string(file.size()) + " bytes, its header alone takes " +
                         std::to_string(kShortest));
  Header header;
  const uint32_t size = number(file, 14, 4), form = number(file, 30, 4);
  if (size < 40 || size > 124)
    return Status::usage("its header has " + std::to_string(size) + " bytes, expected 40 to 124");
  const auto width = static_cast<int32_t>(number(file, 18, 4)), height = static_cast<int32_t>(number(file, 22, 4));
  if (width < 0)
    return Status::usage("it is " + std::to_string(width) + " pixels wide");
  header.extents = {static_cast<uint64_t>(std::llabs(static_cast<long long>(height))), static_cast<uint64_t>(width)};
  header.isFromTop = height < 0;
  header.bits = number(file, 28, 2);
  const bool hasPalette = header.bits == 1 || header.bits == 4 || header.bits == 8;
  if (form != 0 || (!hasPalette && header.bits != 24 && header.bits != 32))
    return Status::usage("it has " + std::to_string(header.bits) + " bits a pixel in form " + std::to_string(form) +
                         ", supported are 1, 4, 8, 24 and 32 in form 0, which is not compressed");
  const uint32_t most = hasPalette ? 1u << header.bits : 0, used = number(file, 46, 4);
  header.colours = used == 0 ? most : std::min(used, most);
  header.palette = 14 + uint64_t(size);
  header.begin = number(file, 10, 4);
  return header;
}

Result<ImageExtents> extentsOf(std::string_view file) {
  CUPOLA_ASSIGN(const Header header, headerOf(file));
  return header.extents;
}

/// Blue, green and red of a pixel lie behind each other, in the file and in its palette.
Result<uint64_t> placeOf(std::string_view file, const Header &header, uint64_t row, uint64_t column) {
  const uint64_t start = header.begin + row * header.rowBytes();
  if (header.bits >= 24)
    return start + column * (header.bits / 8);
  const uint64_t bit = column * header.bits;
  const uint32_t byte = static_cast<uint8_t>(file[start + bit / 8]);
  const uint32_t colour = byte >> (8 - header.bits - bit % 8) & ((1u << header.bits) - 1);
  if (colour >= header.colours)
    return Status::usage("a pixel has colour " + std::to_string(colour) + " of " + std::to_string(header.colours));
  return header.palette + 4 * uint64_t(colour);
}

Status decode(std::string_view file, const ImageExtents &extents, uint8_t *pixels) {
  CUPOLA_ASSIGN(const Header header, headerOf(file));
  const uint64_t end = header.begin + header.rowBytes() * extents.height;
  if (std::max(end, header.palette + 4 * uint64_t(header.colours)) > file.size())
    return Status::usage("it has " + std::to_string(file.size()) + " bytes, and pixels up to byte " +
                         std::to_string(end));
  for (uint64_t y = 0; y < extents.height; ++y)
    for (uint64_t x = 0; x < extents.width; ++x) {
      CUPOLA_ASSIGN(const uint64_t at, placeOf(file, header, header.isFromTop ? y : extents.height - 1 - y, x));
      for (size_t c = 0; c < 3; ++c)
        *pixels++ = static_cast<uint8_t>(file[at + 2 - c]);
    }
  return Status::ok();
}

} // namespace

const ImageFormat kBmp = {"BMP", [](std::string_view file) { return file.substr(0, 2) == "BM"; }, extentsOf, decode};

} // namespace cupola::runtime
