//===- lib/Runtime/Format/PackageWriter.cpp - Writes a package leaf by leaf ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The sections' sizes are known before anything is written. So every leaf can be filled,
// hashed and written by itself, on any thread; the header, which holds all hashes, is last.
//===----------------------------------------------------------------------===//
#include "lib/Runtime/Format/PackageWriter.h"
#include "lib/Runtime/Format/Checked.h"
#include "lib/Runtime/Format/Layout.h"
#include "lib/Runtime/Format/Manifest.h"
#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Runtime/Format/Parallel.h"
#include "lib/Runtime/Format/Validate.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace cupola::format {

namespace {

Status tooLarge() { return Status::limit("the package would exceed 2^64 bytes"); }

using WriteAt = std::function<Status(uint64_t offset, std::string_view bytes)>;

/// What stands where behind the header, in rising order; between the parts are zeros.
class Contents {
public:
  using Copy = std::function<Status(uint64_t from, char *target, uint64_t size)>;

  void add(uint64_t offset, uint64_t bytes, Copy copy) {
    if (bytes)
      parts.push_back({offset, offset + bytes, std::move(copy)});
  }
  void add(uint64_t offset, std::string_view text) {
    add(offset, text.size(), [text](uint64_t from, char *target, uint64_t size) {
      std::memcpy(target, text.data() + from, size);
      return Status::ok();
    });
  }

  /// Fills `leaf`, which is zeros, with the bytes from `start` on.
  Status read(uint64_t start, std::string &leaf) const {
    const uint64_t stop = start + leaf.size();
    auto part = std::partition_point(parts.begin(), parts.end(), [&](const Part &p) { return p.end <= start; });
    for (; part != parts.end() && part->begin < stop; ++part) {
      const uint64_t first = std::max(start, part->begin), last = std::min(stop, part->end);
      CUPOLA_TRY(part->copy(first - part->begin, leaf.data() + (first - start), last - first));
    }
    return Status::ok();
  }

private:
  struct Part {
    uint64_t begin, end;
    Copy copy;
  };
  std::vector<Part> parts;
};

/// Lays contents one after the other, equal ones once.
class Section {
public:
  void place(const std::string &content, uint64_t &offset, uint64_t &bytes) {
    bytes = content.size();
    offset = 0;
    if (content.empty())
      return;
    const Size start = end.alignedTo(kBufferAlignment);
    const auto [at, isNew] = placed.emplace(content, start.value().value_or(0));
    offset = at->second;
    if (!isNew)
      return;
    end = start + bytes;
    order.emplace_back(offset, content);
  }

  std::optional<uint64_t> bytes() const { return end.value(); }

