//===- lib/Runtime/Format/PackageFile.h - Reads and verifies a package ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_PACKAGEFILE_H
#define CUPOLA_LIB_RUNTIME_FORMAT_PACKAGEFILE_H

#include "lib/Runtime/Format/Layout.h"
#include "lib/Runtime/Format/Plan.h"
#include "lib/Runtime/Status.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace cupola::format {

/// A package in memory, all of it verified: hashes first, then the manifest and
/// that bytes which nothing names are zero. Immutable, shareable between threads.
class PackageFile {
public:
  /// Reads into memory of our own: a file that changes later changes nothing
  /// here. Damage is Code::Package, what the system refuses Code::IO.
  static Result<std::shared_ptr<const PackageFile>> open(const std::string &path);
  /// Copies `bytes`.
  static Result<std::shared_ptr<const PackageFile>> fromMemory(std::string_view bytes);

  ~PackageFile();
  PackageFile(const PackageFile &) = delete;
  PackageFile &operator=(const PackageFile &) = delete;

  const Package &package() const { return contents; }
  /// The value of a weight; aligned to kBufferAlignment.
  std::string_view weight(uint32_t index) const;
  /// The root of the hash tree: equal for equal packages only.
  const Digest &root() const { return rootDigest; }
  uint64_t bytes() const { return size; }
  /// The file, byte by byte.
  std::string_view all() const { return {memory, size}; }

private:
  /// `bytes` bytes from `offset` on.
  using Fetch = std::function<Status(uint64_t offset, char *target, uint64_t bytes)>;

  PackageFile() = default;
  Status allocate(uint64_t bytes);
  Status take(uint64_t fileBytes, const Fetch &fetch);
  Status takeLeavesAt(const Layout &layout, uint64_t first, const Fetch &fetch);
  Status takeLeaves(const Layout &layout, const Fetch &fetch);
  Status loadContents(const Layout &layout);
  Status checkPadding(const Layout &layout) const;
  std::string_view section(const Layout &layout, SectionKind kind) const;

  char *memory = nullptr; ///< mapped, so aligned to a page
  uint64_t size = 0;
  uint64_t weightsOffset = 0;
  Digest rootDigest{};
  Package contents;
};

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_PACKAGEFILE_H
