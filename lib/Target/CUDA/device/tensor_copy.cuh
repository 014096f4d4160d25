//===- lib/Target/CUDA/device/tensor_copy.cuh - boxes of tensors to shared memory by one thread ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A tensor map says where a tensor lies, its extents and strides, the box that one copy takes and the swizzle of the
// copy in shared memory (lib/Runtime/Format/Plan.h). Needs sm_90.
#ifndef CUPOLA_DEVICE_TENSOR_COPY_CUH
#define CUPOLA_DEVICE_TENSOR_COPY_CUH

#include "bindings.cuh"
#include "primitives_tensor.cuh"

struct TensorMap {
  u64 words[16];
};

/// The map in the bindings table.
CUPOLA_DEVICE const TensorMap *cu_tensor_map(const u64 *bindings, u32 slot) {
  return reinterpret_cast<const TensorMap *>(bindings + slot);
}
/// By a thread before its first copies with the map.
CUPOLA_DEVICE void tensor_map_acquire(const TensorMap *map) { cupola_device::acquireTensorMap(map); }

/// Starts copying the box at coordinates `at`, innermost first; what lies outside of the tensor is zeros. `shared` is a
/// multiple of 128 bytes, of 8 times the swizzle with one. The bytes of the whole box count towards `barrier`.
template <class T, int Rank>
CUPOLA_DEVICE void tensor_copy(T *shared, const TensorMap *map, const i32 (&at)[Rank], u64 *barrier) {
  cupola_device::tensorCopy(shared, map, at, barrier);
}
/// The same to every block of the cluster whose bit of `blocks` is set, and towards the barrier at the same place
/// there.
template <class T, int Rank>
CUPOLA_DEVICE void tensor_copy_multicast(T *shared, const TensorMap *map, const i32 (&at)[Rank], u64 *barrier,
                                         u32 blocks) {
  cupola_device::tensorCopyMulticast(shared, map, at, barrier, static_cast<u16>(blocks));
}
/// Starts copying places of the map's window, in their order from the one that begins at coordinates `at` on, across
/// the outer dimensions: of each the elements that lie `taps` behind its begin, zeros outside of the tensor. Of the
/// windows of a convolution these are rows of its left matrix. The first place is one of the window's.
template <class T, int Rank>
CUPOLA_DEVICE void tensor_copy_window(T *shared, const TensorMap *map, const i32 (&at)[Rank],
                                      const u32 (&taps)[Rank - 2], u64 *barrier) {
  cupola_device::tensorCopyWindow(shared, map, at, taps, barrier);
}

#endif
