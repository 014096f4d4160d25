//===- test/Runtime/CUDA/FakeDriver.cpp - a CUDA driver in plain host memory, strict and able to fail ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/CUDA/FakeCalls.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <sys/mman.h>

namespace cupola::runtime::cuda {

FakeDriver *FakeDriver::current = nullptr;

FakeDriver::FakeDriver() {
  current = this;
  kernels["cupola_decide"] = FakeCalls::decideRow();
}

FakeDriver::~FakeDriver() {
  current = nullptr;
  for (const auto &[address, bytes] : memory)
    std::free(reinterpret_cast<void *>(address));
  for (const auto &[address, bytes] : hostMemory)
    std::free(address);
  for (const auto &[address, bytes] : reserved)
    munmap(reinterpret_cast<void *>(address), bytes);
}

static CuContext theContext() { return reinterpret_cast<CuContext>(uintptr_t(0xC0)); }

uint64_t FakeDriver::count(const std::string &call) const { return uint64_t(std::count(log.begin(), log.end(), call)); }

size_t FakeDriver::liveBytes() const { return usedBytes; }

std::string FakeDriver::leaks() const {
  const std::pair<size_t, const char *> kinds[] = {{memory.size(), "device allocations"},
                                                   {hostMemory.size(), "host allocations"},
                                                   {reserved.size(), "reservations"},
                                                   {mapped.size(), "mappings"},
                                                   {handles.size(), "memory handles"},
                                                   {streams.size(), "streams"},
                                                   {events.size(), "events"},
                                                   {graphs.size(), "graphs"},
                                                   {executables.size(), "graph executables"},
                                                   {libraries.size(), "libraries"},
                                                   {size_t(retained), "contexts"},
                                                   {contexts.size(), "pushed contexts"}};
  std::ostringstream text;
  for (const auto &[number, kind] : kinds)
    if (number > 0)
      text << number << " " << kind << " ";
  return text.str();
}

CuResult FakeDriver::enter(const char *name, bool needsContext) {
  ++calls;
  log.push_back(name);
  if (needsContext && (retained == 0 || contexts.empty()) && !pushFailed)
    violation(std::string(name) + " without a current context");
  if (calls == failAt || failCall == name) {
    static const CuResult sticky[] = {cuIllegalAddress, cuLaunchFailed, cuUnknown, cuEccUncorrectable};
    if (std::find(std::begin(sticky), std::end(sticky), failCode) != std::end(sticky))
      lost = failCode;
    return failCode;
  }
  return needsContext ? lost : cuSuccess;
}

bool FakeDriver::inAllocation(CuPointer address, size_t bytes) {
  const auto piece = [&](const std::map<CuPointer, size_t> &ranges) -> size_t { // bytes from `address` to its end
    auto it = ranges.upper_bound(address);
    if (it == ranges.begin())
      return 0;
    const CuPointer end = std::prev(it)->first + std::prev(it)->second;
    return end > address ? end - address : 0;
  };
  if (piece(memory) >= bytes)
    return true;
  for (size_t part; (part = piece(mapped)) != 0; address += part, bytes -= part) // pieces side by side are one range
    if (part >= bytes)
      return true;
  return false;
}

CuResult FakeDriver::submit(CuStream handle, Work work) {
  auto *stream = reinterpret_cast<Stream *>(handle);
  if (!streams.count(stream)) {
    violation("work on a stream that does not exist");
    return 400;
  }
  if (Graph *graph = stream->capture) {
    if (stream->follows != graph->work.size())
      violation("work beside a conditional node");
    graph->work.push_back(std::move(work));
    stream->follows = graph->work.size();
  } else {
    stream->queue.push_back(std::move(work));
  }
  return cuSuccess;
}

void FakeDriver::drain(Stream &stream) {
  while (!stream.queue.empty()) {
    Work work = std::move(stream.queue.front());
    stream.queue.pop_front();
    work();
  }
}

void FakeCalls::fillDevice(DriverApi &api) {
  api.init = [](unsigned) { return self().enter("cuInit", false); };
  api.driverGetVersion = [](int *version) {
    return *version = self().version, self().enter("cuDriverGetVersion", false);
  };
  api.getErrorName = [](CuResult code, const char **text) {
    *text = code == cuIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_FAKE";
    return CuResult(cuSuccess);
  };
  api.getErrorString = [](CuResult, const char **text) { return *text = "as the test wished", CuResult(cuSuccess); };
  api.deviceGetCount = [](int *count) { return *count = self().devices, self().enter("cuDeviceGetCount", false); };
  api.deviceGet = [](CuDevice *device, int ordinal) { return *device = ordinal, self().enter("cuDeviceGet", false); };
  api.deviceGetName = [](char *name, int, CuDevice) {
    return std::strcpy(name, "Fake GPU"), self().enter("cuDeviceGetName", false);
  };
  api.deviceTotalMem = [](size_t *bytes, CuDevice) {
    return *bytes = self().totalBytes, self().enter("cuDeviceTotalMem", false);
  };
  api.deviceGetAttribute = [](int *value, CuDeviceAttribute attribute, CuDevice) {
    *value = attribute == cuAttributeCapabilityMajor       ? self().capability / 10
             : attribute == cuAttributeCapabilityMinor     ? self().capability % 10
             : attribute == cuAttributeSharedPerBlockOptin ? self().sharedBytes
             : attribute == cuAttributeMultiprocessors     ? self().multiprocessors
                                                           : int(self().virtualMemory);
    return self().enter("cuDeviceGetAttribute", false);
  };
  api.devicePrimaryCtxRetain = [](CuContext *context, CuDevice) {
    const CuResult code = self().enter("cuDevicePrimaryCtxRetain", false);
    if (code == cuSuccess)
      ++self().retained, *context = theContext();
    return code;
  };
  api.devicePrimaryCtxRelease = [](CuDevice) {
    if (--self().retained < 0)
      self().violation("cuDevicePrimaryCtxRelease of what was not retained");
    return self().enter("cuDevicePrimaryCtxRelease", false);
  };
  api.ctxPushCurrent = [](CuContext context) {
    if (context != theContext() || self().retained == 0)
      self().violation("cuCtxPushCurrent of a context that is gone");
    const CuResult code = self().enter("cuCtxPushCurrent", false); // works in a lost context, too
    self().pushFailed = code != cuSuccess;
    if (code == cuSuccess)
      self().contexts.push_back(context);
    return code;
  };
  api.ctxPopCurrent = [](CuContext *context) {
    if (self().contexts.empty())
      self().violation("cuCtxPopCurrent of an empty stack");
    else
      *context = self().contexts.back(), self().contexts.pop_back();
    return self().enter("cuCtxPopCurrent", false);
  };
}

DriverApi FakeDriver::table() {
  DriverApi api = {};
  FakeCalls::fillDevice(api);
  FakeCalls::fillMemory(api);
  FakeCalls::fillVirtualMemory(api);
  FakeCalls::fillModules(api);
  FakeCalls::fillTensorMaps(api);
  FakeCalls::fillStreams(api);
  FakeCalls::fillGraphs(api);
  if (FakeCalls::self().version >= conditionalDriverVersion)
    FakeCalls::fillConditionals(api);
  return api;
}

} // namespace cupola::runtime::cuda
