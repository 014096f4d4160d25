//===- lib/Sim/device/primitives_tensor.cuh - the simulator's half: tensor copies and wgmma ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Counterpart: lib/Target/CUDA/device/primitives_tensor.cuh.
#ifndef CUPOLA_DEVICE_PRIMITIVES_TENSOR_CUH
#define CUPOLA_DEVICE_PRIMITIVES_TENSOR_CUH

#include "primitives_cluster.cuh"

namespace cupola_device {

CUPOLA_DEVICE void acquireTensorMap(const void *map) { cupola_sim_tensor_map_acquire(map); }

template <int Rank>
CUPOLA_DEVICE void tensorCopy(void *shared, const void *map, const int (&at)[Rank], unsigned long long *barrier) {
  static_assert(Rank >= 2 && Rank <= 5, "boxes of 2 to 5 dimensions");
  cupola_sim_tensor_copy(shared, map, at, Rank, barrier);
}
template <int Rank>
CUPOLA_DEVICE void tensorCopyMulticast(void *shared, const void *map, const int (&at)[Rank],
                                       unsigned long long *barrier, unsigned short mask) {
  static_assert(Rank >= 2 && Rank <= 5, "boxes of 2 to 5 dimensions");
  cupola_sim_tensor_copy_multicast(shared, map, at, Rank, barrier, mask);
}

template <int Rank>
CUPOLA_DEVICE void tensorCopyWindow(void *shared, const void *map, const int (&at)[Rank],
                                    const unsigned (&taps)[Rank - 2], unsigned long long *barrier) {
  static_assert(Rank >= 3 && Rank <= 5, "windows over 1 to 3 dimensions");
  cupola_sim_tensor_copy_window(shared, map, at, Rank, taps, barrier);
}

CUPOLA_DEVICE unsigned uniform(unsigned value) { return value; }

template <int J> CUPOLA_DEVICE void wgmmaFence(float (&d)[J][4], Place at) {
  cupola_sim_wgmma_fence(&d[0][0], J, nullptr, 0, at.id);
}
template <int J, int K> CUPOLA_DEVICE void wgmmaFence(float (&d)[J][4], unsigned (&a)[K][4], Place at) {
  cupola_sim_wgmma_fence(&d[0][0], J, &a[0][0], K, at.id);
}
CUPOLA_DEVICE void wgmmaCommit(Place at) { cupola_sim_wgmma_commit(at.id); }
template <int Pending, int J> CUPOLA_DEVICE void wgmmaWait(float (&)[J][4], Place at) {
  cupola_sim_wgmma_wait(Pending, at.id);
}

template <bool Bf16, bool TransposedB, int J>
CUPOLA_DEVICE void wgmma(float (&d)[J][4], unsigned long long descriptorA, unsigned long long descriptorB, Place at) {
  static_assert(J == 8 || J == 16 || J == 32, "64, 128 or 256 columns");
  cupola_sim_wgmma(&d[0][0], J, descriptorA, descriptorB,
                   (Bf16 ? CupolaSimWgmmaBf16 : 0) | (TransposedB ? CupolaSimWgmmaTransposedB : 0), at.id);
}
template <bool Bf16, bool TransposedB, int J>
CUPOLA_DEVICE void wgmma(float (&d)[J][4], const unsigned (&a)[4], unsigned long long descriptorB, bool adds,
                         Place at) {
  static_assert(J == 8 || J == 16, "64 or 128 columns");
  cupola_sim_wgmma_fragments(&d[0][0], J, a, descriptorB,
                             (Bf16 ? CupolaSimWgmmaBf16 : 0) | (TransposedB ? CupolaSimWgmmaTransposedB : 0) |
                                 (adds ? 0 : CupolaSimWgmmaSets),
                             at.id);
}

} // namespace cupola_device

#endif
