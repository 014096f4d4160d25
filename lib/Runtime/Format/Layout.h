//===- lib/Runtime/Format/Layout.h - Where things lie in a package file ---===//
// SPDX-License-Identifier: Apache-2.0
//
//   0   magic, 8 bytes
//   8   u32 format version, u32 number of sections
//   16  u64 bytes of the file
//   24  u64 number of leaves
//   32  root hash
//   64  per section, by rising kind: u32 kind, u32 zero, u64 offset, u64 bytes
//       per leaf: its hash
//       zeros up to the next multiple of 256: here the data begins
//       the sections, each at a multiple of 256, zeros between them
//
// All numbers are little-endian. A leaf is 1 MiB of the data, the last one less;
// its hash is SHA-256 of the byte 0 and the leaf. The root is SHA-256 of the byte
// 1 and all that lies before the data, with zeros for the root itself. So every
// byte of the file is under the root, and bytes that nothing names must be zero:
// a package has one form.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_LAYOUT_H
#define CUPOLA_LIB_RUNTIME_FORMAT_LAYOUT_H

#include "lib/Runtime/Format/Sha256.h"
#include "lib/Runtime/Status.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cupola::format {

/// The line ends show a transfer in text mode, the first byte a 7-bit one.
constexpr std::string_view kMagic = "\x89"
                                    "CUP\r\n\x1a\n";
constexpr uint64_t kLeafBytes = uint64_t(1) << 20;
constexpr uint64_t kRootOffset = 32;
constexpr uint64_t kTableOffset = 64;
constexpr uint64_t kSectionEntryBytes = 24;

enum class SectionKind : uint32_t { Manifest = 1, Sources, Binaries, Weights };
constexpr size_t kSectionCount = 4;

struct Layout {
  struct Section {
    uint64_t offset = 0, bytes = 0;
  };
  std::array<Section, kSectionCount> sections; ///< by kind, from Manifest
  uint64_t dataStart = 0;
  uint64_t fileBytes = 0;
  uint64_t leafCount = 0;

  const Section &section(SectionKind kind) const { return sections[static_cast<size_t>(kind) - 1]; }
};

/// The one layout for sections of these sizes; nullopt if it leaves uint64.
std::optional<Layout> makeLayout(const std::array<uint64_t, kSectionCount> &bytes);

/// The bytes before the data, with `leaves` (32 bytes each) and the root.
std::string makeHeader(const Layout &layout, std::string_view leaves);

Digest leafHash(std::string_view leaf);
/// Of two leaves in the time of one, where they have the same number of bytes.
std::array<Digest, 2> leafHashes(std::string_view a, std::string_view b);
Digest rootHash(std::string_view header);

/// Whether the file is a package by its first bytes. An empty file, or none, is one if that
/// is what its name says: its error is then that of a package.
bool isPackageFile(const std::string &path);

/// Reads what makeHeader wrote from the start of a file of `fileBytes` bytes, of
/// which `start` holds the first (all of the header, at least 64 bytes, or all
/// there are). Checks magic, version and the numbers, not the hashes.
Result<Layout> parseHeader(std::string_view start, uint64_t fileBytes);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_LAYOUT_H
