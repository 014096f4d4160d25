//===- lib/Sim/device/primitives_cluster.cuh - the simulator's half: clusters, mbarriers, launches that overlap ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Counterpart: lib/Target/CUDA/device/primitives_cluster.cuh.
#ifndef CUPOLA_DEVICE_PRIMITIVES_CLUSTER_CUH
#define CUPOLA_DEVICE_PRIMITIVES_CLUSTER_CUH

#include "primitives_memory.cuh"

namespace cupola_device {

CUPOLA_DEVICE unsigned clusterRank() { return cupola_sim_cluster_rank(); }
CUPOLA_DEVICE void clusterBarrier(Place at) { cupola_sim_cluster_barrier(at.id); }

/// 16 bytes of the shared memory of block `rank` of the cluster, at the same place there.
template <class Vector> CUPOLA_DEVICE Vector loadCluster(const void *p, unsigned rank) {
  const CupolaSimWords words = cupola_sim_load_cluster(p, rank);
  Vector v;
  memcpy(&v, &words, sizeof(v));
  return v;
}

CUPOLA_DEVICE void mbarrierInit(unsigned long long *barrier, unsigned arrivals) {
  cupola_sim_mbarrier_init(barrier, arrivals);
}
CUPOLA_DEVICE void mbarrierInitFence() { cupola_sim_mbarrier_init_fence(); }
CUPOLA_DEVICE void mbarrierExpect(unsigned long long *barrier, unsigned bytes) {
  cupola_sim_mbarrier_expect(barrier, bytes);
}
CUPOLA_DEVICE void mbarrierArrive(unsigned long long *barrier) { cupola_sim_mbarrier_arrive(barrier); }
CUPOLA_DEVICE void mbarrierArriveRemote(unsigned long long *barrier, unsigned rank) {
  cupola_sim_mbarrier_arrive_remote(barrier, rank);
}
/// Every thread waits by itself: there is no place to meet at.
CUPOLA_DEVICE void mbarrierWait(unsigned long long *barrier, unsigned parity, Place) {
  cupola_sim_mbarrier_wait(barrier, parity);
}

template <int Count> CUPOLA_DEVICE void giveRegisters(Place at) { cupola_sim_give_registers(Count, at.id); }
template <int Count> CUPOLA_DEVICE void takeRegisters(Place at) { cupola_sim_take_registers(Count, at.id); }

CUPOLA_DEVICE void gridWait() { cupola_sim_grid_wait(); }
/// When the kernel behind may begin changes nothing here: launches run one after the other.
CUPOLA_DEVICE void gridRelease() {}

} // namespace cupola_device

#endif
