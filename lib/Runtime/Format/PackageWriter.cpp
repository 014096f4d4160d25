//===- lib/Runtime/Format/PackageWriter.cpp - Writes a package as a stream ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The sections' sizes are known before anything is written. So the header, which
// holds the hash of every leaf, can be written last while the sections go out
// once, in order, a leaf at a time.
//===----------------------------------------------------------------------===//
#include "lib/Runtime/Format/PackageWriter.h"
#include "lib/Runtime/Format/Checked.h"
#include "lib/Runtime/Format/Layout.h"
#include "lib/Runtime/Format/Manifest.h"
#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Runtime/Format/Validate.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace cupola::format {

namespace {

Status tooLarge() { return Status::limit("the package would exceed 2^64 bytes"); }

using WriteAt = std::function<Status(uint64_t offset, std::string_view bytes)>;

/// Gathers the data into leaves, hashes them and hands them on.
class LeafStream {
public:
  LeafStream(uint64_t start, WriteAt sink) : next(start), sink(std::move(sink)) { leaf.reserve(kLeafBytes); }

  uint64_t position() const { return next + leaf.size(); }
  const std::string &hashes() const { return leaves; }

  Status write(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, kLeafBytes - leaf.size());
      leaf.append(part);
      bytes.remove_prefix(part.size());
      if (leaf.size() == kLeafBytes)
        CUPOLA_TRY(flush());
    }
    return Status::ok();
  }

  Status padTo(uint64_t offset) { return write(std::string(offset - position(), '\0')); }

  Status flush() {
    if (leaf.empty())
      return Status::ok();
    const Digest digest = leafHash(leaf);
    leaves.append(digest.begin(), digest.end());
    CUPOLA_TRY(sink(next, leaf));
    next += leaf.size();
    leaf.clear();
    return Status::ok();
  }

private:
  uint64_t next; ///< where the leaf begins
  WriteAt sink;
  std::string leaf, leaves;
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

  Status write(uint64_t start, LeafStream &stream) const {
    for (const auto &[offset, content] : order) {
      CUPOLA_TRY(stream.padTo(start + offset));
      CUPOLA_TRY(stream.write(content));
    }
    return Status::ok();
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

Status writeWeights(const Package &package, const WeightSource &source, uint64_t start, LeafStream &stream) {
  std::string piece;
  for (uint32_t index = 0; index < package.weights.size(); ++index) {
    const Weight &weight = package.weights[index];
    CUPOLA_TRY(stream.padTo(start + weight.offset));
    for (uint64_t done = 0; done < weight.bytes; done += piece.size()) {
      piece.resize(std::min(kLeafBytes, weight.bytes - done));
      CUPOLA_TRY(source(index, done, piece.data(), piece.size()));
      CUPOLA_TRY(stream.write(piece));
    }
  }
  return Status::ok();
}

Status writeTo(Package &package, const WeightSource &weights, const WriteAt &sink) {
  Section sources, binaries;
  SectionSizes sizes;
  CUPOLA_TRY(placeContents(package, sources, binaries, sizes));
  CUPOLA_TRY(validatePackage(package, sizes));
  const std::string manifest = serializeManifest(package);
  const auto layout = makeLayout({manifest.size(), sizes.sources, sizes.binaries, sizes.weights});
  if (!layout)
    return tooLarge();
  const auto start = [&](SectionKind kind) { return layout->section(kind).offset; };
  LeafStream stream(layout->dataStart, sink);
  CUPOLA_TRY(stream.write(manifest));
  CUPOLA_TRY(stream.padTo(start(SectionKind::Sources)));
  CUPOLA_TRY(sources.write(start(SectionKind::Sources), stream));
  CUPOLA_TRY(stream.padTo(start(SectionKind::Binaries)));
  CUPOLA_TRY(binaries.write(start(SectionKind::Binaries), stream));
  CUPOLA_TRY(stream.padTo(start(SectionKind::Weights)));
  CUPOLA_TRY(writeWeights(package, weights, start(SectionKind::Weights), stream));
  CUPOLA_TRY(stream.flush());
  return sink(0, makeHeader(*layout, stream.hashes()));
}

} // namespace

Status writePackage(Package package, const WeightSource &weights, const std::string &path) {
  Result<std::unique_ptr<OutputFile>> file = OutputFile::create(path);
  if (file.failed())
    return file.status();
  CUPOLA_TRY(writeTo(package, weights,
                     [&](uint64_t offset, std::string_view bytes) { return (*file)->write(offset, bytes); }));
  return (*file)->commit();
}

Result<std::string> writePackageToMemory(Package package, const WeightSource &weights) {
  std::string memory;
  CUPOLA_TRY(writeTo(package, weights, [&](uint64_t offset, std::string_view bytes) {
    memory.resize(std::max<uint64_t>(memory.size(), offset + bytes.size()));
    memory.replace(offset, bytes.size(), bytes);
    return Status::ok();
  }));
  return memory;
}

} // namespace cupola::format
