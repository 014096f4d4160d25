//===- lib/Runtime/Host/ImagePng.cpp - PNG, by libpng ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/Image.h"
#include "lib/Runtime/Host/ImageLibrary.h"

#include <cstring>
#include <memory>

namespace cupola::runtime {
namespace {

/// png_image of libpng16.so.16, version 1 of it, which is what `version` says; all of libpng 1.6 has it so. Errors come
/// back as results: nothing jumps out of these functions.
struct PngImage {
  void *opaque;
  uint32_t version, width, height, format, flags, entries, warningOrError;
  char message[64];
};
static_assert(sizeof(PngImage) == sizeof(void *) + 7 * 4 + 64 + 4, "as libpng's structure, with what fills it up");

constexpr uint32_t kVersion = 1; // PNG_IMAGE_VERSION
constexpr uint32_t kRgba = 3;    // PNG_FORMAT_RGBA, with straight alpha, which is dropped: what is clear is not blended
constexpr uint32_t kSrgb16 = 4;  // PNG_IMAGE_FLAG_16BIT_sRGB: 16 bits are no linear ones
constexpr uint64_t kWidest = 1 << 24; // rows of 4 bytes a pixel have an int32_t as their step

struct LibPng {
  int (*begin)(PngImage *, const void *, size_t);
  int (*finish)(PngImage *, const void *, void *, int32_t, void *);
  void (*free)(PngImage *);

  static Result<const LibPng *> get() {
    static LibPng functions{};
    static const Status status = functions.load();
    return status.isOk() ? Result<const LibPng *>(&functions) : status;
  }

private:
  Status load() {
    ImageLibrary library;
    CUPOLA_TRY(library.open("libpng16.so.16", "libpng16-16"));
    CUPOLA_TRY(library.find("png_image_begin_read_from_memory", begin));
    CUPOLA_TRY(library.find("png_image_finish_read", finish));
    return library.find("png_image_free", free);
  }
};

class Decoder {
public:
  explicit Decoder(const LibPng &functions) : functions(functions) { image.version = kVersion; }
  ~Decoder() { functions.free(&image); }
  Decoder(const Decoder &) = delete;
  Decoder &operator=(const Decoder &) = delete;

  Result<ImageExtents> read(std::string_view file) {
    if (!functions.begin(&image, file.data(), file.size()))
      return failed();
    if (image.width > kWidest)
      return Status::usage("it is " + std::to_string(image.width) + " pixels wide, expected at most " +
                           std::to_string(kWidest));
    return ImageExtents{image.height, image.width};
  }

  Status decode(std::string_view file, const ImageExtents &extents, uint8_t *pixels) {
    CUPOLA_ASSIGN(const ImageExtents found, read(file));
    (void)found;
    image.format = kRgba;
    image.flags |= kSrgb16;
    std::vector<uint8_t> whole(4 * extents.pixels());
    if (!functions.finish(&image, nullptr, whole.data(), static_cast<int32_t>(4 * extents.width), nullptr))
      return failed();
    for (uint64_t i = 0; i < extents.pixels(); ++i)
      std::memcpy(pixels + 3 * i, whole.data() + 4 * i, 3);
    return Status::ok();
  }

private:
  Status failed() const {
    return Status::usage("it is damaged: " +
                         std::string(image.message, ::strnlen(image.message, sizeof image.message)));
  }

  const LibPng &functions;
  PngImage image{};
};

Result<ImageExtents> extentsOf(std::string_view file) {
  CUPOLA_ASSIGN(const LibPng *functions, LibPng::get());
  return Decoder(*functions).read(file);
}

Status decode(std::string_view file, const ImageExtents &extents, uint8_t *pixels) {
  CUPOLA_ASSIGN(const LibPng *functions, LibPng::get());
  return Decoder(*functions).decode(file, extents, pixels);
}

} // namespace

const ImageFormat kPng = {"PNG", [](std::string_view file) { return file.substr(0, 4) == "\x89PNG"; }, extentsOf,
                          decode};

} // namespace cupola::runtime
