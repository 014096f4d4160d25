//===- test/Sim/Cute/WgmmaOnHost.h - The device header wgmma.cuh as it is, over primitives that take notes ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_SIM_CUTE_WGMMAONHOST_H
#define CUPOLA_TEST_SIM_CUTE_WGMMAONHOST_H

#include <cstddef>
#include <cstdint>

// In place of the two headers that wgmma.cuh includes: what it uses of them.
#define CUPOLA_DEVICE_BINDINGS_CUH
#define CUPOLA_DEVICE_PRIMITIVES_TENSOR_CUH
#define CUPOLA_DEVICE static inline
#define CUPOLA_UNROLL
#define CUPOLA_HERE (cupola_device::Place())

using u32 = uint32_t;
using u64 = uint64_t;
using f32 = float;
struct f16 {
  uint16_t bits;
};
struct bf16 {
  uint16_t bits;
};

namespace cupola_device {

struct Place {};

alignas(1024) inline char shared[65536];
CUPOLA_DEVICE const char *sharedBase() { return shared; }
/// In the second block of a cluster.
CUPOLA_DEVICE u32 sharedAddress(const void *p) {
  return 1u << 24 | static_cast<u32>(static_cast<const char *>(p) - shared);
}

CUPOLA_DEVICE u32 uniform(u32 value) { return value; }

/// The last product that was asked for, and the thread that asks.
struct Product {
  u64 a, b;
  bool isBf16, isTransposedB;
  int tiles; ///< of 8 columns
};
inline Product lastProduct;
inline u32 thread;

template <int J> CUPOLA_DEVICE void wgmmaFence(float (&)[J][4], Place) {}
template <int J, int K> CUPOLA_DEVICE void wgmmaFence(float (&)[J][4], u32 (&)[K][4], Place) {}
CUPOLA_DEVICE void wgmmaCommit(Place) {}
template <int Pending, int J> CUPOLA_DEVICE void wgmmaWait(float (&)[J][4], Place) {}
template <bool Bf16, bool TransposedB, int J> CUPOLA_DEVICE void wgmma(float (&)[J][4], u64 a, u64 b, Place) {
  lastProduct = {a, b, Bf16, TransposedB, J};
}
template <bool Bf16, bool TransposedB, int J>
CUPOLA_DEVICE void wgmma(float (&)[J][4], const u32 (&)[4], u64 b, bool, Place) {
  lastProduct = {0, b, Bf16, TransposedB, J};
}

} // namespace cupola_device

CUPOLA_DEVICE u32 cu_lane() { return cupola_device::thread % 32; }
CUPOLA_DEVICE u32 cu_warp() { return cupola_device::thread / 32; }

#include "lib/Target/CUDA/device/wgmma.cuh"

#endif
