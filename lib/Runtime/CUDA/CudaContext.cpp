//===- lib/Runtime/CUDA/CudaContext.cpp - a GPU's primary context, and whether it still lives ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/CudaContext.h"

#include <algorithm>
#include <unistd.h>

namespace cupola::runtime::cuda {

/// Results after which nothing in this context works any more.
static const CuResult stickyErrors[] = {
    cuEccUncorrectable,
    cuIllegalAddress,
    cuLaunchTimeout,
    cuContextIsDestroyed,
    cuAssert,
    cuHardwareStackError,
    cuIllegalInstruction,
    cuMisalignedAddress,
    cuInvalidAddressSpace,
    cuInvalidPc,
    cuLaunchFailed,
    cuUnknown,
};

Result<std::shared_ptr<CudaContext>> CudaContext::create(std::shared_ptr<Driver> driver, int ordinal) {
  std::shared_ptr<CudaContext> self(new CudaContext);
  self->driver = std::move(driver);
  self->process = getpid();
  const DriverApi &api = self->api();
  int count = 0;
  CUPOLA_TRY(self->check(api.deviceGetCount(&count), "counting devices"));
  if (count == 0)
    return Status::environment("no CUDA device: the driver finds 0 GPUs (is CUDA_VISIBLE_DEVICES set?)");
  if (ordinal < 0 || ordinal >= count)
    return Status::usage("there is no CUDA device " + std::to_string(ordinal) + ": the driver finds " +
                         std::to_string(count) + ", counted from 0");
  CUPOLA_TRY(self->check(api.deviceGet(&self->deviceHandle, ordinal), "opening device " + std::to_string(ordinal)));
  CUPOLA_TRY(self->check(api.devicePrimaryCtxRetain(&self->context, self->deviceHandle), "making a context"));
  return self;
}

CudaContext::~CudaContext() {
  if (context && sameProcess())
    api().devicePrimaryCtxRelease(deviceHandle);
}

bool CudaContext::sameProcess() const { return getpid() == process; }

Status CudaContext::alive() const {
  if (!sameProcess())
    return Status::environment("the CUDA device was opened by process " + std::to_string(process) +
                               " and cannot be used in its fork " + std::to_string(getpid()) +
                               ": open it after the fork");
  std::lock_guard<std::mutex> lock(mutex);
  return firstCause;
}

Status CudaContext::check(CuResult code, const std::string &what) {
  if (code == cuSuccess)
    return {};
  std::lock_guard<std::mutex> lock(mutex);
  if (firstCause.failed())
    return firstCause;
  const std::string text = what + " failed: " + driver->describe(code);
  if (std::find(std::begin(stickyErrors), std::end(stickyErrors), code) == std::end(stickyErrors))
    return Status::environment(text);
  firstCause = Status::environment("the CUDA device is lost until the process ends: " + text +
                                   "; work queued earlier may be the cause (CUPOLA_SYNC=1 waits after each launch)");
  return firstCause;
}

ContextScope::ContextScope(CudaContext &of) : context(of), entered(of.alive()) {
  if (!context.sameProcess())
    return;
  const CuResult code = context.api().ctxPushCurrent(context.handle());
  pushed = code == cuSuccess;
  if (entered.isOk())
    entered = context.check(code, "entering the context");
}

ContextScope::~ContextScope() {
  CuContext popped = nullptr;
  if (pushed)
    context.api().ctxPopCurrent(&popped);
}

} // namespace cupola::runtime::cuda
