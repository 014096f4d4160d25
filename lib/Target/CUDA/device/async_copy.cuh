//===- lib/Target/CUDA/device/async_copy.cuh - cp.async: global to shared memory without waiting ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Needs sm_80: using any of these for an older architecture is a compile error.
#ifndef CUPOLA_DEVICE_ASYNC_COPY_CUH
#define CUPOLA_DEVICE_ASYNC_COPY_CUH

#include "primitives_memory.cuh"
#include "types.cuh"

namespace cupola_device {
template <int N> constexpr bool hasAsyncCopy = CUPOLA_ARCH >= 800;
} // namespace cupola_device

/// Starts a copy of Bytes (4, 8 or 16) bytes; both addresses are multiples of Bytes. Where `valid` is false nothing is
/// read and zeros are written. The data is there for this thread after cp_async_wait, for others after a barrier too.
template <int Bytes> CUPOLA_DEVICE void cp_async(void *shared, const void *global, bool valid = true) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "cp.async copies 4, 8 or 16 bytes");
  static_assert(cupola_device::hasAsyncCopy<Bytes>, "cp.async needs sm_80");
  cupola_device::asyncCopy<Bytes>(shared, global, valid ? Bytes : 0);
}
/// Where several copies begin. Each is so many elements away, a constant in its instruction: compilers keep a pointer
/// per copy where they may choose what to add first.
template <class T> CUPOLA_DEVICE const T *cu_pinned(const T *p) {
  return static_cast<const T *>(cupola_device::pinned(p));
}
/// The same of a pair of elements of 16 bits: the first `count` of them, with zeros for the others. Both addresses are
/// multiples of four.
template <class T> CUPOLA_DEVICE void cp_async_pair(T *shared, const T *global, i32 count) {
  static_assert(sizeof(T) == 2 && cupola_device::hasAsyncCopy<sizeof(T)>, "16-bit elements, cp.async needs sm_80");
  cupola_device::asyncCopy<4>(shared, global, count <= 0 ? 0 : count == 1 ? 2 : 4);
}
/// Closes the group of copies that this thread started since the last commit. A group may be empty.
template <int Groups = 1> CUPOLA_DEVICE void cp_async_commit() {
  static_assert(cupola_device::hasAsyncCopy<Groups>, "cp.async needs sm_80");
  cupola_device::asyncCommit();
}
/// Waits until at most `Pending` of this thread's newest groups are under way.
template <int Pending> CUPOLA_DEVICE void cp_async_wait() {
  static_assert(cupola_device::hasAsyncCopy<Pending>, "cp.async needs sm_80");
  cupola_device::asyncWait<Pending>();
}

#endif
