//===- lib/Target/CUDA/device/primitives_cluster.cuh - the GPU half: clusters, mbarriers, launches that overlap ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Counterpart: lib/Sim/device/primitives_cluster.cuh. PTX ISA 8.0 and later, sm_90.
#ifndef CUPOLA_DEVICE_PRIMITIVES_CLUSTER_CUH
#define CUPOLA_DEVICE_PRIMITIVES_CLUSTER_CUH

#include "primitives_memory.cuh"

namespace cupola_device {

CUPOLA_DEVICE unsigned clusterRank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
CUPOLA_DEVICE void clusterBarrier(Place at) {
  warpBarrier(at); // lanes come to the barrier of the cluster together
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/// 16 bytes of the shared memory of block `rank` of the cluster, at the same place there.
template <class Vector> CUPOLA_DEVICE Vector loadCluster(const void *p, unsigned rank) {
  unsigned words[4];
  asm volatile("{\n"
               ".reg .b32 remote;\n"
               "mapa.shared::cluster.u32 remote, %4, %5;\n"
               "ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [remote];\n"
               "}"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(sharedAddress(p)), "r"(rank)
               : "memory");
  Vector v;
  memcpy(&v, words, sizeof(v));
  return v;
}

CUPOLA_DEVICE void mbarrierInit(unsigned long long *barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(arrivals) : "memory");
}
CUPOLA_DEVICE void mbarrierInitFence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
CUPOLA_DEVICE void mbarrierExpect(unsigned long long *barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(bytes)
               : "memory");
}
CUPOLA_DEVICE void mbarrierArrive(unsigned long long *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sharedAddress(barrier)) : "memory");
}
/// On the barrier at the same place in block `rank` of the cluster.
CUPOLA_DEVICE void mbarrierArriveRemote(unsigned long long *barrier, unsigned rank) {
  asm volatile("{\n"
               ".reg .b32 remote;\n"
               "mapa.shared::cluster.u32 remote, %0, %1;\n"
               "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
               "}" ::"r"(sharedAddress(barrier)),
               "r"(rank)
               : "memory");
}
/// Until the phase of this parity is complete.
CUPOLA_DEVICE void mbarrierWait(unsigned long long *barrier, unsigned parity, Place) {
  unsigned done;
  do
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, done;\n"
                 "}"
                 : "=r"(done)
                 : "r"(sharedAddress(barrier)), "r"(parity)
                 : "memory");
  while (!done);
}

/// Of every thread of the warpgroup from here on: fewer, or more than it had.
template <int Count> CUPOLA_DEVICE void giveRegisters(Place) {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}
template <int Count> CUPOLA_DEVICE void takeRegisters(Place) {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}

CUPOLA_DEVICE void gridWait() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
CUPOLA_DEVICE void gridRelease() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

} // namespace cupola_device

#endif
