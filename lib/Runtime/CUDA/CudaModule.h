//===- lib/Runtime/CUDA/CudaModule.h - kernels loaded from a cubin ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_CUDAMODULE_H
#define CUPOLA_LIB_RUNTIME_CUDA_CUDAMODULE_H

#include "lib/Runtime/CUDA/CudaContext.h"
#include "lib/Runtime/CUDA/LaunchCounters.h"
#include "lib/Runtime/Device.h"

#include <deque>

namespace cupola::runtime::cuda {

/// One kernel, ready to launch.
class CudaFunction : public Function {
public:
  std::string name;
  CuFunction handle = nullptr;
  unsigned threads = 1;
  unsigned sharedBytes = 0;
  LaunchCounter *counter = nullptr; ///< owned by the device's LaunchCounters, which the module keeps alive
};

class CudaModule : public Module {
public:
  /// Loads `cubin` and finds every kernel of `image` in it. `sharedLimit`: most dynamic shared memory of a block here.
  static Result<std::unique_ptr<Module>> load(const std::shared_ptr<CudaContext> &context,
                                              std::shared_ptr<LaunchCounters> counters, const ModuleImage &image,
                                              std::string_view cubin, uint64_t sharedLimit);
  ~CudaModule() override;
  Function &function(size_t index) override { return functions.at(index); }

private:
  CudaModule() = default;
  Status addFunction(const format::Kernel &kernel, uint64_t sharedLimit);
  std::shared_ptr<CudaContext> context;
  std::shared_ptr<LaunchCounters> counters;
  CuLibrary library = nullptr;
  std::deque<CudaFunction> functions;
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_CUDAMODULE_H
