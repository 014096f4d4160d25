//===- lib/Runtime/CUDA/CubinCache.h - CUDA source to cubin through the cache ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_CUBINCACHE_H
#define CUPOLA_LIB_RUNTIME_CUDA_CUBINCACHE_H

#include "lib/Runtime/CUDA/ByteCache.h"
#include "lib/Runtime/CUDA/Nvrtc.h"

#include <memory>
#include <mutex>

namespace cupola::runtime::cuda {

/// What a compilation cost, for reports. A warm run shows no compile.
struct CubinCounters {
  uint64_t requests = 0;
  uint64_t hits = 0;     ///< answered by the cache
  uint64_t compiles = 0; ///< calls of NVRTC's compiler
};

/// Compiles through a cache. NVRTC is opened at the first request (7 to 18 ms) and stays open. Thread-safe.
class CubinCache {
public:
  /// `majors`: which NVRTC will do, in order of preference. The device side passes only what its driver can load.
  CubinCache(std::shared_ptr<ByteCache> cache, std::vector<int> majors = {13, 12});

  /// Over a given NVRTC (tests).
  CubinCache(std::shared_ptr<ByteCache> cache, std::shared_ptr<Nvrtc> nvrtc);

  /// The cubin and the resources of its kernels: from the cache if the same source, headers, options, architecture and
  /// NVRTC version were compiled before. Errors are those of Nvrtc.
  Result<CudaBinary> compile(const NvrtcRequest &request);

  /// The NVRTC in use, opened if it was not.
  Result<std::shared_ptr<Nvrtc>> nvrtc();

  CubinCounters counters() const;

private:
  std::shared_ptr<ByteCache> cache;
  std::vector<int> majors;
  std::mutex loadMutex;
  std::shared_ptr<Nvrtc> loaded;
  std::atomic<uint64_t> requestCount{0}, hitCount{0}, compileCount{0};
};

/// The form of a CudaBinary in the cache: a line per kernel, then the cubin.
std::string encodeCudaBinary(const CudaBinary &binary);
std::optional<CudaBinary> decodeCudaBinary(std::string_view bytes);

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_CUBINCACHE_H
