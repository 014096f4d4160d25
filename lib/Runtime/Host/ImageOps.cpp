//===- lib/Runtime/Host/ImageOps.cpp - pictures, as ops of the host ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/HostCall.h"
#include "lib/Runtime/Host/Image.h"

namespace cupola::runtime {

Status findImageExtents(HostCall &call) {
  CUPOLA_TRY(call.expectResults(2));
  CUPOLA_ASSIGN(const ImageExtents extents, extentsOfImage(call.bytes(0)));
  call.put<int64_t>(0, static_cast<int64_t>(extents.height));
  call.put<int64_t>(1, static_cast<int64_t>(extents.width));
  return Status::ok();
}

/// As ITU-R 601 has it, in 16 bits behind the point.
static uint8_t grayOf(const uint8_t *rgb) {
  return static_cast<uint8_t>((rgb[0] * 19595u + rgb[1] * 38470u + rgb[2] * 7471u + 0x8000u) >> 16);
}

Status decodeImage(HostCall &call) {
  const std::string &form = call.argument(0);
  const bool isGray = form == "gray", isReversed = form == "bgr";
  if (!isGray && !isReversed && form != "rgb")
    return Status::package("the manifest is inconsistent: pixels are '" + form + "', expected rgb, bgr or gray");
  CUPOLA_ASSIGN(const ImageExtents extents, extentsOfImage(call.bytes(0)));
  CUPOLA_TRY(call.expectResults((isGray ? 1 : 3) * extents.pixels()));
  CUPOLA_ASSIGN(const std::vector<uint8_t> pixels, pixelsOfImage(call.bytes(0), extents));
  auto *result = reinterpret_cast<uint8_t *>(call.resultBytes());
  for (uint64_t i = 0; i < extents.pixels(); ++i) {
    const uint8_t *rgb = pixels.data() + 3 * i;
    if (isGray)
      result[i] = grayOf(rgb);
    else
      for (size_t c = 0; c < 3; ++c)
        result[3 * i + c] = rgb[isReversed ? 2 - c : c];
  }
  return Status::ok();
}

} // namespace cupola::runtime
