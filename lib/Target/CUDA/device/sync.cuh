//===- lib/Target/CUDA/device/sync.cuh - barriers, fences, shuffles, votes, atomics ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DEVICE_SYNC_CUH
#define CUPOLA_DEVICE_SYNC_CUH

#include "bindings.cuh"

/// All threads of the block meet; orders their accesses to shared and global memory.
CUPOLA_DEVICE void cu_barrier(cupola_device::Place at = CUPOLA_HERE) { cupola_device::blockBarrier(at); }
/// All 32 lanes of the warp meet; orders their accesses. Shuffles and votes order nothing.
CUPOLA_DEVICE void cu_syncwarp(cupola_device::Place at = CUPOLA_HERE) { cupola_device::warpBarrier(at); }
/// Orders this thread's accesses before and after it, as seen by all blocks. By itself it synchronises with nobody:
/// pair it with an atomic, or use cu_last_block.
CUPOLA_DEVICE void cu_threadfence() { cupola_device::deviceFence(); }

namespace cupola_device {
/// Applies a 32-bit lane exchange to values of 4 or 8 bytes.
template <class T, class Exchange> CUPOLA_DEVICE T exchangeWords(T value, Exchange exchange) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "values of 4 or 8 bytes are exchanged");
  u32 words[sizeof(T) / 4];
  memcpy(words, &value, sizeof(T));
  CUPOLA_UNROLL
  for (u32 i = 0; i < sizeof(T) / 4; ++i)
    words[i] = exchange(words[i]);
  memcpy(&value, words, sizeof(T));
  return value;
}
} // namespace cupola_device

template <class T> CUPOLA_DEVICE T cu_shfl_xor(T value, u32 laneMask, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::exchangeWords(value, [=](u32 w) { return cupola_device::shuffleXor(w, laneMask, at); });
}
template <class T> CUPOLA_DEVICE T cu_shfl(T value, u32 lane, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::exchangeWords(value, [=](u32 w) { return cupola_device::shuffleIndex(w, lane, at); });
}
/// The value of lane - delta; the first `delta` lanes keep their own.
template <class T> CUPOLA_DEVICE T cu_shfl_up(T value, u32 delta, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::exchangeWords(value, [=](u32 w) { return cupola_device::shuffleUp(w, delta, at); });
}
/// The value of lane + delta; the last `delta` lanes keep their own.
template <class T> CUPOLA_DEVICE T cu_shfl_down(T value, u32 delta, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::exchangeWords(value, [=](u32 w) { return cupola_device::shuffleDown(w, delta, at); });
}
CUPOLA_DEVICE u32 cu_ballot(bool predicate, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::ballot(predicate, at);
}
CUPOLA_DEVICE bool cu_any(bool predicate, cupola_device::Place at = CUPOLA_HERE) {
  return cu_ballot(predicate, at) != 0;
}
CUPOLA_DEVICE bool cu_all(bool predicate, cupola_device::Place at = CUPOLA_HERE) {
  return cu_ballot(predicate, at) == 0xffffffffu;
}

/// Relaxed atomics on global or shared memory; each returns the value before.
template <class T> CUPOLA_DEVICE T cu_atomic_add(T *p, T value) { return cupola_device::atomicAddValue(p, value); }
CUPOLA_DEVICE i64 cu_atomic_add(i64 *p, i64 value) {
  return static_cast<i64>(cupola_device::atomicAddValue(reinterpret_cast<u64 *>(p), static_cast<u64>(value)));
}
template <class T> CUPOLA_DEVICE T cu_atomic_max(T *p, T value) { return cupola_device::atomicMaxValue(p, value); }
template <class T> CUPOLA_DEVICE T cu_atomic_min(T *p, T value) { return cupola_device::atomicMinValue(p, value); }
CUPOLA_DEVICE u32 cu_atomic_cas(u32 *p, u32 expected, u32 value) {
  return cupola_device::atomicCasValue(p, expected, value);
}

/// True in all threads of the block that arrives last of `blocks` blocks at `counter` (global, 0 before the kernel, 0
/// again after it). What the other blocks wrote before their call is visible to the last block after it. `scratch` is
/// one u32 of shared memory, reusable afterwards. All threads of every block must call it.
CUPOLA_DEVICE bool cu_last_block(u32 *counter, u32 blocks, u32 *scratch, cupola_device::Place at = CUPOLA_HERE) {
  cu_barrier(at + CUPOLA_HERE);
  if (cu_tid() == 0) {
    // The barrier orders the block's writes before this fence, and the fence orders them before the ticket.
    cu_threadfence();
    const bool last = cu_atomic_add(counter, 1u) + 1 == blocks;
    cu_threadfence();
    if (last)
      cu_atomic_add(counter, 0u - blocks);
    *scratch = last;
  }
  cu_barrier(at + CUPOLA_HERE);
  const bool last = *scratch != 0;
  cu_barrier(at + CUPOLA_HERE);
  return last;
}

/// All threads of all blocks of a cooperative launch meet; orders their accesses to shared and global memory. `counter`
/// is global, 0 before the kernel, and counts the blocks that have come to any of its barriers; `arrivals` is the
/// number of blocks of the grid times that of this barrier, the first one being 1, and less than 2^32.
CUPOLA_DEVICE void cu_grid_barrier(u32 *counter, u32 arrivals, cupola_device::Place at = CUPOLA_HERE) {
  cu_barrier(at + CUPOLA_HERE);
  if (cu_tid() == 0) {
    // The barrier orders the block's accesses before this fence, and the fence orders them before the arrival.
    cu_threadfence();
    cu_atomic_add(counter, 1u);
    cupola_device::gridMeet(counter, arrivals, at + CUPOLA_HERE);
    cu_threadfence();
  }
  // What thread 0 has seen, all see.
  cu_barrier(at + CUPOLA_HERE);
}
/// Sets `counter` back to 0 for the next launch. All threads of every block call it behind the last barrier of the
/// grid; `arrivals` is the number of blocks times one more than there are barriers.
CUPOLA_DEVICE void cu_grid_leave(u32 *counter, u32 arrivals) {
  if (cu_tid() == 0 && cu_atomic_add(counter, 1u) + 1 == arrivals)
    cu_atomic_add(counter, 0u - arrivals); // nobody waits any more: all blocks have come here
}

#endif
