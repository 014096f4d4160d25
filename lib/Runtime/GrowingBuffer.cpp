//===- lib/Runtime/GrowingBuffer.cpp - A buffer whose size is found in a run ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/GrowingBuffer.h"

namespace cupola::runtime {

/// Exactly `bytes` where there is no memory for twice the size of before.
static Status allocateAtLeast(DeviceMemory &target, Device &device, uint64_t bytes, uint64_t before,
                              const MemoryHooks *hooks) {
  const uint64_t doubled = before <= UINT64_MAX / 2 ? 2 * before : bytes;
  if (doubled > bytes && target.allocate(device, doubled, hooks).isOk())
    return Status::ok();
  return target.allocate(device, bytes, hooks);
}

Status GrowingBuffer::reserve(Device &device, Stream &stream, uint64_t bytes, uint64_t kept, const MemoryHooks *hooks) {
  if (memory.address() != 0 && memory.bytes() >= bytes)
    return Status::ok();
  const uint64_t before = memory.bytes();
  if (kept == 0) {
    if (memory.address() != 0)
      CUPOLA_TRY(stream.synchronize());
    memory.release();
    return allocateAtLeast(memory, device, bytes, before, hooks);
  }
  DeviceMemory larger;
  CUPOLA_TRY(allocateAtLeast(larger, device, bytes, before, hooks));
  CUPOLA_TRY(stream.copy(larger.address(), memory.address(), kept));
  CUPOLA_TRY(stream.synchronize());
  memory = std::move(larger);
  return Status::ok();
}

} // namespace cupola::runtime
