//===- lib/Runtime/DeviceMemory.cpp - Memory that frees itself ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/DeviceMemory.h"

#include <algorithm>
#include <string>

namespace cupola::runtime {

static Result<DeviceAddress> askHooks(const MemoryHooks &hooks, uint64_t bytes) {
  const DeviceAddress address = hooks.allocate(bytes);
  if (address == 0)
    return Status::environment("out of memory: the caller's allocator refused " + std::to_string(bytes) + " bytes");
  if (address % format::kBufferAlignment == 0)
    return address;
  hooks.free(address);
  return Status::usage("the caller's allocator gave memory that is not aligned "
                       "to " +
                       std::to_string(format::kBufferAlignment) + " bytes");
}

Status DeviceMemory::allocate(Device &device, uint64_t bytes, const MemoryHooks *with) {
  return take(device, bytes, with, /*growing=*/false);
}

Status DeviceMemory::growTo(Device &device, Stream &stream, uint64_t bytes, const MemoryHooks *with) {
  if (owner && !hooks) {
    const Status grown = device.grow(start, bytes);
    if (grown.isOk())
      size = bytes;
    if (grown.code() != Code::Unsupported)
      return grown;
  }
  if (owner)
    CUPOLA_TRY(stream.synchronize());
  return take(device, bytes, with, /*growing=*/true);
}

Status DeviceMemory::take(Device &device, uint64_t bytes, const MemoryHooks *with, bool growing) {
  release();
  const bool hooked = with && with->allocate;
  const uint64_t wanted = std::max<uint64_t>(bytes, 1);
  CUPOLA_ASSIGN(DeviceAddress address, hooked    ? askHooks(*with, wanted)
                                       : growing ? device.allocateGrowing(wanted)
                                                 : device.allocate(wanted));
  owner = &device;
  hooks = hooked ? with : nullptr;
  start = address;
  size = bytes;
  return Status::ok();
}

void DeviceMemory::release() {
  if (!owner)
    return;
  if (hooks)
    hooks->free(start);
  else
    owner->free(start);
  owner = nullptr;
  start = 0;
  size = 0;
}

} // namespace cupola::runtime
