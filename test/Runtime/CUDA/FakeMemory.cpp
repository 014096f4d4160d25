//===- test/Runtime/CUDA/FakeMemory.cpp - the fake driver's memory ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/CUDA/FakeCalls.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace cupola::runtime::cuda {

CuResult FakeCalls::allocate(const char *name, size_t bytes, void **address) {
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

CuResult FakeCalls::queueCopy(const char *name, CuPointer target, CuPointer source, size_t bytes, bool targetOnDevice,
                              bool sourceOnDevice, CuStream stream) {
  if (const CuResult code = self().enter(name))
    return code;
  if ((targetOnDevice && !self().inAllocation(target, bytes)) ||
      (sourceOnDevice && !self().inAllocation(source, bytes)))
    self().violation(std::string(name) + " outside of an allocation");
  return self().submit(stream, [=] {
    std::memmove(reinterpret_cast<void *>(target), reinterpret_cast<const void *>(source), bytes);
    self().copiedBytes += bytes;
  });
}

void FakeCalls::fillMemory(DriverApi &api) {
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

void FakeCalls::fillVirtualMemory(DriverApi &api) {
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
    forbidWhileQueued("cuMemUnmap");
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

} // namespace cupola::runtime::cuda
