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

/// acc[i][j] += a[i] * b[j]: the inner step of a matrix product on plain cores.
template <int M, int N> CUPOLA_DEVICE void outer_fma(f32 (&acc)[M][N], const f32 (&a)[M], const f32 (&b)[N]) {
  CUPOLA_UNROLL
  for (int i = 0; i < M; ++i) {
    CUPOLA_UNROLL
    for (int j = 0; j < N; ++j)
      acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
  }
}

#endif
