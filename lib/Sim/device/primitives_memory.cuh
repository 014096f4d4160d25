//===- lib/Sim/device/primitives_memory.cuh - the simulator's half: vector accesses and cp.async ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Counterpart: lib/Target/CUDA/device/primitives_memory.cuh.
#ifndef CUPOLA_DEVICE_PRIMITIVES_MEMORY_CUH
#define CUPOLA_DEVICE_PRIMITIVES_MEMORY_CUH

#include "primitives.cuh"

namespace cupola_device {

template <int Bytes> constexpr bool isAccessSize = Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8 || Bytes == 16;

template <class Vector> CUPOLA_DEVICE Vector loadVector(const void *p) {
  static_assert(isAccessSize<sizeof(Vector)>, "an access has 1, 2, 4, 8 or 16 bytes");
  const CupolaSimWords words = cupola_sim_load(p, sizeof(Vector));
  Vector v;
  memcpy(&v, &words, sizeof(Vector));
  return v;
}
template <class Vector> CUPOLA_DEVICE void storeVector(void *p, const Vector &v) {
  static_assert(isAccessSize<sizeof(Vector)>, "an access has 1, 2, 4, 8 or 16 bytes");
  CupolaSimWords words = {0, 0};
  memcpy(&words, &v, sizeof(Vector));
  cupola_sim_store(p, sizeof(Vector), words);
}

/// No access: what it names need not be there, and nothing waits for it. It costs no sectors of its own.
CUPOLA_DEVICE void prefetch(const void *) {}
CUPOLA_DEVICE const void *pinned(const void *p) { return p; }

/// As on a GPU an address does not begin at 0, and has the block's rank in the cluster above 24 bits.
CUPOLA_DEVICE unsigned sharedAddress(const void *p) {
  const auto offset = static_cast<unsigned>(static_cast<const unsigned char *>(p) - cupola_sim_shared());
  return cupola_sim_cluster_rank() << 24 | (CupolaSimSharedStart + offset);
}

template <int Bytes> CUPOLA_DEVICE void asyncCopy(void *shared, const void *global, unsigned sourceBytes) {
  cupola_sim_async_copy(shared, global, Bytes, sourceBytes);
}
CUPOLA_DEVICE void asyncCommit() { cupola_sim_async_commit(); }
template <int Pending> CUPOLA_DEVICE void asyncWait() { cupola_sim_async_wait(Pending); }

} // namespace cupola_device

#endif
