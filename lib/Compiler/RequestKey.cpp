//===- lib/Compiler/RequestKey.cpp - what a compilation depends on besides the model ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Compiler/BuildId.h"
#include "lib/Compiler/PackageCache.h"

#include "lib/Runtime/CUDA/Nvrtc.h"
#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Target/Tuning.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"

namespace cupola::compiler {

namespace {

/// A list of texts and numbers that no other list hashes like.
class Request {
public:
  Request() : key("request") {}

  void add(const std::string &text) { key.add(text); }
  void add(int64_t number) { key.add(static_cast<uint64_t>(number)); }
  void add(bool flag) { add(int64_t(flag)); }
  void add(const ShapeSetting &setting) { addAll(setting.name, setting.dims); }
  void add(const DimRange &range) { addAll(range.name, range.min, range.max); }
  void add(const ValueSetting &setting) { addAll(setting.name, setting.value); }
  void add(const SequenceSetting &setting) { addAll(setting.name, setting.count.value_or(-1)); }
  void add(const AliasSetting &setting) { addAll(setting.input, setting.output); }
  void add(const std::pair<const std::string, int64_t> &limit) { addAll(limit.first, limit.second); }
  template <typename List> auto add(const List &list) -> decltype(list.begin(), void()) {
    add(static_cast<int64_t>(list.size()));
    for (const auto &element : list)
      add(element);
  }
  template <typename... Part> void addAll(const Part &...part) { (add(part), ...); }

  /// What stands in it.
  void addFile(const std::string &path) {
    constexpr uint64_t most = uint64_t(64) << 20;
    const Result<std::string> bytes = format::readFile(path, most);
    isWhole &= bytes.isOk();
    if (bytes.isOk())
      add(*bytes);
  }
  void addNvrtc() {
    const auto nvrtc = runtime::cuda::Nvrtc::load();
    isWhole &= nvrtc.isOk();
    if (nvrtc.isOk())
      add((*nvrtc)->version());
  }

  std::optional<std::string> digest() const {
    if (!isWhole)
      return std::nullopt;
    return std::string(reinterpret_cast<const char *>(key.digest().data()), key.digest().size());
  }

private:
  runtime::CacheKey key;
  bool isWhole = true;
};

} // namespace

std::optional<std::string> requestOf(const Options &options) {
  // All of them by name, so that one that is added has to be looked at here.
  const auto &[targets, archs, sourceOnly, cpuLevels, shapes, dims, values, sequences, given, aliases, opLibraries,
               trustSnippets, disabledPasses, dumpIrDir, cacheDir, libraries, precision, keepFp32, tf32, int8Rows, io,
               tuning, threads, allowHardLinks, allowDecoders, kernelResults, everyValue, limits, progress, warn,
               cancelled, cache] = options;
  if (buildId().empty() || given || !dumpIrDir.empty() || everyValue)
    return std::nullopt;
  Request request;
  request.addAll(buildId(), std::string(LLVM_VERSION_STRING), targets, archs, sourceOnly, cpuLevels, shapes, dims,
                 values, sequences, aliases, trustSnippets, disabledPasses, libraries, precision, keepFp32, tf32,
                 int8Rows, io, allowHardLinks, allowDecoders, kernelResults, limits);
  request.add(static_cast<int64_t>(opLibraries.size()));
  for (const std::string &file : opLibraries)
    request.addFile(file);
  request.add(tuning == "none" ? tuning : std::string());
  if (!tuning.empty() && tuning != "none")
    request.addFile(tuning);
  if (!archs.empty() && !sourceOnly && llvm::is_contained(targets, "cuda"))
    request.addNvrtc();
  return request.digest();
}

} // namespace cupola::compiler
