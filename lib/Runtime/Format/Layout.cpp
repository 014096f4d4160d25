//===- lib/Runtime/Format/Layout.cpp - Where things lie in a package file ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Layout.h"
#include "lib/Runtime/Format/Checked.h"
#include "lib/Runtime/Format/Plan.h"
#include "lib/Runtime/Format/Sha256Pair.h"

#include <fstream>

namespace cupola::format {

namespace {
constexpr uint64_t kHeaderPrefix = kTableOffset + kSectionCount * kSectionEntryBytes;

template <typename T> void put(std::string &out, T number) {
  for (size_t i = 0; i < sizeof(T); ++i)
    out.push_back(static_cast<char>(number >> (8 * i)));
}

template <typename T> T get(std::string_view bytes, size_t offset) {
  T number = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    number |= T(static_cast<uint8_t>(bytes[offset + i])) << (8 * i);
  return number;
}

Status damaged(const std::string &what) { return Status::package("the package is damaged: " + what); }

Status wrongKind(std::string_view start) {
  if (start.empty())
    return Status::package("not a Cupola package: the file is empty");
  if (start.substr(1, 3) == kMagic.substr(1, 3))
    return damaged("its first bytes were changed, as by a transfer in text mode");
  return Status::package("not a Cupola package: the file does not begin with "
                         "the magic bytes 89 43 55 50 0d 0a 1a 0a");
}
} // namespace

std::optional<Layout> makeLayout(const std::array<uint64_t, kSectionCount> &bytes) {
  // Sections are placed relative to the data first: the number of leaves, and
  // with it the start of the data, depends on their length.
  Layout layout;
  Size end = 0;
  for (size_t i = 0; i < kSectionCount; ++i) {
    const Size start = end.alignedTo(kBufferAlignment);
    end = start + bytes[i];
    if (!end.value())
      return std::nullopt;
    layout.sections[i] = {*start.value(), bytes[i]};
  }
  const uint64_t data = *end.value();
  layout.leafCount = data / kLeafBytes + (data % kLeafBytes != 0);
  layout.dataStart = *(Size(kHeaderPrefix) + Size(layout.leafCount) * Size(32)).alignedTo(kBufferAlignment).value();
  const auto total = (Size(layout.dataStart) + Size(data)).value();
  if (!total)
    return std::nullopt;
  layout.fileBytes = *total;
  for (Layout::Section &section : layout.sections)
    section.offset += layout.dataStart;
  return layout;
}

Digest leafHash(std::string_view leaf) {
  Sha256 hash;
  hash.update(std::string_view("\0", 1));
  hash.update(leaf);
  return hash.finish();
}

std::array<Digest, 2> leafHashes(std::string_view a, std::string_view b) {
  return a.size() == b.size() ? sha256Pair('\0', a, b) : std::array{leafHash(a), leafHash(b)};
}

Digest rootHash(std::string_view header) {
  static constexpr char kZeros[32] = {};
  Sha256 hash;
  hash.update(std::string_view("\1", 1));
  hash.update(header.substr(0, kRootOffset));
  hash.update(std::string_view(kZeros, sizeof(kZeros)));
  hash.update(header.substr(kTableOffset));
  return hash.finish();
}

std::string makeHeader(const Layout &layout, std::string_view leaves) {
  std::string header(kMagic);
  put(header, kFormatVersion);
  put(header, uint32_t(kSectionCount));
  put(header, layout.fileBytes);
  put(header, layout.leafCount);
  header.resize(kTableOffset);
  for (size_t i = 0; i < kSectionCount; ++i) {
    put(header, uint32_t(i + 1));
    put(header, uint32_t(0));
    put(header, layout.sections[i].offset);
    put(header, layout.sections[i].bytes);
  }
  header += leaves;
  header.resize(layout.dataStart);
  const Digest root = rootHash(header);
  header.replace(kRootOffset, root.size(), reinterpret_cast<const char *>(root.data()), root.size());
  return header;
}

bool isPackageFile(const std::string &path) {
  constexpr std::string_view suffix = ".cupola";
  std::ifstream file(path, std::ios::binary);
  std::string start(kMagic.size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (file.gcount() > 0)
    return std::string_view(start).substr(1, 3) == kMagic.substr(1, 3);
  return path.size() > suffix.size() && path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
}

Result<Layout> parseHeader(std::string_view start, uint64_t fileBytes) {
  if (start.substr(0, kMagic.size()) != kMagic)
    return wrongKind(start);
  if (start.size() < kHeaderPrefix)
    return damaged("it ends after " + std::to_string(start.size()) + " bytes, within its header");
  const auto version = get<uint32_t>(start, 8);
  if (version != kFormatVersion)
    return Status::package("the package has format " + std::to_string(version) + ", this runtime reads format " +
                           std::to_string(kFormatVersion) +
                           ": recompile the model, or use the runtime it was compiled with");
  if (get<uint32_t>(start, 12) != kSectionCount)
    return damaged("it names " + std::to_string(get<uint32_t>(start, 12)) + " sections instead of " +
                   std::to_string(kSectionCount));
  if (get<uint64_t>(start, 16) != fileBytes)
    return damaged("it has " + std::to_string(fileBytes) + " bytes, its header says " +
                   std::to_string(get<uint64_t>(start, 16)));
  std::array<uint64_t, kSectionCount> bytes;
  for (size_t i = 0; i < kSectionCount; ++i)
    bytes[i] = get<uint64_t>(start, kTableOffset + i * kSectionEntryBytes + 16);
  // Sizes admit one layout; what the header says besides must agree with it.
  const std::optional<Layout> layout = makeLayout(bytes);
  if (!layout || layout->fileBytes != fileBytes || layout->leafCount != get<uint64_t>(start, 24))
    return damaged("the sizes in its header contradict each other");
  for (size_t i = 0; i < kSectionCount; ++i) {
    const size_t entry = kTableOffset + i * kSectionEntryBytes;
    if (get<uint32_t>(start, entry) != i + 1 || get<uint32_t>(start, entry + 4) != 0 ||
        get<uint64_t>(start, entry + 8) != layout->sections[i].offset)
      return damaged("entry " + std::to_string(i) + " of its section table");
  }
  return *layout;
}

} // namespace cupola::format