  void addTo(Contents &contents, uint64_t start) const {
    for (const auto &[offset, content] : order)
      contents.add(start + offset, content);
  }

private:
  Size end = 0;
  std::map<std::string_view, uint64_t> placed;
  std::vector<std::pair<uint64_t, std::string_view>> order;
};

/// Sets the offsets and sizes in the package. The sections look at its texts and
/// images, which must not change afterwards.
Status placeContents(Package &package, Section &sources, Section &binaries, SectionSizes &sizes) {
  for (Source &header : package.headers)
    sources.place(header.text, header.offset, header.bytes);
  Size weights = 0;
  for (Weight &weight : package.weights) {
    const Size start = weights.alignedTo(kBufferAlignment);
    weight.offset = start.value().value_or(0);
    weights = start + weight.bytes;
  }
  for (Variant &variant : package.variants) {
    for (Source &source : variant.sources)
      sources.place(source.text, source.offset, source.bytes);
    for (Binary &binary : variant.binaries)
      binaries.place(binary.image, binary.offset, binary.bytes);
  }
  if (!sources.bytes() || !binaries.bytes() || !weights.value())
    return tooLarge();
  sizes = {*sources.bytes(), *binaries.bytes(), *weights.value()};
  return Status::ok();
}

void addWeights(Contents &contents, const Package &package, const WeightSource &source, uint64_t start) {
  for (uint32_t index = 0; index < package.weights.size(); ++index) {
    const Weight &weight = package.weights[index];
    contents.add(start + weight.offset, weight.bytes, [&source, index](uint64_t from, char *target, uint64_t size) {
      return source(index, from, target, size);
    });
  }
}

/// Writes all leaves, two at once; their hashes, in order.
Result<std::string> writeLeaves(const Contents &contents, const Layout &layout, const WriteAt &sink, unsigned threads) {
  std::string hashes(layout.leafCount * sizeof(Digest), '\0');
  std::vector<Status> statuses((layout.leafCount + 1) / 2);
  std::atomic<bool> failed{false};
  std::mutex writing;
  parallelFor(statuses.size(), threads, [&](size_t i) {
    if (failed)
      return;
    const uint64_t at = layout.dataStart + 2 * i * kLeafBytes;
    std::string leaves(std::min(2 * kLeafBytes, layout.fileBytes - at), '\0');
    statuses[i] = contents.read(at, leaves);
    const std::string_view first = std::string_view(leaves).substr(0, kLeafBytes);
    const std::string_view second = std::string_view(leaves).substr(first.size());
    const std::array<Digest, 2> digests =
        second.empty() ? std::array{leafHash(first), Digest()} : leafHashes(first, second);
    std::memcpy(&hashes[2 * i * sizeof(Digest)], digests.data(), (second.empty() ? 1 : 2) * sizeof(Digest));
    if (statuses[i].isOk()) {
      std::lock_guard<std::mutex> lock(writing); // the system writes to a file one at a time, too, but spins for it
      statuses[i] = sink(at, leaves);
    }
    failed = failed || statuses[i].failed();
  });
  for (Status &status : statuses)
    CUPOLA_TRY(std::move(status));
  return hashes;
}

/// Tells how large the file will be, then writes it in pieces, the header last.
Status writeTo(Package &package, const WeightSource &weights, const std::function<void(uint64_t bytes)> &begin,
               const WriteAt &sink, unsigned threads) {
  Section sources, binaries;
  SectionSizes sizes;
  CUPOLA_TRY(placeContents(package, sources, binaries, sizes));
  CUPOLA_TRY(validatePackage(package, sizes));
  const std::string manifest = serializeManifest(package);
  const auto layout = makeLayout({manifest.size(), sizes.sources, sizes.binaries, sizes.weights});
  if (!layout)
    return tooLarge();
  const auto start = [&](SectionKind kind) { return layout->section(kind).offset; };
  begin(layout->fileBytes);
  Contents contents;
  contents.add(layout->dataStart, manifest);
  sources.addTo(contents, start(SectionKind::Sources));
  binaries.addTo(contents, start(SectionKind::Binaries));
  addWeights(contents, package, weights, start(SectionKind::Weights));
  CUPOLA_ASSIGN(std::string hashes, writeLeaves(contents, *layout, sink, threads));
  return sink(0, makeHeader(*layout, hashes));
}

} // namespace

Status writePackage(Package package, const WeightSource &weights, const std::string &path, unsigned threads,
                    const PackageCopy *copy) {
  CUPOLA_ASSIGN(std::unique_ptr<OutputFile> file, OutputFile::create(path));
  CUPOLA_TRY(writeTo(
      package, weights, [&](uint64_t bytes) { copy ? copy->begin(bytes) : void(); },
      [&](uint64_t offset, std::string_view bytes) {
        if (copy)
          copy->write(offset, bytes);
        return file->write(offset, bytes);
      },
      threads));
  return file->commit();
}

Result<std::string> writePackageToMemory(Package package, const WeightSource &weights, unsigned threads,
                                         const PackageCopy *copy) {
  std::string memory;
  CUPOLA_TRY(writeTo(
      package, weights,
      [&](uint64_t bytes) {
        memory.resize(bytes);
        copy ? copy->begin(bytes) : void();
      },
      [&](uint64_t offset, std::string_view bytes) {
        std::memcpy(&memory[offset], bytes.data(), bytes.size());
        if (copy)
          copy->write(offset, bytes);
        return Status::ok();
      },
      threads));
  return memory;
}

} // namespace cupola::format
