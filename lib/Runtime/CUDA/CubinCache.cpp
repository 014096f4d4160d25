//===- lib/Runtime/CUDA/CubinCache.cpp - CUDA source to cubin through the cache ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/CubinCache.h"

#include "lib/Runtime/CUDA/CompileProcess.h"

#include <algorithm>
#include <charconv>

namespace cupola::runtime::cuda {

namespace {

struct KernelText {
  std::string name, text;
};

/// The kernels of an emitted source, each with what stands before the first one.
std::vector<KernelText> splitKernels(std::string_view source) {
  constexpr std::string_view head = "\nCUPOLA_KERNEL(";
  const std::string_view prefix = source.substr(0, source.find(head));
  std::vector<KernelText> kernels;
  for (size_t begin = prefix.size(); begin < source.size();) {
    const size_t end = std::min(source.find(head, begin + 1), source.size());
    const std::string_view body = source.substr(begin, end - begin);
    const size_t name = body.find(") ") + 2;
    kernels.push_back(
        {std::string(body.substr(name, body.find('(', name) - name)), std::string(prefix) + std::string(body)});
    begin = end;
  }
  return kernels;
}

} // namespace

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
    : cache(std::move(cacheOf)), majors(std::move(majorsOf)), deadline(kCompileDeadline) {}

CubinCache::CubinCache(std::shared_ptr<ByteCache> cacheOf, std::shared_ptr<Nvrtc> nvrtcOf, unsigned deadlineOf)
    : cache(std::move(cacheOf)), deadline(deadlineOf), loaded(std::move(nvrtcOf)) {}

Result<std::shared_ptr<Nvrtc>> CubinCache::nvrtc() {
  std::lock_guard<std::mutex> lock(loadMutex);
  if (!loaded) {
    CUPOLA_ASSIGN(loaded, Nvrtc::load(majors));
  }
  return loaded;
}

/// Nothing: the deadline passed.
static std::optional<Result<CudaBinary>> compileBounded(Nvrtc &compiler, const NvrtcRequest &request,
                                                        unsigned deadline) {
  std::optional<Result<std::string>> bytes = runBounded(
      [&]() -> Result<std::string> {
        Result<CudaBinary> binary = compiler.compile(request);
        return binary.isOk() ? Result<std::string>(encodeCudaBinary(*binary)) : binary.status();
      },
      deadline);
  if (!bytes)
    return std::nullopt;
  if (bytes->failed())
    return Result<CudaBinary>(bytes->status());
  return Result<CudaBinary>(*decodeCudaBinary(**bytes));
}

Result<CudaBinary> CubinCache::compileWith(Nvrtc &compiler, const NvrtcRequest &request) {
  if (deadline == 0)
    return compiler.compile(request);
  std::optional<Result<CudaBinary>> binary = compileBounded(compiler, request, deadline);
  return binary ? std::move(*binary) : Result<CudaBinary>(endless(compiler, request));
}

/// Which of the kernels of a source it was.
Status CubinCache::endless(Nvrtc &compiler, const NvrtcRequest &request) {
  const std::vector<KernelText> kernels = splitKernels(request.source);
  std::string names;
  for (const KernelText &kernel : kernels) {
    NvrtcRequest single = request;
    single.source = kernel.text;
    if (kernels.size() == 1 || !compileBounded(compiler, single, deadline))
      names += (names.empty() ? "" : ", ") + kernel.name;
  }
  return Status::limit("nvrtc " + compiler.version() + " did not compile " +
                       (names.empty() ? request.name : "kernel " + names + " of " + request.name) + " for " +
                       request.arch + " within " + std::to_string(deadline) + " s of processor time");
}

Result<CudaBinary> CubinCache::compile(const NvrtcRequest &request) {
  CUPOLA_ASSIGN(std::shared_ptr<Nvrtc> compiler, nvrtc());
  ++requestCount;
  CacheKey key("cubin");
  key.add(binaryVersion).add(compiler->version()).add(request.source).add(request.headers.size());
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
  Result<CudaBinary> binary = compileWith(*compiler, request);
  if (binary.isOk())
    cache->put(key, encodeCudaBinary(*binary));
  return binary;
}

CubinCounters CubinCache::counters() const { return {requestCount.load(), hitCount.load(), compileCount.load()}; }

} // namespace cupola::runtime::cuda
