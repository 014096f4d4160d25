//===- lib/Runtime/Host/Image.cpp - files of pictures ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/Image.h"

namespace cupola::runtime {
namespace {

const ImageFormat *const kFormats[] = {&kJpeg, &kPng, &kWebp, &kBmp, &kPnm};

Result<const ImageFormat *> formatOf(std::string_view file) {
  std::string names;
  for (const ImageFormat *format : kFormats) {
    if (format->isOne(file))
      return format;
    names += (names.empty() ? "" : ", ") + std::string(format->name);
  }
  return Status::unsupported("the " + std::to_string(file.size()) + " bytes do not begin as a picture, supported are " +
                             names);
}

} // namespace

Result<ImageExtents> extentsOfImage(std::string_view file) {
  CUPOLA_ASSIGN(const ImageFormat *format, formatOf(file));
  CUPOLA_ASSIGN(const ImageExtents extents, format->extentsOf(file).within(format->name));
  constexpr uint64_t longest = uint64_t(1) << 31; // no product overflows
  const std::string shape = std::to_string(extents.width) + " x " + std::to_string(extents.height) + " pixels";
  if (extents.height == 0 || extents.width == 0)
    return Status::usage(std::string(format->name) + ": the picture has " + shape);
  if (extents.height > longest || extents.width > longest || extents.pixels() > kMostPixels)
    return Status::usage(std::string(format->name) + ": the picture has " + shape + ", expected at most " +
                         std::to_string(kMostPixels) + " in all");
  return extents;
}

Result<std::vector<uint8_t>> pixelsOfImage(std::string_view file, const ImageExtents &extents) {
  CUPOLA_ASSIGN(const ImageExtents found, extentsOfImage(file));
  if (found.height != extents.height || found.width != extents.width)
    return Status::package("the manifest is inconsistent: a picture of other extents is decoded");
  CUPOLA_ASSIGN(const ImageFormat *format, formatOf(file));
  std::vector<uint8_t> pixels(3 * found.pixels());
  CUPOLA_TRY(format->decode(file, found, pixels.data()).within(format->name));
  return pixels;
}

} // namespace cupola::runtime
