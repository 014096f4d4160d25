//===- lib/Runtime/CUDA/CublasLtCalls.h - products by cuBLASLt on one GPU ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_CUBLASLTCALLS_H
#define CUPOLA_LIB_RUNTIME_CUDA_CUBLASLTCALLS_H

#include "lib/Runtime/CUDA/ByteCache.h"
#include "lib/Runtime/CUDA/CublasLt.h"
#include "lib/Runtime/CUDA/CudaFunction.h"

#include <map>
#include <mutex>

namespace cupola::runtime::cuda {

/// The library's handle for a GPU, and the algorithm of each problem that was met there: the heuristic is asked once,
/// and its answer kept in the cache by version of the library, GPU and driver. Thread-safe.
class CublasLtDevice {
public:
  /// `gpu`: what algorithms depend on besides the library and the driver. The context is current, here and in
  /// `choose`.
  static Result<std::shared_ptr<CublasLtDevice>> create(std::shared_ptr<CudaContext> context,
                                                        std::shared_ptr<const CublasLt> library,
                                                        std::shared_ptr<ByteCache> cache, std::string gpu);
  ~CublasLtDevice();
  CublasLtDevice(const CublasLtDevice &) = delete;

  const std::shared_ptr<const CublasLt> &library() const { return owner; }
  BlasHandle handle() const { return blas; }
  /// Code::Unsupported: the library has no algorithm for it that computes in f32 within its workspace.
  Result<BlasChoice> choose(const CublasLtProblem &problem);

private:
  CublasLtDevice() = default;
  std::optional<BlasChoice> fromCache(const CublasLtProblem &problem, const CacheKey &key) const;
  Result<BlasChoice> askHeuristic(const CublasLtProblem &problem) const;

  std::shared_ptr<CudaContext> context;
  std::shared_ptr<const CublasLt> owner;
  std::shared_ptr<ByteCache> cache;
  std::string gpu;
  BlasHandle blas = nullptr;
  std::mutex mutex;
  std::map<std::string, BlasChoice> choices; ///< by the problem's text
};

/// A library call of a package, ready to launch.
class CublasLtCall : public CudaFunction {
public:
  /// The context is current. An error says why the kernel does it.
  static Result<std::unique_ptr<Function>> create(std::shared_ptr<CublasLtDevice> device,
                                                  const format::LibraryCall &call, LaunchCounters &counters);

  Status queue(const LaunchArguments &arguments, CuStream stream, LaunchRoom &room) override;
  std::string what() const override { return title; }
  std::string library() const override { return title; }

private:
  CublasLtCall() = default;

  std::shared_ptr<CublasLtDevice> device; ///< outlives what follows
  std::unique_ptr<CublasLtProblem> problem;
  BlasChoice choice = {};
  std::string title;                    ///< "cuBLASLt 13.1.0 algorithm 66"
  std::optional<size_t> vector, tensor; ///< which of the launch's buffers is added, if any
  size_t result = 0;                    ///< which is written; behind it is the workspace
  std::mutex mutex;                     ///< sessions share the call, and the description holds the vector's address
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_CUBLASLTCALLS_H
