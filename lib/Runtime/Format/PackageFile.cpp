//===- lib/Runtime/Format/PackageFile.cpp - Reads and verifies a package ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/PackageFile.h"
#include "lib/Runtime/Format/Descriptor.h"
#include "lib/Runtime/Format/MachineMemory.h"
#include "lib/Runtime/Format/Manifest.h"
#include "lib/Runtime/Format/Parallel.h"
#include "lib/Runtime/Format/Validate.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <vector>

namespace cupola::format {

namespace {

constexpr uint64_t kLeavesPerThread = 8; ///< a few milliseconds of hashing
constexpr uint64_t kMostThreads = 16;

Status damaged(const std::string &what) { return Status::package("the package is damaged: " + what); }

std::string range(uint64_t begin, uint64_t end) {
  return "bytes " + std::to_string(begin) + " to " + std::to_string(end - 1);
}

bool isZero(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

/// As far as `wanted` or the end of the file.
Result<uint64_t> readStart(int descriptor, char *target, uint64_t wanted) {
  const uint64_t got = readAt(descriptor, target, wanted, 0);
  if (got < wanted && errno != 0)
    return Status::io(std::string("cannot read: ") + std::strerror(errno));
  return got;
}

} // namespace

PackageFile::~PackageFile() {
  if (memory)
    ::munmap(memory, size);
}

Status PackageFile::allocate(uint64_t bytes) {
  if (bytes == 0) // which mmap does not do
    return parseHeader("", 0).status();
  CUPOLA_TRY(checkMemory("out of memory: the package", bytes));
  void *mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return Status::environment("no memory for a package of " + std::to_string(bytes) + " bytes");
  ::madvise(mapped, bytes, MADV_HUGEPAGE); // a wish: the cpu device reads the weights where they lie
  memory = static_cast<char *>(mapped);
  size = bytes;
  return Status::ok();
}

Status PackageFile::read(int descriptor) {
  struct stat info;
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode))
    return Status::io("is not a regular file");
  const auto fileBytes = static_cast<uint64_t>(info.st_size);
  // Look at the header before making room for what may be any large file.
  char start[kTableOffset + kSectionCount * kSectionEntryBytes];
  CUPOLA_ASSIGN(uint64_t startBytes, readStart(descriptor, start, sizeof(start)));
  CUPOLA_TRY(parseHeader(std::string_view(start, startBytes), fileBytes).status());
  CUPOLA_TRY(allocate(fileBytes));
  CUPOLA_ASSIGN(uint64_t got, readStart(descriptor, memory, size));
  return got == size ? Status::ok() : damaged("it shrank while it was read");
}

Status PackageFile::verifyLeaf(const Layout &layout, uint64_t leaf) const {
  const uint64_t begin = layout.dataStart + leaf * kLeafBytes;
  const uint64_t end = std::min(begin + kLeafBytes, size);
  const Digest digest = leafHash(all().substr(begin, end - begin));
  const uint64_t entry = kTableOffset + kSectionCount * kSectionEntryBytes + leaf * digest.size();
  if (std::memcmp(digest.data(), memory + entry, digest.size()) != 0)
    return damaged("the hash of " + range(begin, end) + " differs");
  return Status::ok();
}

/// Hashing takes most of the time of loading, so several threads share it. The
/// error is that of the first bad leaf, whichever thread was faster.
Status PackageFile::verifyLeaves(const Layout &layout) const {
  const uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const uint64_t count = std::min({layout.leafCount / kLeavesPerThread + 1, cores, kMostThreads});
  std::vector<Status> results(count);
  const auto work = [&](uint64_t part) noexcept {
    try {
      for (uint64_t leaf = layout.leafCount * part / count;
           results[part].isOk() && leaf < layout.leafCount * (part + 1) / count; ++leaf)
        results[part] = verifyLeaf(layout, leaf);
    } catch (const std::bad_alloc &) { // while it made an error's text
      results[part] = Status::package("damaged");
    }
  };
  parallelFor(count, count, work);
  for (const Status &result : results)
    CUPOLA_TRY(result);
  return Status::ok();
}

std::string_view PackageFile::section(const Layout &layout, SectionKind kind) const {
  const Layout::Section &place = layout.section(kind);
  return all().substr(place.offset, place.bytes);
}

