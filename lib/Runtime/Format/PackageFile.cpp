//===- lib/Runtime/Format/PackageFile.cpp - Reads and verifies a package ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/PackageFile.h"
#include "lib/Runtime/Format/Descriptor.h"
#include "lib/Runtime/Format/MachineMemory.h"
#include "lib/Runtime/Format/Manifest.h"
#include "lib/Runtime/Format/Parallel.h"
#include "lib/Runtime/Format/Validate.h"

#include <algorithm>
#include <atomic>
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

constexpr uint64_t kLeavesPerThread = 4; ///< a millisecond of hashing
constexpr uint64_t kMostThreads = 16;
constexpr uint64_t kPage = 4096, kLargePage = uint64_t(2) << 20;

Status damaged(const std::string &what) { return Status::package("the package is damaged: " + what); }

std::string range(uint64_t begin, uint64_t end) {
  return "bytes " + std::to_string(begin) + " to " + std::to_string(end - 1);
}

bool isZero(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

} // namespace

PackageFile::~PackageFile() {
  if (memory)
    ::munmap(memory, size);
}

Status PackageFile::allocate(uint64_t bytes) {
  CUPOLA_TRY(checkMemory("out of memory: the package", bytes));
  const uint64_t slack = bytes < kLargePage ? 0 : kLargePage;
  void *mapped = slack > ~bytes
                     ? MAP_FAILED
                     : ::mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return Status::environment("no memory for a package of " + std::to_string(bytes) + " bytes");
  memory = static_cast<char *>(mapped);
  size = bytes;
  if (slack == 0)
    return Status::ok();
  // From a large page on, and a wish for them: the cpu device reads the weights where they lie.
  const uint64_t before = -reinterpret_cast<uintptr_t>(memory) % kLargePage;
  if (before > 0)
    ::munmap(memory, before);
  memory += before;
  const uint64_t whole = (bytes + kPage - 1) / kPage * kPage;
  if (slack > before + (whole - bytes))
    ::munmap(memory + whole, bytes + slack - before - whole);
  ::madvise(memory, bytes, MADV_HUGEPAGE);
  return Status::ok();
}

/// One or, where there is another, two.
Status PackageFile::takeLeavesAt(const Layout &layout, uint64_t first, const Fetch &fetch) {
  const auto bytesOf = [&](uint64_t leaf) { return all().substr(layout.dataStart + leaf * kLeafBytes, kLeafBytes); };
  const uint64_t count = std::min<uint64_t>(2, layout.leafCount - first);
  for (uint64_t leaf = first; leaf < first + count; ++leaf) {
    const uint64_t begin = layout.dataStart + leaf * kLeafBytes;
    CUPOLA_TRY(fetch(begin, memory + begin, bytesOf(leaf).size()));
  }
  const std::array<Digest, 2> digests =
      count == 2 ? leafHashes(bytesOf(first), bytesOf(first + 1)) : std::array{leafHash(bytesOf(first)), Digest()};
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t begin = layout.dataStart + (first + i) * kLeafBytes;
    const uint64_t entry = kTableOffset + kSectionCount * kSectionEntryBytes + (first + i) * sizeof(Digest);
    if (std::memcmp(digests[i].data(), memory + entry, sizeof(Digest)) != 0)
      return damaged("the hash of " + range(begin, begin + bytesOf(first + i).size()) + " differs");
  }
  return Status::ok();
}

/// Hashing takes most of the time of loading, then new memory, so several threads share it: each hashes what it has
/// just copied. The error is that of the first bad leaf, whichever thread was faster.
Status PackageFile::takeLeaves(const Layout &layout, const Fetch &fetch) {
  const uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Status> results((layout.leafCount + 1) / 2);
  std::atomic<bool> failed{false};
  parallelFor(results.size(), std::min({layout.leafCount / kLeavesPerThread + 1, cores, kMostThreads}),
              [&](size_t pair) noexcept {
                if (failed) // before it in the file: they are started in order
                  return;
                try {
                  results[pair] = takeLeavesAt(layout, 2 * pair, fetch);
                } catch (const std::bad_alloc &) { // while it made an error's text
                  results[pair] = Status::package("damaged");
                }
                if (results[pair].failed())
                  failed = true;
              });
  for (Status &result : results)
    CUPOLA_TRY(std::move(result));
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

Status PackageFile::take(uint64_t fileBytes, const Fetch &fetch) {
  // Look at the header before making room for what may be any large file.
  std::string start(std::min<uint64_t>(fileBytes, kTableOffset + kSectionCount * kSectionEntryBytes), '\0');
  CUPOLA_TRY(fetch(0, start.data(), start.size()));
  CUPOLA_ASSIGN(const Layout expected, parseHeader(start, fileBytes));
  CUPOLA_TRY(allocate(fileBytes));
  CUPOLA_TRY(fetch(0, memory, expected.dataStart));
  CUPOLA_ASSIGN(const Layout layout, parseHeader(all(), size)); // a file may have changed since
  rootDigest = rootHash(all().substr(0, layout.dataStart));
  if (std::memcmp(rootDigest.data(), memory + kRootOffset, rootDigest.size()) != 0)
    return damaged("the hash of its header differs");
  CUPOLA_TRY(takeLeaves(layout, fetch));
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
  struct stat info;
  if (::fstat(descriptor.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return Status::io(path + ": is not a regular file");
  std::shared_ptr<PackageFile> file(new PackageFile);
  const auto fetch = [&](uint64_t offset, char *target, uint64_t bytes) -> Status {
    if (readAt(descriptor.get(), target, bytes, offset) == bytes)
      return Status::ok();
    return errno != 0 ? Status::io(std::string("cannot read: ") + std::strerror(errno))
                      : damaged("it shrank while it was read");
  };
  CUPOLA_TRY(file->take(static_cast<uint64_t>(info.st_size), fetch).within(path));
  return std::shared_ptr<const PackageFile>(std::move(file));
}

Result<std::shared_ptr<const PackageFile>> PackageFile::fromMemory(std::string_view bytes) {
  std::shared_ptr<PackageFile> file(new PackageFile);
  CUPOLA_TRY(file->take(bytes.size(), [&](uint64_t offset, char *target, uint64_t count) {
    std::memcpy(target, bytes.data() + offset, count);
    return Status::ok();
  }));
  return std::shared_ptr<const PackageFile>(std::move(file));
}

std::string_view PackageFile::weight(uint32_t index) const {
  const Weight &weight = contents.weights[index];
  return all().substr(weightsOffset + weight.offset, weight.bytes);
}

} // namespace cupola::format
