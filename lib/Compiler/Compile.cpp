//===- lib/Compiler/Compile.cpp - a model to a package, by the cache where it has it ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Compiler/CompilationImpl.h"
#include "lib/Compiler/PackageCache.h"

namespace cupola::compiler {

/// With the cache, whose warnings are told like those of the compilation.
static Options withCache(Options options) {
  auto turn = std::make_shared<std::mutex>();
  options.progress = inTurn(std::move(options.progress), turn);
  options.warn = inTurn(std::move(options.warn), turn);
  if (!options.cache)
    options.cache = std::make_shared<runtime::ByteCache>(options.cacheDir, options.warn);
  return options;
}

static Result<bool> takeFound(const PackageCache &cache, const ModelSource &source, const Options &options,
                              const std::function<Status(const std::string &path)> &take) {
  CUPOLA_TRY(pollCancel(options.cancelled));
  const std::optional<PackageCache::Found> found = cache.find(source);
  if (!found)
    return false;
  const Status taken = take(found->file.path());
  if (taken.code() == Code::Package) {
    cache.drop(*found, "its bytes do not match their SHA-256");
    return false;
  }
  CUPOLA_TRY(taken);
  if (options.warn)
    llvm::for_each(found->warnings, options.warn);
  return true;
}

Result<bool> Compilation::find(const ModelSource &source, Options options,
                               const std::function<Status(const std::string &path)> &take) {
  const Options chosen = withCache(std::move(options));
  return takeFound(PackageCache(chosen), source, chosen, take);
}

Result<std::unique_ptr<Compilation>> Compilation::compile(const ModelSource &source, Options options,
                                                          const PackageTaker &taker) {
  const Options chosen = withCache(std::move(options));
  const PackageCache cache(chosen);
  CUPOLA_ASSIGN(const bool isFound, takeFound(cache, source, chosen, taker.fromCache));
  if (isFound)
    return std::unique_ptr<Compilation>();
  std::unique_ptr<Compilation> made(new Compilation(std::make_unique<Impl>(chosen)));
  Impl &impl = *made->state;
  impl.digest = cache.digest();
  CUPOLA_TRY(impl.load(source));
  if (!cache.isUsed()) {
    CUPOLA_TRY(taker.fromCompilation(*made));
    return made;
  }
  PackageCache::Entry entry(cache, *impl.model);
  impl.copy = entry.copy();
  const Status status = taker.fromCompilation(*made);
  impl.copy = nullptr;
  CUPOLA_TRY(status);
  entry.store(source.name, impl.warnings);
  return made;
}

} // namespace cupola::compiler
