//===- lib/Runtime/CUDA/CubinCache.cpp - CUDA source to cubin through the cache ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/CubinCache.h"

#include <charconv>

namespace cupola::runtime::cuda {

/// Changes with the form of an entry.
static constexpr uint64_t binaryVersion = 1;

std::string encodeCudaBinary(const CudaBinary &binary) {
  std::string text = std::to_string(binary.kernels.size()) + "\n";
  for (const KernelResources &kernel : binary.kernels) {
    text += kernel.name;
    for (uint64_t value : {uint64_t(kernel.registers), kernel.stackBytes, kernel.spillStoreBytes, kernel.spillLoadBytes,
                           kernel.staticSharedBytes})
      text += " " + std::to_string(value);
    text += "\n";
  }
  return text + binary.cubin;
}

/// Takes the text up to `end` off the front of `bytes`.
static std::optional<std::string_view> takeUntil(std::string_view &bytes, char end) {
  const size_t at = bytes.find(end);
  if (at == std::string_view::npos)
    return std::nullopt;
  const std::string_view taken = bytes.substr(0, at);
  bytes.remove_prefix(at + 1);
  return taken;
}

static std::optional<uint64_t> takeNumber(std::string_view &bytes, char end) {
  const std::optional<std::string_view> text = takeUntil(bytes, end);
  uint64_t value = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), value).ptr != text->data() + text->size())
    return std::nullopt;
  return value;
}

std::optional<CudaBinary> decodeCudaBinary(std::string_view bytes) {
  CudaBinary binary;
  std::optional<uint64_t> count = takeNumber(bytes, '\n');
  if (!count)
    return std::nullopt;
  for (uint64_t i = 0; i < *count; ++i) {
    KernelResources kernel;
    const std::optional<std::string_view> name = takeUntil(bytes, ' ');
    const std::optional<uint64_t> registers = takeNumber(bytes, ' '), stack = takeNumber(bytes, ' '),
                                  stores = takeNumber(bytes, ' '), loads = takeNumber(bytes, ' '),
                                  shared = takeNumber(bytes, '\n');
    if (!name || !registers || !stack || !stores || !loads || !shared)
      return std::nullopt;
    binary.kernels.push_back({std::string(*name), uint32_t(*registers), *stack, *stores, *loads, *shared});
  }
  binary.cubin = std::string(bytes);
  return binary;
}

CubinCache::CubinCache(std::shared_ptr<ByteCache> cacheOf, std::vector<int> majorsOf)
    : cache(std::move(cacheOf)), majors(std::move(majorsOf)) {}

CubinCache::CubinCache(std::shared_ptr<ByteCache> cacheOf, std::shared_ptr<Nvrtc> nvrtcOf)
    : cache(std::move(cacheOf)), loaded(std::move(nvrtcOf)) {}

Result<std::shared_ptr<Nvrtc>> CubinCache::nvrtc() {
  std::lock_guard<std::mutex> lock(loadMutex);
  if (!loaded) {
    Result<std::shared_ptr<Nvrtc>> opened = Nvrtc::load(majors);
    if (opened.failed())
      return opened.status();
    loaded = opened.take();
  }
  return loaded;
}

Result<CudaBinary> CubinCache::compile(const NvrtcRequest &request) {
  Result<std::shared_ptr<Nvrtc>> compiler = nvrtc();
  if (compiler.failed())
    return compiler.status();
  ++requestCount;
  CacheKey key("cubin");
  key.add(binaryVersion).add((*compiler)->version()).add(request.source).add(request.headers.size());
  for (const NvrtcHeader &header : request.headers)
    key.add(header.name).add(header.text);
  for (const std::string &option : nvrtcOptionTexts(request))
    key.add(option);
  if (request.options.lineInfo) // else the name shows in messages only, and a success has none
    key.add(request.name);
  if (std::optional<std::string> bytes = cache->get(key))
    if (std::optional<CudaBinary> binary = decodeCudaBinary(*bytes)) {
      ++hitCount;
      return std::move(*binary);
    }
  ++compileCount;
  Result<CudaBinary> binary = (*compiler)->compile(request);
  if (binary.isOk())
    cache->put(key, encodeCudaBinary(*binary));
  return binary;
}

CubinCounters CubinCache::counters() const { return {requestCount.load(), hitCount.load(), compileCount.load()}; }

} // namespace cupola::runtime::cuda
