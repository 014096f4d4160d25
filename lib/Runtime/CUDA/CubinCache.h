//===- lib/Runtime/CUDA/CubinCache.h - CUDA source to cubin through the cache ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_CUBINCACHE_H
#define CUPOLA_LIB_RUNTIME_CUDA_CUBINCACHE_H

#include "lib/Runtime/CUDA/ByteCache.h"
#include "lib/Runtime/CUDA/Nvrtc.h"

#include <memory>
#include <mutex>

namespace cupola::runtime::cuda {

/// Seconds of processor time that NVRTC gets for one source. The largest ones take a tenth of it.
constexpr unsigned kCompileDeadline = 120;

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

  /// Over a given NVRTC (tests). `deadline` 0: in this process, however long it takes.
  CubinCache(std::shared_ptr<ByteCache> cache, std::shared_ptr<Nvrtc> nvrtc, unsigned deadline = 0);

  /// The cubin and the resources of its kernels: from the cache if the same source, headers, options, architecture and
  /// NVRTC version were compiled before. Errors are those of Nvrtc, and Code::Limit when a compilation did not end
  /// within the deadline, with the names of the kernels that it could not end.
  Result<CudaBinary> compile(const NvrtcRequest &request);

  /// The NVRTC in use, opened if it was not.
  Result<std::shared_ptr<Nvrtc>> nvrtc();

  CubinCounters counters() const;

private:
  Result<CudaBinary> compileWith(Nvrtc &compiler, const NvrtcRequest &request);
  Status endless(Nvrtc &compiler, const NvrtcRequest &request);

  std::shared_ptr<ByteCache> cache;
  std::vector<int> majors;
  unsigned deadline;
  std::mutex loadMutex;
  std::shared_ptr<Nvrtc> loaded;
  std::atomic<uint64_t> requestCount{0}, hitCount{0}, compileCount{0};
};

/// The form of a CudaBinary in the cache: a line per kernel, then the cubin.
std::string encodeCudaBinary(const CudaBinary &binary);
std::optional<CudaBinary> decodeCudaBinary(std::string_view bytes);

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_CUBINCACHE_H
