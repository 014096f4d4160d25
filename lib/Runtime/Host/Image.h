//===- lib/Runtime/Host/Image.h - files of pictures ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Whoever made the file may have wanted to do harm. Nothing of it is believed: extents are looked at before anything is
// taken for them, every place is checked against the file's size, and what a library writes has a buffer of that size.
// The libraries are those of the machine, opened when the first picture of their format comes; they decode what their
// own checks let through (docs/security.md).
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_HOST_IMAGE_H
#define CUPOLA_LIB_RUNTIME_HOST_IMAGE_H

#include "lib/Runtime/Status.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace cupola::runtime {

struct ImageExtents {
  uint64_t height = 0, width = 0;
  uint64_t pixels() const { return height * width; }
};

/// A picture may have so many pixels, which take three times as many bytes: a small file can stand for very many.
constexpr uint64_t kMostPixels = uint64_t(1) << 26;

/// One row for each format of files.
struct ImageFormat {
  const char *name;
  bool (*isOne)(std::string_view file); ///< by its first bytes
  Result<ImageExtents> (*extentsOf)(std::string_view file);
  /// Writes three bytes for each pixel, red, green, blue, row by row from the top. `extents` are those of the file, and
  /// have at most kMostPixels.
  Status (*decode)(std::string_view file, const ImageExtents &extents, uint8_t *pixels);
};
extern const ImageFormat kBmp, kJpeg, kPng, kPnm, kWebp;

/// Both: Code::Usage for a file that is damaged or too large, Code::Unsupported for one of another format,
/// Code::Environment where a library is missing.
Result<ImageExtents> extentsOfImage(std::string_view file);
/// Of the extents that the file has.
Result<std::vector<uint8_t>> pixelsOfImage(std::string_view file, const ImageExtents &extents);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_HOST_IMAGE_H
