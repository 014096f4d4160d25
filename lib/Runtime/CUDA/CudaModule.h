//===- lib/Runtime/CUDA/CudaModule.h - kernels loaded from a cubin ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_CUDAMODULE_H
#define CUPOLA_LIB_RUNTIME_CUDA_CUDAMODULE_H

#include "lib/Runtime/CUDA/CudaFunction.h"

#include <deque>

namespace cupola::runtime::cuda {

/// What launches on a GPU may have.
struct LaunchLimits {
  uint64_t sharedBytes = 0;  ///< dynamic shared memory of a block, at most
  bool clusters = false;     ///< blocks of a cluster
  bool programmatic = false; ///< a launch that begins before earlier work ends, also in a graph
};

class CudaModule : public Module {
public:
  /// Loads `cubin` and finds every kernel of `image` in it.
  static Result<std::unique_ptr<Module>> load(const std::shared_ptr<CudaContext> &context,
                                              std::shared_ptr<LaunchCounters> counters, const ModuleImage &image,
                                              std::string_view cubin, const LaunchLimits &limits);
  ~CudaModule() override;
  Function &function(size_t index) override { return functions.at(index); }

private:
  CudaModule() = default;
  Status addFunction(const format::Kernel &kernel, const LaunchLimits &limits);
  std::shared_ptr<CudaContext> context;
  std::shared_ptr<LaunchCounters> counters;
  CuLibrary library = nullptr;
  std::deque<CudaKernel> functions;
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_CUDAMODULE_H
