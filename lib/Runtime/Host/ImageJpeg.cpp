//===- lib/Runtime/Host/ImageJpeg.cpp - JPEG, by libjpeg-turbo ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/Image.h"
#include "lib/Runtime/Host/ImageLibrary.h"

#include <memory>

namespace cupola::runtime {
namespace {

// libturbojpeg.so.0, the interface TurboJPEG, which has kept these since version 1.4 and has no structure to agree on.
constexpr int kRgb = 0;            // TJPF_RGB
constexpr int kCmyk = 3;           // TJCS_CMYK, and TJCS_YCCK is 4
constexpr int kStop = 8192;        // TJFLAG_STOPONWARNING: what is cut off is an error, not gray
constexpr int kLimitScans = 32768; // TJFLAG_LIMITSCANS: 500, of a file that may have very many

struct TurboJpeg {
  void *(*init)();
  int (*destroy)(void *);
  int (*header)(void *, const unsigned char *, unsigned long, int *, int *, int *, int *);
  int (*decompress)(void *, const unsigned char *, unsigned long, unsigned char *, int, int, int, int, int);
  char *(*error)(void *);

  static Result<const TurboJpeg *> get() {
    static TurboJpeg functions{};
    static const Status status = functions.load();
    return status.isOk() ? Result<const TurboJpeg *>(&functions) : status;
  }

private:
  Status load() {
    ImageLibrary library;
    CUPOLA_TRY(library.open("libturbojpeg.so.0", "libturbojpeg0"));
    CUPOLA_TRY(library.find("tjInitDecompress", init));
    CUPOLA_TRY(library.find("tjDestroy", destroy));
    CUPOLA_TRY(library.find("tjDecompressHeader3", header));
    CUPOLA_TRY(library.find("tjDecompress2", decompress));
    return library.find("tjGetErrorStr2", error);
  }
};

/// A decoder that has read the header.
class Decoder {
public:
  explicit Decoder(const TurboJpeg &functions) : functions(functions), handle(functions.init(), functions.destroy) {}

  Result<ImageExtents> read(std::string_view file) {
    if (!handle)
      return Status::environment("libjpeg-turbo has no memory");
    int width = 0, height = 0, sampling = 0, colours = 0;
    if (functions.header(handle.get(), bytesOf(file), file.size(), &width, &height, &sampling, &colours) != 0)
      return failed();
    if (colours >= kCmyk)
      return Status::usage("its colours are cyan, magenta, yellow and black, supported are gray and YCbCr or RGB");
    return ImageExtents{static_cast<uint64_t>(height), static_cast<uint64_t>(width)};
  }

  Status decode(std::string_view file, const ImageExtents &extents, uint8_t *pixels) {
    CUPOLA_ASSIGN(const ImageExtents found, read(file));
    (void)found;
    const int width = static_cast<int>(extents.width), height = static_cast<int>(extents.height);
    if (functions.decompress(handle.get(), bytesOf(file), file.size(), pixels, width, 3 * width, height, kRgb,
                             kStop | kLimitScans) != 0)
      return failed();
    return Status::ok();
  }

private:
  static const unsigned char *bytesOf(std::string_view file) {
    return reinterpret_cast<const unsigned char *>(file.data());
  }
  Status failed() const { return Status::usage(std::string("it is damaged: ") + functions.error(handle.get())); }

  const TurboJpeg &functions;
  std::unique_ptr<void, int (*)(void *)> handle;
};

Result<ImageExtents> extentsOf(std::string_view file) {
  CUPOLA_ASSIGN(const TurboJpeg *functions, TurboJpeg::get());
  return Decoder(*functions).read(file);
}

Status decode(std::string_view file, const ImageExtents &extents, uint8_t *pixels) {
  CUPOLA_ASSIGN(const TurboJpeg *functions, TurboJpeg::get());
  return Decoder(*functions).decode(file, extents, pixels);
}

} // namespace

const ImageFormat kJpeg = {"JPEG", [](std::string_view file) { return file.substr(0, 3) == "\xff\xd8\xff"; }, extentsOf,
                           decode};

} // namespace cupola::runtime
