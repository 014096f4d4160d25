//===- lib/Target/CUDA/device/cluster.cuh - clusters, mbarriers, roles, launches that overlap ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Needs sm_90; roles with registers of their own need sm_90a.
#ifndef CUPOLA_DEVICE_CLUSTER_CUH
#define CUPOLA_DEVICE_CLUSTER_CUH

#include "primitives_cluster.cuh"
#include "types.cuh"
#include "vector.cuh"

/// Which block of its cluster this is: blocks that are neighbours along x.
CUPOLA_DEVICE u32 cluster_rank() { return cupola_device::clusterRank(); }
/// All threads of all blocks of the cluster meet; orders their accesses. A block must not end while others of the
/// cluster may still reach its shared memory.
CUPOLA_DEVICE void cluster_barrier(cupola_device::Place at = CUPOLA_HERE) { cupola_device::clusterBarrier(at); }

/// 16 bytes at the same place in the shared memory of block `rank` of the cluster; `p` is a multiple of 16 bytes. The
/// cluster meets between what is written there and this, and before that block ends.
template <class T, int N> CUPOLA_DEVICE vec<T, N> ld_cluster_vec(const T *p, u32 rank) {
  static_assert(sizeof(vec<T, N>) == 16, "one access of 16 bytes");
  return cupola_device::loadCluster<vec<T, N>>(p, rank);
}

// An mbarrier is 8 bytes of shared memory, 8-aligned. It counts phases: a phase is complete when `arrivals` arrivals
// have come and as many bytes as were expected; then the next begins. What comes before an arrival is visible behind a
// wait for its phase. (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".)

/// By one thread, before anybody else uses it.
CUPOLA_DEVICE void mbarrier_init(u64 *barrier, u32 arrivals) { cupola_device::mbarrierInit(barrier, arrivals); }
/// By that thread behind all its inits: copies and the other blocks of the cluster see them, after a barrier of the
/// block or cluster.
CUPOLA_DEVICE void mbarrier_init_fence() { cupola_device::mbarrierInitFence(); }
/// One arrival, and `bytes` more that copies must bring before the phase is complete.
CUPOLA_DEVICE void mbarrier_expect(u64 *barrier, u32 bytes) { cupola_device::mbarrierExpect(barrier, bytes); }
CUPOLA_DEVICE void mbarrier_arrive(u64 *barrier) { cupola_device::mbarrierArrive(barrier); }
/// On the barrier at the same place in block `rank` of the cluster.
CUPOLA_DEVICE void mbarrier_arrive(u64 *barrier, u32 rank) { cupola_device::mbarrierArriveRemote(barrier, rank); }
/// Waits for the phase of this parity: 0 for the first, 1 for the second, .. A barrier nobody has arrived at counts as
/// one whose phase of parity 1 is complete.
CUPOLA_DEVICE void mbarrier_wait(u64 *barrier, u32 parity, cupola_device::Place at = CUPOLA_HERE) {
  cupola_device::mbarrierWait(barrier, parity, at);
}

/// By all threads of a warpgroup: how many registers each has from here on, a multiple of 8 in 24 .. 240; fewer than
/// before, or more, which waits until others gave them.
template <int Count> CUPOLA_DEVICE void give_registers(cupola_device::Place at = CUPOLA_HERE) {
  static_assert(Count % 8 == 0 && Count >= 24 && Count <= 240, "a multiple of 8 in 24 .. 240");
  cupola_device::giveRegisters<Count>(at);
}
template <int Count> CUPOLA_DEVICE void take_registers(cupola_device::Place at = CUPOLA_HERE) {
  static_assert(Count % 8 == 0 && Count >= 24 && Count <= 240, "a multiple of 8 in 24 .. 240");
  cupola_device::takeRegisters<Count>(at);
}

/// A kernel that is launched so may begin before the one queued before it has ended. Every thread waits for that before
/// it touches what others write.
CUPOLA_DEVICE void grid_wait() { cupola_device::gridWait(); }
/// The kernel queued behind may begin when all blocks have come here.
CUPOLA_DEVICE void grid_release() { cupola_device::gridRelease(); }

#endif
