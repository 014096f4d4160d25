//===- lib/Runtime/Format/PackageWriter.h - Writes a package leaf by leaf ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_PACKAGEWRITER_H
#define CUPOLA_LIB_RUNTIME_FORMAT_PACKAGEWRITER_H

#include "lib/Runtime/Format/Plan.h"
#include "lib/Runtime/Status.h"

#include <functional>
#include <string>
#include <string_view>

namespace cupola::format {

/// Copies bytes [offset, offset + size) of weight `index` to `target`. Called from
/// as many threads as write, in about rising order and for at most 2 MiB at a time, so that the
/// values never need to be in memory at once.
using WeightSource = std::function<Status(uint32_t index, uint64_t offset, char *target, uint64_t size)>;

/// Gets the bytes of a package while they are written elsewhere.
struct PackageCopy {
  std::function<void(uint64_t bytes)> begin; ///< first: how many there will be
  std::function<void(uint64_t offset, std::string_view bytes)>
      write; ///< one call at a time; the last one is for the header
};

/// Writes the package to `path`, after setting the offsets and sizes of sources,
/// binaries and weights: the caller fills texts, images and Weight::bytes. Equal
/// texts and equal images are stored once. The bytes go into a file without a name beside
/// it, which is synced, then renamed over. On failure `path` is as it was and nothing else is left.
/// Equal packages give equal bytes, whatever the number of threads. I/O errors are Code::IO, a package that
/// readers would refuse is Code::Package. `copy` may be null.
Status writePackage(Package package, const WeightSource &weights, const std::string &path, unsigned threads = 1,
                    const PackageCopy *copy = nullptr);

/// The same bytes, in memory.
Result<std::string> writePackageToMemory(Package package, const WeightSource &weights, unsigned threads = 1,
                                         const PackageCopy *copy = nullptr);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_PACKAGEWRITER_H
