//===- lib/Runtime/Host/ImagePnm.cpp - portable maps of gray and colours ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/Image.h"

namespace cupola::runtime {
namespace {

/// P2 and P5 have one number for each pixel, P3 and P6 three; P2 and P3 as texts, P5 and P6 as bytes.
class Reader {
public:
  explicit Reader(std::string_view file) : file(file), at(2) {}

  Result<ImageExtents> header() {
    ImageExtents extents;
    CUPOLA_ASSIGN(extents.width, number());
    CUPOLA_ASSIGN(extents.height, number());
    CUPOLA_ASSIGN(most, number());
    if (most == 0 || most > 255)
      return Status::usage("its numbers go up to " + std::to_string(most) + ", supported is up to 255");
    ++at; // one white space, then bytes
    return extents;
  }

  Status pixels(const ImageExtents &extents, uint8_t *target) {
    const bool isGray = file[1] == '2' || file[1] == '5';
    for (uint64_t i = 0; i < extents.pixels(); ++i) {
      for (size_t c = 0; c < (isGray ? 1 : 3); ++c) {
        CUPOLA_ASSIGN(const uint64_t value, element());
        target[c] = static_cast<uint8_t>((value * 255 + most / 2) / most);
      }
      if (isGray)
        target[1] = target[2] = target[0];
      target += 3;
    }
    return Status::ok();
  }

private:
  static bool isDigit(char c) { return c >= '0' && c <= '9'; }
  static bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  Result<uint64_t> element() {
    uint64_t value = 0;
    if (file[1] < '4') {
      CUPOLA_ASSIGN(value, number());
    } else {
      if (at >= file.size())
        return end();
      value = static_cast<uint8_t>(file[at++]);
    }
    if (value > most)
      return Status::usage("it has the number " + std::to_string(value) + ", expected at most " + std::to_string(most));
    return value;
  }

  /// Behind white space and comments, which go to the end of their line.
  Result<uint64_t> number() {
    while (at < file.size() && (isSpace(file[at]) || file[at] == '#'))
      if (file[at++] == '#')
        while (at < file.size() && file[at] != '\n')
          ++at;
    if (at >= file.size())
      return end();
    if (!isDigit(file[at]))
      return Status::usage("byte " + std::to_string(at) + " is no digit");
    uint64_t value = 0;
    for (; at < file.size() && isDigit(file[at]); ++at) {
      value = 10 * value + static_cast<uint64_t>(file[at] - '0');
      if (value > UINT32_MAX)
        return Status::usage("the number at byte " + std::to_string(at) + " is too large");
    }
    return value;
  }

  Status end() const { return Status::usage("it ends after " + std::to_string(file.size()) + " bytes"); }

  std::string_view file;
  size_t at;
  uint64_t most = 0;
};

bool isOne(std::string_view file) {
  return file.size() > 2 && file[0] == 'P' && (file[1] == '2' || file[1] == '3' || file[1] == '5' || file[1] == '6');
}

Result<ImageExtents> extentsOf(std::string_view file) { return Reader(file).header(); }

Status decode(std::string_view file, const ImageExtents &extents, uint8_t *pixels) {
  Reader reader(file);
  CUPOLA_ASSIGN(const ImageExtents found, reader.header());
  (void)found;
  return reader.pixels(extents, pixels);
}

} // namespace

const ImageFormat kPnm = {"PNM", isOne, extentsOf, decode};

} // namespace cupola::runtime
