//===- lib/Runtime/Host/ImageWebp.cpp - WebP, by libwebp ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/Image.h"
#include "lib/Runtime/Host/ImageLibrary.h"

namespace cupola::runtime {
namespace {

/// libwebp.so.7: functions of plain types alone, as they have been since version 0.4.
struct LibWebp {
  int (*info)(const uint8_t *, size_t, int *, int *);
  uint8_t *(*decode)(const uint8_t *, size_t, uint8_t *, size_t, int);

  static Result<const LibWebp *> get() {
    static LibWebp functions{};
    static const Status status = functions.load();
    return status.isOk() ? Result<const LibWebp *>(&functions) : status;
  }

private:
  Status load() {
    ImageLibrary library;
    CUPOLA_TRY(library.open("libwebp.so.7", "libwebp7"));
    CUPOLA_TRY(library.find("WebPGetInfo", info));
    return library.find("WebPDecodeRGBInto", decode);
  }
};

const uint8_t *bytesOf(std::string_view file) { return reinterpret_cast<const uint8_t *>(file.data()); }

Result<ImageExtents> extentsOf(std::string_view file) {
  CUPOLA_ASSIGN(const LibWebp *functions, LibWebp::get());
  int width = 0, height = 0;
  if (!functions->info(bytesOf(file), file.size(), &width, &height) || width < 0 || height < 0)
    return Status::usage("its header is damaged");
  return ImageExtents{static_cast<uint64_t>(height), static_cast<uint64_t>(width)};
}

Status decode(std::string_view file, const ImageExtents &extents, uint8_t *pixels) {
  CUPOLA_ASSIGN(const LibWebp *functions, LibWebp::get());
  const auto step = static_cast<int>(3 * extents.width);
  if (!functions->decode(bytesOf(file), file.size(), pixels, 3 * extents.pixels(), step))
    return Status::usage("it is damaged, or a film");
  return Status::ok();
}

} // namespace

const ImageFormat kWebp = {"WebP",
                           [](std::string_view file) {
                             return file.size() >= 12 && file.substr(0, 4) == "RIFF" && file.substr(8, 4) == "WEBP";
                           },
                           extentsOf, decode};

} // namespace cupola::runtime
