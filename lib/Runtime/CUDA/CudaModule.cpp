//===- lib/Runtime/CUDA/CudaModule.cpp - kernels loaded from a cubin ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/CudaModule.h"

namespace cupola::runtime::cuda {

/// Above this a kernel must be told that it may have so much.
static constexpr uint64_t defaultDynamicShared = 49152;
static constexpr uint64_t maxThreads = 1024;

/// What the driver says about an image, in terms of what a person can do.
static Status loadError(CudaContext &context, CuResult code, const ModuleImage &image) {
  const std::string what = "loading the kernels of " + image.name + " (" + image.arch + ")";
  Status status = context.check(code, what);
  const std::string driver = "the CUDA driver (CUDA " + versionText(context.owner().version()) + ")";
  switch (code) {
  case cuNoBinaryForGpu:
    return Status::environment(what + " failed: it was built for " + image.arch + ", which this GPU does not run");
  case cuInvalidImage:
    return Status::environment(what + " failed: " + driver +
                               " does not accept the image; one built by a newer CUDA needs a newer driver");
  case cuUnsupportedPtx:
    return Status::environment(what + " failed: " + driver + " is older than the compiler that made it");
  default:
    return status;
  }
}

Result<std::unique_ptr<Module>> CudaModule::load(const std::shared_ptr<CudaContext> &context,
                                                 std::shared_ptr<LaunchCounters> counters, const ModuleImage &image,
                                                 std::string_view cubin, const LaunchLimits &limits) {
  std::unique_ptr<CudaModule> module(new CudaModule);
  module->context = context;
  module->counters = std::move(counters);
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  // The driver copies the image. Its bytes were checked against a hash by whoever read them: a damaged image can end
  // the process in here.
  const CuResult code =
      context->api().libraryLoadData(&module->library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (code != cuSuccess)
    return loadError(*context, code, image);
  for (const format::Kernel *kernel : image.kernels)
    CUPOLA_TRY(module->addFunction(*kernel, limits).within(image.name));
  return std::unique_ptr<Module>(std::move(module));
}

/// Whether launches of it can have what it wants.
static Status checkLimits(const format::Kernel &kernel, const LaunchLimits &limits) {
  if (kernel.threads == 0 || kernel.threads > maxThreads)
    return Status::package("kernel " + kernel.name + " wants blocks of " + std::to_string(kernel.threads) +
                           " threads, 1 to 1024 are possible");
  if (kernel.sharedBytes > limits.sharedBytes)
    return Status::unsupported("kernel " + kernel.name + " needs " + std::to_string(kernel.sharedBytes) +
                               " bytes of shared memory, this GPU has " + std::to_string(limits.sharedBytes));
  if (kernel.cluster > 1 && !limits.clusters)
    return Status::unsupported("kernel " + kernel.name + " runs in clusters of " + std::to_string(kernel.cluster) +
                               " blocks, which GPUs have from sm_90 on");
  return {};
}

Status CudaModule::addFunction(const format::Kernel &kernel, const LaunchLimits &limits) {
  CUPOLA_TRY(checkLimits(kernel, limits));
  const DriverApi &api = context->api();
  CuKernel found = nullptr;
  CudaKernel function(context);
  function.name = kernel.name;
  function.threads = kernel.threads;
  function.sharedBytes = unsigned(kernel.sharedBytes);
  function.cluster = kernel.cluster;
  function.programmatic = kernel.programmatic && limits.programmatic;
  function.cooperative = kernel.cooperative;
  CUPOLA_TRY(
      context->check(api.libraryGetKernel(&found, library, kernel.name.c_str()), "finding kernel " + kernel.name));
  if (kernel.sharedBytes > defaultDynamicShared)
    CUPOLA_TRY(context->check(
        api.kernelSetAttribute(cuFunctionMaxDynamicShared, int(kernel.sharedBytes), found, context->device()),
        "giving kernel " + kernel.name + " " + std::to_string(kernel.sharedBytes) + " bytes of shared memory"));
  CUPOLA_TRY(context->check(api.kernelGetFunction(&function.handle, found), "loading kernel " + kernel.name));
  function.counter = &counters->of(kernel.name);
  functions.push_back(std::move(function));
  return {};
}

CudaModule::~CudaModule() {
  const ContextScope scope(*context);
  if (library && scope.mayRelease())
    context->api().libraryUnload(library);
}

} // namespace cupola::runtime::cuda