Status PackageFile::loadContents(const Layout &layout) {
  CUPOLA_TRY(parseManifest(section(layout, SectionKind::Manifest), contents));
  const std::string_view sources = section(layout, SectionKind::Sources);
  const std::string_view binaries = section(layout, SectionKind::Binaries);
  weightsOffset = layout.section(SectionKind::Weights).offset;
  CUPOLA_TRY(validatePackage(contents, {sources.size(), binaries.size(), layout.section(SectionKind::Weights).bytes}));
  const auto load = [&](Source &source) { source.text = std::string(sources.substr(source.offset, source.bytes)); };
  for (Source &header : contents.headers)
    load(header);
  for (Variant &variant : contents.variants) {
    for (Source &source : variant.sources)
      load(source);
    for (Binary &binary : variant.binaries)
      binary.image = std::string(binaries.substr(binary.offset, binary.bytes));
  }
  return Status::ok();
}

/// What no section and no entry of the manifest names is zero.
Status PackageFile::checkPadding(const Layout &layout) const {
  using Range = std::pair<uint64_t, uint64_t>;
  const auto start = [&](SectionKind kind) { return layout.section(kind).offset; };
  std::vector<Range> named{
      {0, kTableOffset + kSectionCount * kSectionEntryBytes + layout.leafCount * sizeof(Digest)},
      {start(SectionKind::Manifest), start(SectionKind::Manifest) + layout.section(SectionKind::Manifest).bytes}};
  const auto add = [&](SectionKind kind, uint64_t offset, uint64_t bytes) {
    named.emplace_back(start(kind) + offset, start(kind) + offset + bytes);
  };
  for (const Source &header : contents.headers)
    add(SectionKind::Sources, header.offset, header.bytes);
  for (const Weight &weight : contents.weights)
    add(SectionKind::Weights, weight.offset, weight.bytes);
  for (const Variant &variant : contents.variants) {
    for (const Source &source : variant.sources)
      add(SectionKind::Sources, source.offset, source.bytes);
    for (const Binary &binary : variant.binaries)
      add(SectionKind::Binaries, binary.offset, binary.bytes);
  }
  named.emplace_back(size, size);
  std::sort(named.begin(), named.end());
  uint64_t reached = 0;
  for (const auto &[begin, end] : named) {
    if (begin > reached && !isZero(all().substr(reached, begin - reached)))
      return damaged(range(reached, begin) + " should be zero");
    reached = std::max(reached, end);
  }
  return Status::ok();
}

Status PackageFile::verify() {
  CUPOLA_ASSIGN(Layout layout, parseHeader(all(), size));
  rootDigest = rootHash(all().substr(0, layout.dataStart));
  if (std::memcmp(rootDigest.data(), memory + kRootOffset, rootDigest.size()) != 0)
    return damaged("the hash of its header differs");
  CUPOLA_TRY(verifyLeaves(layout));
  CUPOLA_TRY(loadContents(layout));
  CUPOLA_TRY(checkPadding(layout));
  // From here on nobody writes to it.
  ::mprotect(memory, size, PROT_READ);
  return Status::ok();
}

Result<std::shared_ptr<const PackageFile>> PackageFile::open(const std::string &path) {
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor)
    return Status::io(path + ": cannot open: " + std::strerror(errno));
  std::shared_ptr<PackageFile> file(new PackageFile);
  CUPOLA_TRY(file->read(descriptor.get()).within(path));
  CUPOLA_TRY(file->verify().within(path));
  return std::shared_ptr<const PackageFile>(std::move(file));
}

Result<std::shared_ptr<const PackageFile>> PackageFile::fromMemory(std::string_view bytes) {
  std::shared_ptr<PackageFile> file(new PackageFile);
  CUPOLA_TRY(file->allocate(bytes.size()));
  std::memcpy(file->memory, bytes.data(), bytes.size());
  CUPOLA_TRY(file->verify());
  return std::shared_ptr<const PackageFile>(std::move(file));
}

std::string_view PackageFile::weight(uint32_t index) const {
  const Weight &weight = contents.weights[index];
  return all().substr(weightsOffset + weight.offset, weight.bytes);
}

} // namespace cupola::format
