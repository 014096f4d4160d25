//===- lib/Sim/Memory.h - Device memory: allocations, guard zones, which bytes were written ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_SIM_MEMORY_H
#define CUPOLA_LIB_SIM_MEMORY_H

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>

namespace cupola::sim {

/// What memory holds before anybody wrote it: NaN in every float type, and -1.
constexpr int kPoison = 0xff;
constexpr uint64_t kGuardBytes = 256;

/// One bit per byte: written or not.
class InitMap {
public:
  explicit InitMap(uint64_t bytes);
  /// Bytes [offset, offset + count), count <= 16.
  bool isSet(uint64_t offset, unsigned count) const {
    const uint32_t mask = maskOf(offset, count);
    return (loadWord(offset) & mask) == mask;
  }
  void set(uint64_t offset, unsigned count) {
    uint32_t word = loadWord(offset) | maskOf(offset, count);
    std::memcpy(bits.get() + offset / 8, &word, sizeof word);
  }
  /// The same for any range.
  void fillRange(uint64_t offset, uint64_t count, bool value);
  /// Offset of the first byte in the range that is not set, or -1.
  int64_t firstUnset(uint64_t offset, uint64_t count) const;
  void copyRange(uint64_t target, const InitMap &from, uint64_t source, uint64_t count);

private:
  bool bit(uint64_t offset) const { return bits[offset / 8] >> offset % 8 & 1; }
  void putBit(uint64_t offset, bool value);
  static uint32_t maskOf(uint64_t offset, unsigned count) { return ((1u << count) - 1) << offset % 8; }
  uint32_t loadWord(uint64_t offset) const {
    uint32_t word;
    std::memcpy(&word, bits.get() + offset / 8, sizeof word);
    return word;
  }
  struct Free {
    void operator()(uint8_t *p) const;
  };
  std::unique_ptr<uint8_t[], Free> bits;
};

struct Allocation {
  uintptr_t base = 0;
  uint64_t bytes = 0;
  InitMap written;
  bool byKernels = false; ///< a launch could write into it since the host waited for all of them
};

/// All allocations of one simulated device. Each lies between guard zones.
class Memory {
public:
  ~Memory();
  /// Address of `bytes` bytes (at least 1), aligned to 256 and poisoned; 0 when memory is short.
  uintptr_t allocate(uint64_t bytes);
  void free(uintptr_t base);
  /// The allocation that holds `address`, or null.
  Allocation *find(uintptr_t address);

  /// Records that the host wrote a range; memory that is not ours counts as written.
  void markWritten(uintptr_t address, uint64_t bytes);
  /// No launch writes any more: the host has waited for all of them.
  void settle();
  /// Poisons a range and records that it holds nothing.
  void markDead(uintptr_t address, uint64_t bytes);
  /// Copies bytes together with the record of what was written.
  void copy(uintptr_t target, uintptr_t source, uint64_t bytes);
  /// Offset into the range of the first byte that nobody wrote, or -1.
  int64_t firstUnwritten(uintptr_t address, uint64_t bytes);
  /// Empty, or which guard zone was overwritten.
  std::string damagedGuard() const;

private:
  std::map<uintptr_t, std::unique_ptr<Allocation>> allocations;
};

} // namespace cupola::sim

#endif
