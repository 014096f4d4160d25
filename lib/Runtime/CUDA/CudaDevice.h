//===- lib/Runtime/CUDA/CudaDevice.h - an NVIDIA GPU as a device ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_CUDADEVICE_H
#define CUPOLA_LIB_RUNTIME_CUDA_CUDADEVICE_H

#include "lib/Runtime/CUDA/CubinCache.h"
#include "lib/Runtime/CUDA/CublasLtCalls.h"
#include "lib/Runtime/CUDA/CudaContext.h"
#include "lib/Runtime/CUDA/CudaModule.h"
#include "lib/Runtime/CUDA/GrowingMemory.h"
#include "lib/Runtime/Device.h"
#include "lib/Runtime/Format/GpuArch.h"

namespace cupola::runtime {

/// Opens the driver and the GPU `options.ordinal`. Code::Environment where there is none. NVRTC and the cache are
/// opened only when a module comes as source. With CUPOLA_SYNC=1 in the environment every launch is waited for.
Result<std::shared_ptr<Device>> createCudaDevice(const DeviceOptions &options);

namespace cuda {

class CudaDevice : public Device {
public:
  /// Over a given driver (tests). `nvrtc` and `blas`: null to open the machine's at need.
  static Result<std::shared_ptr<Device>> create(const std::shared_ptr<Driver> &driver, const DeviceOptions &options,
                                                std::shared_ptr<Nvrtc> nvrtc = nullptr,
                                                std::shared_ptr<const CublasLt> blas = nullptr);

  const DeviceProperties &properties() const override { return facts; }
  int rank(std::string_view target, std::string_view arch) const override;
  bool accepts(ImageKind kind, std::string_view arch) const override;
  bool compiles(std::string_view arch) override;

  Result<DeviceAddress> allocate(uint64_t bytes) override;
  Result<DeviceAddress> allocateGrowing(uint64_t bytes) override;
  Status grow(DeviceAddress address, uint64_t bytes) override;
  void free(DeviceAddress address) override;
  Result<uint64_t> freeBytes() override;
  /// Page-locked, and addressable by kernels at the same address.
  Result<void *> allocateHost(uint64_t bytes) override;
  void freeHost(void *memory) override;

  Result<std::unique_ptr<Stream>> createStream(void *native) override;
  Result<std::unique_ptr<Module>> loadModule(const ModuleImage &image) override;
  Result<std::string> sourceCompiler() override;
  Result<std::unique_ptr<Function>> prepareCall(const format::LibraryCall &call, std::string_view arch,
                                                const void *weights) override;
  Status encodeTensorMap(const TensorMapValue &value, TensorMapBytes &map) override;

  std::vector<KernelStatistics> statistics() const override { return counters->read(); }
  void resetStatistics() override { counters->reset(); }
  CompileCounters compileCounters() const override;

private:
  CudaDevice() = default;
  Status readProperties();
  Status outOfMemory(const char *kind, uint64_t wanted);
  Status allocationError(CuResult code, uint64_t bytes);
  std::shared_ptr<ByteCache> cacheAtNeed();
  CubinCache &compilerAtNeed();
  Result<std::shared_ptr<CublasLtDevice>> openCublasLt();
  Result<CudaBinary> compile(const ModuleImage &image);
  LaunchLimits launchLimits() const;

  std::shared_ptr<CudaContext> context;
  std::shared_ptr<LaunchCounters> counters;
  DeviceOptions options;
  std::shared_ptr<Nvrtc> nvrtc;         ///< null: the machine's
  std::shared_ptr<const CublasLt> blas; ///< likewise
  std::once_flag cacheOnce, compilerOnce;
  std::shared_ptr<ByteCache> cache;
  std::unique_ptr<CubinCache> compiler;
  std::atomic<const CubinCache *> made{nullptr}; ///< the compiler, once there is one
  std::mutex productMutex;
  std::optional<Result<std::shared_ptr<CublasLtDevice>>> products; ///< none before the first call
  DeviceProperties facts;
  GpuArch arch;
  bool waitAfterLaunch = false;
  bool virtualMemory = false;
  std::mutex growingMutex;
  std::map<DeviceAddress, std::unique_ptr<GrowingMemory>> growing;
};

} // namespace cuda
} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_CUDA_CUDADEVICE_H
