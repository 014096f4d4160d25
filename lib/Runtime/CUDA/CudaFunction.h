//===- lib/Runtime/CUDA/CudaFunction.h - what a launch on a GPU queues ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_CUDAFUNCTION_H
#define CUPOLA_LIB_RUNTIME_CUDA_CUDAFUNCTION_H

#include "lib/Runtime/CUDA/CudaContext.h"
#include "lib/Runtime/CUDA/LaunchCounters.h"
#include "lib/Runtime/Device.h"

namespace cupola::runtime::cuda {

/// Room for the arguments of the launch at hand, which a stream keeps so that launching allocates nothing.
struct LaunchRoom {
  std::vector<const void *> parameters;
  std::vector<CuLaunchAttribute> attributes;
  /// A launch of the same run was queued before. What a kernel reads before it waits, its weights, may be what the
  /// caller's own work has just written: the first launch of a run begins when that has ended.
  bool follows = false;
};

/// A kernel, or a call into a library.
class CudaFunction : public Function {
public:
  /// Queues it, or records it where the stream captures. The context is current. An error names the step.
  virtual Status queue(const LaunchArguments &arguments, CuStream stream, LaunchRoom &room) = 0;
  /// For messages: "kernel k_0123456789abcdef".
  virtual std::string what() const = 0;

  LaunchCounter *counter = nullptr; ///< owned by the device's LaunchCounters
};

/// One kernel of a module, ready to launch.
class CudaKernel : public CudaFunction {
public:
  explicit CudaKernel(std::shared_ptr<CudaContext> context) : context(std::move(context)) {}
  Status queue(const LaunchArguments &arguments, CuStream stream, LaunchRoom &room) override;
  std::string what() const override { return "kernel " + name; }

  std::string name;
  CuFunction handle = nullptr;
  unsigned threads = 1;
  unsigned sharedBytes = 0;
  unsigned cluster = 0;      ///< blocks along x; at most 1: none
  bool programmatic = false; ///< its launch may begin before the work queued earlier ends
  bool cooperative = false;  ///< its blocks run at the same time

private:
  Status checkGrid(const Grid &grid) const;
  void addAttributes(LaunchRoom &room) const;
  Status launchError(CuResult code, const LaunchArguments &arguments) const;
  CuLaunchConfig configure(const Grid &grid, CuStream stream, LaunchRoom &room) const;

  std::shared_ptr<CudaContext> context;
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_CUDAFUNCTION_H
