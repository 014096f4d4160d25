//===- lib/Sim/Primitives.cpp - The remaining calls of a kernel: indices, vector accesses, fences, atomics ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Access.h"
#include "lib/Sim/device/calls.cuh"

#include <algorithm>
#include <cstring>

using namespace cupola::sim;

namespace {

template <class T> T fromBits(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T> uint64_t toBits(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T, class Change> uint64_t change(void *p, Change next) {
  T before;
  std::memcpy(&before, p, sizeof before);
  const T after = next(before);
  std::memcpy(p, &after, sizeof after);
  return toBits(before);
}

template <class T> uint64_t add(void *p, uint64_t v) {
  return change<T>(p, [v](T x) { return static_cast<T>(x + fromBits<T>(v)); });
}
template <class T> uint64_t largest(void *p, uint64_t v) {
  return change<T>(p, [v](T x) { return std::max(x, fromBits<T>(v)); });
}
template <class T> uint64_t smallest(void *p, uint64_t v) {
  return change<T>(p, [v](T x) { return std::min(x, fromBits<T>(v)); });
}

uint64_t carryOut(void *p, int operation, uint64_t v, uint64_t expected) {
  switch (operation) {
  case CupolaSimAddI32:
    return add<uint32_t>(p, v);
  case CupolaSimAddU64:
    return add<uint64_t>(p, v);
  case CupolaSimAddF32:
    return add<float>(p, v);
  case CupolaSimAddF64:
    return add<double>(p, v);
  case CupolaSimMaxI32:
    return largest<int32_t>(p, v);
  case CupolaSimMaxU32:
    return largest<uint32_t>(p, v);
  case CupolaSimMinI32:
    return smallest<int32_t>(p, v);
  case CupolaSimMinU32:
    return smallest<uint32_t>(p, v);
  default:
    return change<uint32_t>(
        p, [=](uint32_t x) { return x == static_cast<uint32_t>(expected) ? static_cast<uint32_t>(v) : x; });
  }
}

/// memcpy of 1, 2, 4, 8 or 16 bytes, without a call.
void copyAccess(void *to, const void *from, int bytes) {
  switch (bytes) {
  case 1:
    std::memcpy(to, from, 1);
    return;
  case 2:
    std::memcpy(to, from, 2);
    return;
  case 4:
    std::memcpy(to, from, 4);
    return;
  case 8:
    std::memcpy(to, from, 8);
    return;
  default:
    std::memcpy(to, from, 16);
  }
}

} // namespace

extern "C" {

unsigned cupola_sim_thread() { return machine.current->number; }
unsigned cupola_sim_block() { return machine.block->x; }
unsigned cupola_sim_block_y() { return machine.block->y; }
unsigned cupola_sim_block_z() { return machine.block->z; }
unsigned cupola_sim_cluster_rank() { return machine.block->rank; }
unsigned cupola_sim_threads() { return machine.threadCount; }
unsigned cupola_sim_blocks() { return machine.grid[0]; }
unsigned char *cupola_sim_shared() { return reinterpret_cast<unsigned char *>(machine.sharedBase); }

CupolaSimWords cupola_sim_load(const void *p, int bytes) {
  checkAccess(reinterpret_cast<uintptr_t>(p), static_cast<unsigned>(bytes), false,
              reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
  CupolaSimWords words = {0, 0};
  copyAccess(&words, p, bytes);
  return words;
}

CupolaSimWords cupola_sim_load_cluster(const void *p, unsigned rank) {
  CupolaSimWords words;
  copyAccess(
      &words,
      checkClusterRead(reinterpret_cast<uintptr_t>(p), rank, reinterpret_cast<uintptr_t>(__builtin_return_address(0))),
      sizeof(words));
  return words;
}

void cupola_sim_store(void *p, int bytes, CupolaSimWords value) {
  checkAccess(reinterpret_cast<uintptr_t>(p), static_cast<unsigned>(bytes), true,
              reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
  copyAccess(p, &value, bytes);
}

void cupola_sim_grid_wait() { machine.current->hasWaitedForGrid = true; }
void cupola_sim_fence() { machine.order.fence(*machine.current); }

unsigned long long cupola_sim_atomic(void *p, int operation, unsigned long long value, unsigned long long expected) {
  const bool wide = operation == CupolaSimAddU64 || operation == CupolaSimAddF64;
  const auto address = reinterpret_cast<uintptr_t>(p);
  checkAtomic(address, wide ? 8 : 4, reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
  machine.order.atomic(*machine.current, address);
  return carryOut(p, operation, value, expected);
}
}
