//===- lib/Target/CUDA/device/vector.cuh - short vectors, loaded and stored by one access ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DEVICE_VECTOR_CUH
#define CUPOLA_DEVICE_VECTOR_CUH

#include "primitives_memory.cuh"
#include "types.cuh"

template <class T, int N> struct alignas(sizeof(T) * N) vec {
  T v[N];
  CUPOLA_MEMBER T &operator[](int i) { return v[i]; }
  CUPOLA_MEMBER const T &operator[](int i) const { return v[i]; }
};

/// One access of N elements (1, 2, 4, 8 or 16 bytes in all); `p` must be a multiple of that size. Vector accesses are
/// written in no other way: a cast would escape the simulator's alignment and bounds checks.
template <class T, int N> CUPOLA_DEVICE vec<T, N> ld_vec(const T *p) { return cupola_device::loadVector<vec<T, N>>(p); }
template <class T, int N> CUPOLA_DEVICE void st_vec(T *p, const vec<T, N> &v) { cupola_device::storeVector(p, v); }

/// Asks for what lies around `p` in memory, so that L2 has it when it is read. `p` may be any address.
template <class T> CUPOLA_DEVICE void cu_prefetch(const T *p) { cupola_device::prefetch(p); }

/// N times the same value.
template <class T, int N> CUPOLA_DEVICE vec<T, N> splat_vec(T value) {
  vec<T, N> out;
  CUPOLA_UNROLL
  for (int i = 0; i < N; ++i)
    out.v[i] = value;
  return out;
}

namespace cupola_device {

CUPOLA_DEVICE f32 multiplyAdd(f32 a, f32 b, f32 c) { return fmaf(a, b, c); }
/// Sums of integers wrap.
CUPOLA_DEVICE i32 multiplyAdd(i32 a, i32 b, i32 c) {
  return static_cast<i32>(static_cast<u32>(a) * static_cast<u32>(b) + static_cast<u32>(c));
}

} // namespace cupola_device

/// acc[i][j] += a[i] * b[j], of f32 or i32: the inner step of a matrix product on plain cores.
template <class T, int M, int N> CUPOLA_DEVICE void outer_fma(T (&acc)[M][N], const T (&a)[M], const T (&b)[N]) {
  CUPOLA_UNROLL
  for (int i = 0; i < M; ++i) {
    CUPOLA_UNROLL
    for (int j = 0; j < N; ++j)
      acc[i][j] = cupola_device::multiplyAdd(a[i], b[j], acc[i][j]);
  }
}

#endif
