//===- test/Runtime/CUDA/FakeDriver.cpp - a CUDA driver in plain host memory, strict and able to fail ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/CUDA/FakeDriver.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <sys/mman.h>

namespace cupola::runtime::cuda {

FakeDriver *FakeDriver::current = nullptr;

FakeDriver::FakeDriver() { current = this; }

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
  if (calls == failAt) {
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
  if (stream->capturing)
    stream->captured.push_back(std::move(work));
  else
    stream->queue.push_back(std::move(work));
  return cuSuccess;
}

void FakeDriver::drain(Stream &stream) {
  while (!stream.queue.empty()) {
    Work work = std::move(stream.queue.front());
    stream.queue.pop_front();
    work();
  }
}

/// The functions of the table, grouped as in DriverApi.
struct FakeCalls {
  using Stream = FakeDriver::Stream;
  using Event = FakeDriver::Event;
  using Graph = FakeDriver::Graph;
  using Library = FakeDriver::Library;
  static FakeDriver &self() { return *FakeDriver::current; }

  template <typename Object, typename Handle, typename Map>
  static CuResult make(CuResult code, Map &map, Handle *handle) {
    if (code != cuSuccess)
      return code;
    auto object = std::make_unique<Object>();
    *handle = reinterpret_cast<Handle>(object.get());
    map.emplace(object.get(), std::move(object));
    return cuSuccess;
  }

  /// Gives an object back, also when the call then says that it failed.
  template <typename Map, typename Handle>
  static CuResult drop(CuResult code, Map &map, Handle handle, const char *name) {
    if (map.erase((typename Map::key_type)(handle)) == 0)
      self().violation(std::string(name) + " of what does not exist");
    return code;
  }

  template <typename Map> static bool exists(Map &map, const void *handle, const char *name) {
    const bool found = map.count(static_cast<typename Map::key_type>(const_cast<void *>(handle))) > 0;
    if (!found)
      self().violation(std::string(name) + " of what does not exist");
    return found;
  }

  static bool capturing() {
    for (const auto &[key, stream] : self().streams)
      if (stream->capturing)
        return true;
    return false;
  }

  static void forbidInCapture(const char *name) {
    if (capturing())
      self().violation(std::string(name) + " during capture");
  }

  //===--- Driver, device, context ---===//

