//===- lib/Compiler/PackageCache.h - packages of earlier compilations ---===//
// SPDX-License-Identifier: Apache-2.0
//
// In the cache folder, three files stand for a compilation, named by hashes of the request (this compiler, the options)
// and of what was read:
//
//   external   of request and model: where the model's external data lies, which the model alone decides
//   compile    of these and the external data: what the compilation said, and the root of its package
//   package    likewise: the package, as `cupola compile` writes it
//
// So the model is not parsed to find its package, only hashed.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_COMPILER_PACKAGECACHE_H
#define CUPOLA_LIB_COMPILER_PACKAGECACHE_H

#include "lib/Compiler/Compilation.h"
#include "lib/Import/Onnx/ExternalData.h"
#include "lib/Import/Onnx/LoadModel.h"
#include "lib/Runtime/CUDA/ByteCache.h"
#include "lib/Runtime/Format/PackageWriter.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cupola::compiler {

/// All of the options, and of the files they name, that the bytes and messages of a compilation depend on, and the
/// compiler itself. Nothing where that cannot be said, or where such a compilation is not kept: of Options::given,
/// which are those of one run, and with side effects.
std::optional<std::string> requestOf(const Options &options);

/// Where the external data of a model is.
onnx_import::ExternalData externalDataOf(const ModelSource &source, bool allowHardLinks,
                                         const std::function<bool()> &cancelled);

class PackageCache {
public:
  /// Of `options.cache`, which may be null.
  explicit PackageCache(const Options &options);

  /// A file that is as large as a package of these weights, and not verified.
  struct Found {
    std::string identity;
    format::Descriptor file;
    std::vector<std::string> warnings;
  };
  std::optional<Found> find(const ModelSource &source) const;
  /// It is damaged, and goes.
  void drop(const Found &found, const std::string &problem) const;

  /// Takes the package of a model while it is written; `read` outlives it.
  class Entry {
  public:
    Entry(const PackageCache &cache, const onnx_import::LoadedModel &read) : cache(cache), read(read) {}
    const format::PackageCopy *copy() { return &writes; }
    /// Stores it, if all of it was written. `warnings` of a model that messages call `name`.
    void store(const std::string &name, const std::vector<std::string> &warnings);

  private:
    const PackageCache &cache;
    const onnx_import::LoadedModel &read;
    std::unique_ptr<runtime::CacheFile> file;
    std::string header;
    const format::PackageCopy writes{[this](uint64_t bytes) { begin(bytes); },
                                     [this](uint64_t offset, std::string_view bytes) { write(offset, bytes); }};
    void begin(uint64_t bytes);
    void write(uint64_t offset, std::string_view bytes);
  };

  bool isUsed() const { return request.has_value(); }
  /// Of what is read, for LoadOptions::digest.
  onnx_import::DigestFunction digest() const;

private:
  std::optional<std::string> externalIdentity(const ModelSource &source, const std::string &model) const;

  std::shared_ptr<runtime::ByteCache> cache;
  std::optional<std::string> request;
  unsigned threads;
  bool allowHardLinks;
  std::function<bool()> cancelled;
};

} // namespace cupola::compiler

#endif // CUPOLA_LIB_COMPILER_PACKAGECACHE_H
