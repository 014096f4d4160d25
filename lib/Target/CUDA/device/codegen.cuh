//===- lib/Target/CUDA/device/codegen.cuh - what emitted loops call ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DEVICE_CODEGEN_CUH
#define CUPOLA_DEVICE_CODEGEN_CUH

#include "bindings.cuh"
#include "vector.cuh"

/// The number behind `i` in a ring of N.
template <int N, class I> CUPOLA_DEVICE I cu_next(I i) { return i + 1 == N ? 0 : i + 1; }

/// An index of the model into an axis: negative ones count from the end; one outside of
/// [-extent, extent) is clamped and raises the error flag.
CUPOLA_DEVICE i64 cu_wrapped_index(const u64 *bindings, u32 step, i64 index, i64 extent) {
  return cu_checked_index<i64>(bindings, step, index < 0 && index >= -extent ? index + extent : index, extent);
}

/// Fills `out` with N / Width vectors of Width elements, `stride` elements apart.
template <int Width, class T, int N> CUPOLA_DEVICE void ld_fragment(T (&out)[N], const T *p, u32 stride) {
  static_assert(N % Width == 0, "whole vectors");
  CUPOLA_UNROLL
  for (int i = 0; i < N / Width; ++i) {
    const vec<T, Width> part = ld_vec<T, Width>(p + i * stride);
    CUPOLA_UNROLL
    for (int e = 0; e < Width; ++e)
      out[i * Width + e] = part[e];
  }
}

#endif
