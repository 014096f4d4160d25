//===- lib/Sim/Memory.cpp - Device memory: allocations, guard zones, which bytes were written ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Memory.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace cupola::sim {

void InitMap::Free::operator()(uint8_t *p) const { std::free(p); }

// The words of isSet and set may reach three bytes past the last bit.
InitMap::InitMap(uint64_t bytes) : bits(static_cast<uint8_t *>(std::calloc(bytes / 8 + 8, 1))) {}

void InitMap::putBit(uint64_t offset, bool value) {
  const uint8_t mask = static_cast<uint8_t>(1u << offset % 8);
  bits[offset / 8] = static_cast<uint8_t>(value ? bits[offset / 8] | mask : bits[offset / 8] & ~mask);
}

void InitMap::fillRange(uint64_t offset, uint64_t count, bool value) {
  uint64_t end = offset + count;
  for (; offset < end && offset % 8 != 0; ++offset)
    putBit(offset, value);
  if (end - offset >= 8)
    std::memset(bits.get() + offset / 8, value ? 0xff : 0, (end - offset) / 8);
  for (offset += (end - offset) / 8 * 8; offset < end; ++offset)
    putBit(offset, value);
}

int64_t InitMap::firstUnset(uint64_t offset, uint64_t count) const {
  const uint64_t end = offset + count;
  while (offset < end) {
    uint64_t word = 0;
    if (offset % 8 == 0 && end - offset >= 64)
      std::memcpy(&word, bits.get() + offset / 8, sizeof word);
    if (word == ~uint64_t(0)) {
      offset += 64;
      continue;
    }
    if (!bit(offset))
      return static_cast<int64_t>(offset);
    ++offset;
  }
  return -1;
}

void InitMap::copyRange(uint64_t target, const InitMap &from, uint64_t source, uint64_t count) {
  if (target % 8 == 0 && source % 8 == 0) {
    std::memmove(bits.get() + target / 8, from.bits.get() + source / 8, count / 8);
    const uint64_t whole = count / 8 * 8;
    target += whole, source += whole, count -= whole;
  }
  for (uint64_t i = 0; i < count; ++i)
    putBit(target + i, from.bit(source + i));
}

Memory::~Memory() {
  for (auto &[base, allocation] : allocations)
    std::free(reinterpret_cast<void *>(base - kGuardBytes));
}

uintptr_t Memory::allocate(uint64_t bytes) {
  if (bytes > uint64_t(1) << 46)
    return 0;
  const uint64_t rounded = (bytes + kGuardBytes - 1) / kGuardBytes * kGuardBytes;
  void *memory = std::aligned_alloc(kGuardBytes, rounded + 2 * kGuardBytes);
  if (!memory)
    return 0;
  std::memset(memory, kPoison, rounded + 2 * kGuardBytes);
  const uintptr_t base = reinterpret_cast<uintptr_t>(memory) + kGuardBytes;
  allocations.emplace(base, std::make_unique<Allocation>(Allocation{base, bytes, InitMap(bytes)}));
  return base;
}

void Memory::free(uintptr_t base) {
  if (allocations.erase(base))
    std::free(reinterpret_cast<void *>(base - kGuardBytes));
}

Allocation *Memory::find(uintptr_t address) {
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin())
    return nullptr;
  Allocation *allocation = std::prev(next)->second.get();
  return address - allocation->base < allocation->bytes ? allocation : nullptr;
}

void Memory::markWritten(uintptr_t address, uint64_t bytes) {
  if (Allocation *a = find(address))
    a->written.fillRange(address - a->base, bytes, true);
}

void Memory::settle() {
  for (auto &[base, allocation] : allocations)
    allocation->byKernels = false;
}

void Memory::markDead(uintptr_t address, uint64_t bytes) {
  Allocation *a = find(address);
  if (!a)
    return;
  std::memset(reinterpret_cast<void *>(address), kPoison, bytes);
  a->written.fillRange(address - a->base, bytes, false);
}

void Memory::copy(uintptr_t target, uintptr_t source, uint64_t bytes) {
  std::memmove(reinterpret_cast<void *>(target), reinterpret_cast<const void *>(source), bytes);
  Allocation *to = find(target), *from = find(source);
  if (!to)
    return;
  if (from)
    to->written.copyRange(target - to->base, from->written, source - from->base, bytes);
  else
    to->written.fillRange(target - to->base, bytes, true);
}

int64_t Memory::firstUnwritten(uintptr_t address, uint64_t bytes) {
  Allocation *a = find(address);
  if (!a)
    return -1;
  const int64_t offset = a->written.firstUnset(address - a->base, bytes);
  return offset < 0 ? -1 : offset - static_cast<int64_t>(address - a->base);
}

std::string Memory::damagedGuard() const {
  static const std::vector<char> poison(kGuardBytes, static_cast<char>(kPoison));
  for (const auto &[base, allocation] : allocations) {
    const uint64_t rounded = (allocation->bytes + kGuardBytes - 1) / kGuardBytes * kGuardBytes;
    const bool before = std::memcmp(reinterpret_cast<void *>(base - kGuardBytes), poison.data(), kGuardBytes) != 0;
    if (before || std::memcmp(reinterpret_cast<void *>(base + rounded), poison.data(), kGuardBytes) != 0)
      return std::string("the guard zone ") + (before ? "before" : "after") + " an allocation of " +
             std::to_string(allocation->bytes) + " bytes was overwritten";
  }
  return "";
}

} // namespace cupola::sim
