//===- lib/Runtime/DeviceMemory.h - Memory that frees itself ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_DEVICEMEMORY_H
#define CUPOLA_LIB_RUNTIME_DEVICEMEMORY_H

#include "lib/Runtime/Device.h"

#include <functional>
#include <utility>

namespace cupola::runtime {

/// The caller's allocator, instead of the device's. It gives addresses of the
/// device, aligned to format::kBufferAlignment, or 0 where there is no memory.
struct MemoryHooks {
  std::function<DeviceAddress(uint64_t bytes)> allocate; ///< null: the device's
  std::function<void(DeviceAddress address)> free;
};

/// One allocation. The device, and what the hooks need, outlive it.
class DeviceMemory {
public:
  DeviceMemory() = default;
  ~DeviceMemory() { release(); }
  DeviceMemory(DeviceMemory &&other) noexcept { swap(other); }
  DeviceMemory &operator=(DeviceMemory &&other) noexcept {
    swap(other);
    return *this;
  }

  /// Frees what it held, then allocates `bytes`, at least one.
  Status allocate(Device &device, uint64_t bytes, const MemoryHooks *hooks = nullptr);
  /// Room for `bytes`, where it was if the device can do that, else elsewhere;
  /// the contents are lost. Work on `stream` may use the memory: it is waited for
  /// before memory is freed. After an error it holds what it held, or nothing.
  Status growTo(Device &device, Stream &stream, uint64_t bytes, const MemoryHooks *hooks = nullptr);
  void release();

  DeviceAddress address() const { return start; }
  uint64_t bytes() const { return size; }

private:
  Status take(Device &device, uint64_t bytes, const MemoryHooks *hooks, bool growing);
  void swap(DeviceMemory &other) noexcept {
    std::swap(owner, other.owner);
    std::swap(hooks, other.hooks);
    std::swap(start, other.start);
    std::swap(size, other.size);
  }

  Device *owner = nullptr; ///< null: holds nothing
  const MemoryHooks *hooks = nullptr;
  DeviceAddress start = 0;
  uint64_t size = 0;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_DEVICEMEMORY_H