  static void fillDevice(DriverApi &api) {
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

  //===--- Memory ---===//

  static CuResult allocate(const char *name, size_t bytes, void **address) {
    forbidInCapture(name);
    if (const CuResult code = self().enter(name))
      return code;
    if (bytes == 0)
      self().violation(std::string(name) + " of 0 bytes");
    if (self().usedBytes + bytes > self().totalBytes)
      return cuOutOfMemory;
    *address = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    std::memset(*address, 0xFF, bytes); // nothing may rely on zeros
    self().usedBytes += bytes;
    return cuSuccess;
  }

  /// Freeing waits for the device.
  static void waitForAll() {
    for (const auto &[key, stream] : self().streams)
      self().drain(*stream);
  }

  template <typename Map, typename Key> static CuResult release(const char *name, Map &map, Key address) {
    waitForAll();
    const CuResult code = self().enter(name);
    auto it = map.find(address);
    if (it == map.end()) {
      self().violation(std::string(name) + " of what was not allocated");
      return 1;
    }
    self().usedBytes -= it->second;
    std::free(reinterpret_cast<void *>(address));
    map.erase(it);
    return code;
  }

  static CuResult queueCopy(const char *name, CuPointer target, CuPointer source, size_t bytes, bool targetOnDevice,
                            bool sourceOnDevice, CuStream stream) {
    if (const CuResult code = self().enter(name))
      return code;
    if ((targetOnDevice && !self().inAllocation(target, bytes)) ||
        (sourceOnDevice && !self().inAllocation(source, bytes)))
      self().violation(std::string(name) + " outside of an allocation");
    return self().submit(
        stream, [=] { std::memmove(reinterpret_cast<void *>(target), reinterpret_cast<const void *>(source), bytes); });
  }

  static void fillMemory(DriverApi &api) {
    api.memGetInfo = [](size_t *free, size_t *total) {
      *total = self().totalBytes;
      *free = self().totalBytes - self().usedBytes;
      return self().enter("cuMemGetInfo");
    };
    api.memAlloc = [](CuPointer *address, size_t bytes) {
      void *memory = nullptr;
      const CuResult code = allocate("cuMemAlloc", bytes, &memory);
      if (code == cuSuccess)
        self().memory[ *address = CuPointer(memory)] = bytes;
      return code;
    };
    api.memFree = [](CuPointer address) { return release("cuMemFree", self().memory, address); };
    api.memHostAlloc = [](void **address, size_t bytes, unsigned) {
      const CuResult code = allocate("cuMemHostAlloc", bytes, address);
      if (code == cuSuccess)
        self().hostMemory[*address] = bytes;
      return code;
    };
    api.memFreeHost = [](void *address) { return release("cuMemFreeHost", self().hostMemory, address); };
    api.memcpyHtoDAsync = [](CuPointer target, const void *source, size_t bytes, CuStream stream) {
      return queueCopy("cuMemcpyHtoDAsync", target, CuPointer(source), bytes, true, false, stream);
    };
    api.memcpyDtoHAsync = [](void *target, CuPointer source, size_t bytes, CuStream stream) {
      return queueCopy("cuMemcpyDtoHAsync", CuPointer(target), source, bytes, false, true, stream);
    };
    api.memcpyDtoDAsync = [](CuPointer target, CuPointer source, size_t bytes, CuStream stream) {
      return queueCopy("cuMemcpyDtoDAsync", target, source, bytes, true, true, stream);
    };
    api.memsetD8Async = [](CuPointer target, unsigned char value, size_t bytes, CuStream stream) {
      if (const CuResult code = self().enter("cuMemsetD8Async"))
        return code;
      if (!self().inAllocation(target, bytes))
        self().violation("cuMemsetD8Async outside of an allocation");
      return self().submit(stream, [=] { std::memset(reinterpret_cast<void *>(target), value, bytes); });
    };
  }

  //===--- Virtual memory ---===//

  static constexpr size_t granule = 4096;

  static void fillVirtualMemory(DriverApi &api) {
    api.memGetAllocationGranularity = [](size_t *bytes, const CuMemoryProperties *, int) {
      return *bytes = granule, self().enter("cuMemGetAllocationGranularity");
    };
    api.memAddressReserve = [](CuPointer *address, size_t bytes, size_t, CuPointer, unsigned long long) {
      if (const CuResult code = self().enter("cuMemAddressReserve"))
        return code;
      void *range = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      self().reserved[ *address = CuPointer(range)] = bytes;
      return CuResult(cuSuccess);
    };
    api.memAddressFree = [](CuPointer address, size_t bytes) {
      for (const auto &[start, size] : self().mapped)
        if (start >= address && start < address + bytes)
          self().violation("cuMemAddressFree of a range with memory behind it");
      munmap(reinterpret_cast<void *>(address), bytes);
      return drop(self().enter("cuMemAddressFree"), self().reserved, address, "cuMemAddressFree");
    };
    api.memCreate = [](CuMemoryHandle *handle, size_t bytes, const CuMemoryProperties *, unsigned long long) {
      forbidInCapture("cuMemCreate");
      if (const CuResult code = self().enter("cuMemCreate"))
        return code;
      if (bytes == 0 || bytes % granule != 0)
        self().violation("cuMemCreate of a size that is no multiple of the granularity");
      if (self().usedBytes + bytes > self().totalBytes)
        return CuResult(cuOutOfMemory);
      self().usedBytes += bytes;
      self().handles[ *handle = ++self().lastHandle] = bytes;
      return CuResult(cuSuccess);
    };
    api.memRelease = [](CuMemoryHandle handle) {
      if (self().handles.count(handle))
        self().usedBytes -= self().handles[handle];
      return drop(self().enter("cuMemRelease"), self().handles, handle, "cuMemRelease");
    };
    api.memMap = [](CuPointer address, size_t bytes, size_t, CuMemoryHandle handle, unsigned long long) {
      if (const CuResult code = self().enter("cuMemMap"))
        return code;
      auto range = self().reserved.upper_bound(address);
      if (range == self().reserved.begin() || std::prev(range)->first + std::prev(range)->second < address + bytes ||
          self().handles[handle] < bytes)
        self().violation("cuMemMap outside of a range or of more than was created");
      self().mapped[address] = bytes;
      return CuResult(cuSuccess);
    };
    api.memUnmap = [](CuPointer address, size_t bytes) {
      waitForAll();
      mprotect(reinterpret_cast<void *>(address), bytes, PROT_NONE);
      return drop(self().enter("cuMemUnmap"), self().mapped, address, "cuMemUnmap");
    };
    api.memSetAccess = [](CuPointer address, size_t bytes, const CuMemoryAccess *, size_t) {
      if (const CuResult code = self().enter("cuMemSetAccess"))
        return code;
      mprotect(reinterpret_cast<void *>(address), bytes, PROT_READ | PROT_WRITE);
      std::memset(reinterpret_cast<void *>(address), 0xFF, bytes);
      return CuResult(cuSuccess);
    };
  }

  //===--- Modules and launches ---===//

  static void fillModules(DriverApi &api) {
    api.libraryLoadData = [](CuLibrary *library, const void *image, void *, void *, unsigned, void *, void *,
                             unsigned) {
      forbidInCapture("cuLibraryLoadData");
      CuResult code = self().enter("cuLibraryLoadData");
      if (code == cuSuccess && std::memcmp(image, "cube", 4) != 0)
        code = cuInvalidImage;
      return make<Library>(code, self().libraries, library);
    };
    api.libraryUnload = [](CuLibrary library) {
      waitForAll();
      return drop(self().enter("cuLibraryUnload"), self().libraries, library, "cuLibraryUnload");
    };
    api.libraryGetKernel = [](CuKernel *kernel, CuLibrary library, const char *name) {
      if (const CuResult code = self().enter("cuLibraryGetKernel"))
        return code;
      auto row = self().kernels.find(name);
      if (!exists(self().libraries, library, "cuLibraryGetKernel") || row == self().kernels.end())
        return CuResult(500);
      *kernel = reinterpret_cast<CuKernel>(&row->second);
      return CuResult(cuSuccess);
    };
    api.kernelGetFunction = [](CuFunction *function, CuKernel kernel) {
      *function = reinterpret_cast<CuFunction>(kernel);
      return self().enter("cuKernelGetFunction");
    };
    api.kernelSetAttribute = [](CuFunctionAttribute attribute, int value, CuKernel, CuDevice) {
      if (attribute != cuFunctionMaxDynamicShared || value > self().sharedBytes)
        self().violation("cuKernelSetAttribute beyond the device");
      return self().enter("cuKernelSetAttribute");
    };
    api.launchKernelEx = [](const CuLaunchConfig *config, CuFunction function, void **parameters, void **) {
      if (const CuResult code = self().enter("cuLaunchKernelEx"))
        return code;
      if (self().libraries.empty() || config->gridX == 0 || config->blockX == 0 || config->blockX > 1024)
        self().violation("cuLaunchKernelEx with a bad configuration");
      const auto *row = reinterpret_cast<const FakeKernelRow *>(function);
      // The values are copied now, as the driver does.
      std::vector<std::vector<char>> values;
      for (size_t i = 0; i < row->parameterBytes.size(); ++i) {
        const char *from = static_cast<const char *>(parameters[i]);
        values.emplace_back(from, from + row->parameterBytes[i]);
      }
      return self().submit(config->stream, [row, values, config = *config]() mutable {
        std::vector<void *> pointers;
        for (std::vector<char> &value : values)
          pointers.push_back(value.data());
        row->run(config, pointers.data());
      });
    };
  }

  //===--- Streams, events, graphs ---===//

  static void fillStreams(DriverApi &api) {
    api.streamCreate = [](CuStream *stream, unsigned) {
      return make<Stream>(self().enter("cuStreamCreate"), self().streams, stream);
    };
    api.streamDestroy = [](CuStream stream) {
      return drop(self().enter("cuStreamDestroy"), self().streams, stream, "cuStreamDestroy");
    };
    api.streamSynchronize = [](CuStream stream) {
      forbidInCapture("cuStreamSynchronize");
      const CuResult code = self().enter("cuStreamSynchronize");
      if (exists(self().streams, stream, "cuStreamSynchronize"))
        self().drain(*reinterpret_cast<Stream *>(stream));
      return code;
    };
    api.eventCreate = [](CuEvent *event, unsigned) {
      return make<Event>(self().enter("cuEventCreate"), self().events, event);
    };
    api.eventDestroy = [](CuEvent event) {
      return drop(self().enter("cuEventDestroy"), self().events, event, "cuEventDestroy");
    };
    api.eventRecord = [](CuEvent handle, CuStream stream) {
      if (const CuResult code = self().enter("cuEventRecord"))
        return code;
      if (!exists(self().events, handle, "cuEventRecord"))
        return CuResult(400);
      auto *event = reinterpret_cast<Event *>(handle);
      auto reached = event->reached = std::make_shared<bool>(false);
      event->stream = reinterpret_cast<Stream *>(stream);
      return self().submit(stream, [reached] { *reached = true; });
    };
    api.eventSynchronize = [](CuEvent handle) {
      const CuResult code = self().enter("cuEventSynchronize");
      auto *event = reinterpret_cast<Event *>(handle);
      // Only what stands before the event has to have happened.
      while (exists(self().events, handle, "cuEventSynchronize") && event->reached && !*event->reached) {
        FakeDriver::Work work = std::move(event->stream->queue.front());
        event->stream->queue.pop_front();
        work();
      }
      return code;
    };
  }

  static void fillGraphs(DriverApi &api) {
    api.streamBeginCapture = [](CuStream stream, CuCaptureMode) {
      const CuResult code = self().enter("cuStreamBeginCapture");
      if (code == cuSuccess && exists(self().streams, stream, "cuStreamBeginCapture"))
        reinterpret_cast<Stream *>(stream)->capturing = true;
      return code;
    };
    api.streamEndCapture = [](CuStream handle, CuGraph *graph) {
      CuResult code = self().enter("cuStreamEndCapture");
      auto *stream = reinterpret_cast<Stream *>(handle);
      if (!exists(self().streams, stream, "cuStreamEndCapture") || !stream->capturing)
        return CuResult(903);
      stream->capturing = false;
      code = make<Graph>(code, self().graphs, graph);
      if (code == cuSuccess)
        reinterpret_cast<Graph *>(*graph)->work = std::move(stream->captured);
      stream->captured.clear();
      return code;
    };
    api.graphInstantiateWithFlags = [](CuGraphExec *executable, CuGraph graph, unsigned long long) {
      const CuResult code = make<Graph>(self().enter("cuGraphInstantiateWithFlags"), self().executables, executable);
      if (code == cuSuccess && exists(self().graphs, graph, "cuGraphInstantiateWithFlags"))
        reinterpret_cast<Graph *>(*executable)->work = reinterpret_cast<Graph *>(graph)->work;
      return code;
    };
    api.graphLaunch = [](CuGraphExec executable, CuStream stream) {
      if (const CuResult code = self().enter("cuGraphLaunch"))
        return code;
      if (!exists(self().executables, executable, "cuGraphLaunch"))
        return CuResult(400);
      for (const FakeDriver::Work &work : reinterpret_cast<Graph *>(executable)->work)
        if (const CuResult code = self().submit(stream, work))
          return code;
      return CuResult(cuSuccess);
    };
    api.graphExecDestroy = [](CuGraphExec executable) {
      waitForAll();
      return drop(self().enter("cuGraphExecDestroy"), self().executables, executable, "cuGraphExecDestroy");
    };
    api.graphDestroy = [](CuGraph graph) {
      return drop(self().enter("cuGraphDestroy"), self().graphs, graph, "cuGraphDestroy");
    };
  }
};

DriverApi FakeDriver::table() {
  DriverApi api = {};
  FakeCalls::fillDevice(api);
  FakeCalls::fillMemory(api);
  FakeCalls::fillVirtualMemory(api);
  FakeCalls::fillModules(api);
  FakeCalls::fillStreams(api);
  FakeCalls::fillGraphs(api);
  return api;
}

} // namespace cupola::runtime::cuda
