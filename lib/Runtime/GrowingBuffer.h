//===- lib/Runtime/GrowingBuffer.h - A buffer whose size is found in a run ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_GROWINGBUFFER_H
#define CUPOLA_LIB_RUNTIME_GROWINGBUFFER_H

#include "lib/Runtime/DeviceMemory.h"

namespace cupola::runtime {

/// Memory of its own, which only grows; and how much of it holds a value.
class GrowingBuffer {
public:
  DeviceAddress address() const { return memory.address(); }
  /// Of the value.
  uint64_t bytes() const { return used; }
  void setBytes(uint64_t bytes) { used = bytes; }

  /// Room for `bytes`; at least twice as much as there was where that is too little. The
  /// first `kept` bytes keep what is in them. Waits for the stream before it frees memory.
  /// After an error it holds what it held, or nothing.
  Status reserve(Device &device, Stream &stream, uint64_t bytes, uint64_t kept, const MemoryHooks *hooks);

  void swap(GrowingBuffer &other) {
    std::swap(memory, other.memory);
    std::swap(used, other.used);
  }

private:
  DeviceMemory memory;
  uint64_t used = 0;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_GROWINGBUFFER_H
