//===- lib/Runtime/CUDA/CudaContext.h - a GPU's primary context, and whether it still lives ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_CUDACONTEXT_H
#define CUPOLA_LIB_RUNTIME_CUDA_CUDACONTEXT_H

#include "lib/Runtime/CUDA/Driver.h"

#include <memory>
#include <mutex>
#include <string>

namespace cupola::runtime::cuda {

/// The primary context of one GPU, retained: the one that frameworks in the same process use, so that their memory and
/// streams work here. Shared by everything made on the device, so the order of destruction does not matter.
/// Thread-safe.
///
/// Some errors (an illegal address, for example) end a context: until the process ends, every call fails, often with a
/// misleading code. The first one is kept, and given back by every later call.
class CudaContext {
public:
  static Result<std::shared_ptr<CudaContext>> create(std::shared_ptr<Driver> driver, int ordinal);
  ~CudaContext();
  CudaContext(const CudaContext &) = delete;

  const DriverApi &api() const { return driver->api(); }
  const Driver &owner() const { return *driver; }
  CuDevice device() const { return deviceHandle; }
  CuContext handle() const { return context; }

  /// The first cause if the context is lost, an error in a forked child, else success.
  Status alive() const;
  /// False in a forked child, where the driver's state is the parent's and nothing at all may be called.
  bool sameProcess() const;

  /// The Status of a driver call. `what` says what was done: "launching k_0123".
  Status check(CuResult code, const std::string &what);

private:
  CudaContext() = default;
  std::shared_ptr<Driver> driver;
  CuDevice deviceHandle = 0;
  CuContext context = nullptr;
  int process = 0;
  mutable std::mutex mutex;
  Status firstCause;
};

/// Makes the context current for the calling thread while the object lives, and the caller's own one after it.
class ContextScope {
public:
  explicit ContextScope(CudaContext &context);
  ContextScope(const ContextScope &) = delete;
  ~ContextScope();
  /// Whether work may be done.
  const Status &status() const { return entered; }
  /// Whether things may be given back: also in a lost context, where it frees the host's share of them.
  bool mayRelease() const { return context.sameProcess(); }

private:
  CudaContext &context;
  bool pushed = false;
  Status entered;
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_CUDACONTEXT_H
