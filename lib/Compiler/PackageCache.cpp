//===- lib/Compiler/PackageCache.cpp - packages of earlier compilations ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Compiler/PackageCache.h"

#include "lib/Compiler/Digest.h"
#include "lib/Runtime/Format/Layout.h"

namespace cupola::compiler {

namespace {

constexpr const char *kExternal = "external", *kCompile = "compile", *kPackage = "package";

std::string textOf(const format::Digest &digest) {
  return {reinterpret_cast<const char *>(digest.data()), digest.size()};
}

/// Of an entry. `identity` says what it was made of.
template <typename Use> auto withKey(const char *kind, const std::string &identity, Use use) {
  runtime::CacheKey key(kind);
  key.add(identity);
  return use(key);
}

/// Each text with its length, 8 bytes, before it.
std::string packed(const std::vector<std::string> &texts) {
  std::string bytes;
  for (const std::string &text : texts) {
    for (int i = 0; i < 8; ++i)
      bytes.push_back(static_cast<char>(uint64_t(text.size()) >> (8 * i)));
    bytes += text;
  }
  return bytes;
}

std::optional<std::vector<std::string>> unpacked(std::string_view bytes) {
  std::vector<std::string> texts;
  while (!bytes.empty()) {
    uint64_t size = 0;
    for (size_t i = 0; i < 8 && i < bytes.size(); ++i)
      size |= uint64_t(static_cast<uint8_t>(bytes[i])) << (8 * i);
    if (bytes.size() < 8 || size > bytes.size() - 8)
      return std::nullopt;
    texts.emplace_back(bytes.substr(8, size));
    bytes.remove_prefix(8 + size);
  }
  return texts;
}

/// Of model and request with what the model has from elsewhere.
std::string identityOf(const std::string &model, const std::vector<onnx_import::ExternalPiece> &pieces) {
  std::string identity = model;
  for (const onnx_import::ExternalPiece &piece : pieces)
    identity += textOf(piece.digest);
  return identity;
}

constexpr size_t kPieceTexts = 3; ///< of `external`: location, offset, size

std::vector<std::string> textsOf(const std::vector<onnx_import::ExternalPiece> &pieces) {
  std::vector<std::string> texts;
  for (const onnx_import::ExternalPiece &piece : pieces)
    texts.insert(texts.end(), {piece.location, std::to_string(piece.offset), std::to_string(piece.size)});
  return texts;
}

std::string rootOf(std::string_view header) {
  return std::string(header.substr(format::kRootOffset, sizeof(format::Digest)));
}

} // namespace

PackageCache::PackageCache(const Options &options)
    : cache(options.cache), threads(options.threads), allowHardLinks(options.allowHardLinks),
      cancelled(options.cancelled) {
  if (cache && cache->enabled())
    request = requestOf(options);
}

onnx_import::DigestFunction PackageCache::digest() const {
  if (!isUsed())
    return nullptr;
  return [threads = threads](std::string_view bytes) { return digestOf(bytes, threads); };
}

/// With the external data as it is now.
std::optional<std::string> PackageCache::externalIdentity(const ModelSource &source, const std::string &model) const {
  const auto known = withKey(kExternal, model, [&](const runtime::CacheKey &key) { return cache->get(key); });
  const auto texts = known ? unpacked(*known) : std::nullopt;
  if (!texts || texts->size() % kPieceTexts != 0)
    return std::nullopt;
  onnx_import::ExternalData files = externalDataOf(source, allowHardLinks, cancelled);
  files.record(digest());
  for (size_t i = 0; i < texts->size(); i += kPieceTexts) {
    const int64_t offset = std::stoll((*texts)[i + 1]), size = std::stoll((*texts)[i + 2]);
    onnx_import::ErrorKind kind;
    std::string problem;
    if (!files.load({(*texts)[i], offset, size}, size, kind, problem))
      return std::nullopt; // the compilation says why
  }
  return identityOf(model, files.pieces());
}

std::optional<PackageCache::Found> PackageCache::find(const ModelSource &source) const {
  if (!isUsed())
    return std::nullopt;
  const auto model = source.bytes ? digestOf(*source.bytes, threads) : digestOfFile(source.name, threads);
  if (!model)
    return std::nullopt;
  const std::optional<std::string> identity = externalIdentity(source, *request + textOf(*model));
  if (!identity)
    return std::nullopt;
  const auto record = withKey(kCompile, *identity, [&](const runtime::CacheKey &key) { return cache->get(key); });
  const auto texts = record ? unpacked(*record) : std::nullopt;
  if (!texts || texts->empty())
    return std::nullopt;
  Found found{*identity, withKey(kPackage, *identity, [&](const auto &key) { return cache->openFile(key); }), {}};
  std::string start(format::kTableOffset, '\0');
  if (!found.file)
    return std::nullopt;
  if (format::readAt(found.file.get(), start.data(), start.size(), 0) < start.size() ||
      rootOf(start) != texts->front()) {
    drop(found, "it is not the package that was stored");
    return std::nullopt;
  }
  for (size_t i = 1; i < texts->size(); ++i)
    found.warnings.push_back(((*texts)[i][0] == '1' ? source.name : "") + (*texts)[i].substr(1));
  return found;
}

void PackageCache::drop(const Found &found, const std::string &problem) const {
  withKey(kPackage, found.identity, [&](const auto &key) { cache->drop(key, problem); });
}

//===--- Storing ---===//

void PackageCache::Entry::begin(uint64_t bytes) {
  const std::string identity = identityOf(*cache.request + textOf(read.digest), read.external);
  file = withKey(kPackage, identity, [&](const auto &key) { return cache.cache->newFile(key, bytes); });
}

void PackageCache::Entry::write(uint64_t offset, std::string_view bytes) {
  if (file)
    file->write(offset, bytes);
  if (offset == 0)
    header = bytes.substr(0, format::kTableOffset);
}

void PackageCache::Entry::store(const std::string &name, const std::vector<std::string> &warnings) {
  if (!file || header.empty())
    return;
  const std::string model = *cache.request + textOf(read.digest);
  // The package first: what leads to it is there last.
  cache.cache->put(std::move(file));
  std::vector<std::string> texts{rootOf(header)};
  for (const std::string &warning : warnings) {
    // Another copy of the model has another name.
    const bool isOfModel = warning.compare(0, name.size(), name) == 0;
    texts.push_back(isOfModel ? "1" + warning.substr(name.size()) : "0" + warning);
  }
  const auto put = [&](const char *kind, const std::string &identity, const std::vector<std::string> &content) {
    withKey(kind, identity, [&](const auto &key) { cache.cache->put(key, packed(content)); });
  };
  put(kCompile, identityOf(model, read.external), texts);
  put(kExternal, model, textsOf(read.external));
}

} // namespace cupola::compiler
