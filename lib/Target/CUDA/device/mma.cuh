//===- lib/Target/CUDA/device/mma.cuh - matrix products of a warp: ldmatrix and mma.sync ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A warp multiplies A (16*MI x K) by B (K x 8*NI), f16 or bf16 operands from shared memory, f32 accumulators. K is 16
// (fragments a[MI][4], b[NI][2]; m16n8k16, on sm_75 two m16n8k8) or 8 (m16n8k8: a[MI][2], b[NI][1]). The extents of the
// fragment arrays choose between the two. bf16 needs sm_80. Every function is called by all 32 lanes with the same
// arguments.
#ifndef CUPOLA_DEVICE_MMA_CUH
#define CUPOLA_DEVICE_MMA_CUH

#include "bindings.cuh"
#include "primitives_matrix.cuh"
#include "swizzle.cuh"

namespace cupola_device {
template <int N> constexpr bool hasMmaBf16 = CUPOLA_ARCH >= 800;
template <int N> constexpr bool hasMma = CUPOLA_ARCH >= 750;
template <class T> CUPOLA_DEVICE u32 packPair(T first, T second) {
  return static_cast<u32>(first.bits) | static_cast<u32>(second.bits) << 16;
}
} // namespace cupola_device

/// Element e of acc[i][j] belongs to row 16*i + mma_row(e) and column 8*j + mma_col(e) of the warp's tile.
CUPOLA_DEVICE u32 mma_row(u32 e) { return cu_lane() / 4 + e / 2 * 8; }
CUPOLA_DEVICE u32 mma_col(u32 e) { return cu_lane() % 4 * 2 + e % 2; }

/// Four 8x8 matrices of 16-bit elements; lane l names row l%8 of matrix l/8 (16 bytes in shared memory, 16-aligned).
CUPOLA_DEVICE void ldmatrix_x4(u32 (&r)[4], const void *row, cupola_device::Place at = CUPOLA_HERE) {
  cupola_device::loadMatrix4<false>(r, row, at);
}
CUPOLA_DEVICE void ldmatrix_x4_trans(u32 (&r)[4], const void *row, cupola_device::Place at = CUPOLA_HERE) {
  cupola_device::loadMatrix4<true>(r, row, at);
}

//===----------------------------------------------------------------------===//
// Fragments from shared memory. `rows` + `place` is the first element of the warp's tile, `stride` the distance between
// rows in elements, a multiple of 8; with a Span, rows are of so many bytes and swizzled (swizzle.cuh). Strides with
// stride/8 odd, and swizzled rows, have no bank conflicts.
//===----------------------------------------------------------------------===//

/// A fragments for K = 16 of a 16*MI x 16 tile, [m][k].
template <int Span = 0, class T, int MI>
CUPOLA_DEVICE void mma_load_a(u32 (&a)[MI][4], const T *rows, u32 stride, u32 place = 0,
                              cupola_device::Place at = CUPOLA_HERE) {
  static_assert(sizeof(T) == 2, "16-bit operands");
  const T *const first = swizzled<Span>(rows, place + cu_lane() % 16 * stride + cu_lane() / 16 * 8);
  const void *from[MI];
  CUPOLA_UNROLL
  for (int i = 0; i < MI; ++i)
    from[i] = first + i * 16 * stride;
  cupola_device::loadMatrices<false>(a, from, at);
}

/// A fragments for K = 8; MI must be even.
template <int Span = 0, class T, int MI>
CUPOLA_DEVICE void mma_load_a(u32 (&a)[MI][2], const T *rows, u32 stride, u32 place = 0,
                              cupola_device::Place at = CUPOLA_HERE) {
  static_assert(sizeof(T) == 2 && MI % 2 == 0, "16-bit operands, pairs of 16-row tiles");
  const T *const first = swizzled<Span>(rows, place + cu_lane() * stride);
  const void *from[MI / 2];
  CUPOLA_UNROLL
  for (int i = 0; i < MI / 2; ++i)
    from[i] = first + i * 32 * stride;
  u32 r[MI / 2][4];
  cupola_device::loadMatrices<false>(r, from, at);
  CUPOLA_UNROLL
  for (int i = 0; i < MI; ++i) {
    a[i][0] = r[i / 2][i % 2 * 2];
    a[i][1] = r[i / 2][i % 2 * 2 + 1];
  }
}

/// B fragments for K = 16 of a 16 x 8*NI tile, [k][n]. NI must be even.
template <int Span = 0, class T, int NI>
CUPOLA_DEVICE void mma_load_b(u32 (&b)[NI][2], const T *rows, u32 stride, u32 place = 0,
                              cupola_device::Place at = CUPOLA_HERE) {
  static_assert(sizeof(T) == 2 && NI % 2 == 0, "16-bit operands, pairs of 8-column tiles");
  const void *from[NI / 2];
  CUPOLA_UNROLL
  for (int j = 0; j < NI / 2; ++j)
    from[j] = swizzled<Span>(rows, place + cu_lane() % 16 * stride + j * 16 + cu_lane() / 16 * 8);
  u32 r[NI / 2][4];
  cupola_device::loadMatrices<true>(r, from, at);
  CUPOLA_UNROLL
  for (int j = 0; j < NI; ++j) {
    b[j][0] = r[j / 2][j % 2 * 2];
    b[j][1] = r[j / 2][j % 2 * 2 + 1];
  }
}

/// B fragments for K = 8 from [k][n]; NI must be a multiple of 4.
template <int Span = 0, class T, int NI>
CUPOLA_DEVICE void mma_load_b(u32 (&b)[NI][1], const T *rows, u32 stride, u32 place = 0,
                              cupola_device::Place at = CUPOLA_HERE) {
  static_assert(sizeof(T) == 2 && NI % 4 == 0, "16-bit operands, groups of four 8-column tiles");
  const void *from[NI / 4];
  CUPOLA_UNROLL
  for (int j = 0; j < NI / 4; ++j)
    from[j] = swizzled<Span>(rows, place + cu_lane() % 8 * stride + j * 32 + cu_lane() / 8 * 8);
  u32 r[NI / 4][4];
  cupola_device::loadMatrices<true>(r, from, at);
  CUPOLA_UNROLL
  for (int j = 0; j < NI; ++j)
    b[j][0] = r[j / 4][j % 4];
}

/// B fragments for K = 16 where B lies transposed, as [n][k]. NI must be even.
template <int Span = 0, class T, int NI>
CUPOLA_DEVICE void mma_load_b_transposed(u32 (&b)[NI][2], const T *rows, u32 stride, u32 place = 0,
                                         cupola_device::Place at = CUPOLA_HERE) {
  static_assert(sizeof(T) == 2 && NI % 2 == 0, "16-bit operands, pairs of 8-column tiles");
  const u32 row = cu_lane() / 16 * 8 + cu_lane() % 8;
  const T *const first = swizzled<Span>(rows, place + row * stride + cu_lane() / 8 % 2 * 8);
  const void *from[NI / 2];
  CUPOLA_UNROLL
  for (int j = 0; j < NI / 2; ++j)
    from[j] = first + j * 16 * stride;
  u32 r[NI / 2][4];
  cupola_device::loadMatrices<false>(r, from, at);
  CUPOLA_UNROLL
  for (int j = 0; j < NI; ++j) {
    b[j][0] = r[j / 2][j % 2 * 2];
    b[j][1] = r[j / 2][j % 2 * 2 + 1];
  }
}

/// B fragments for K = 8 from [n][k]; NI must be a multiple of 4.
template <int Span = 0, class T, int NI>
CUPOLA_DEVICE void mma_load_b_transposed(u32 (&b)[NI][1], const T *rows, u32 stride, u32 place = 0,
                                         cupola_device::Place at = CUPOLA_HERE) {
  static_assert(sizeof(T) == 2 && NI % 4 == 0, "16-bit operands, groups of four 8-column tiles");
  const T *const first = swizzled<Span>(rows, place + cu_lane() * stride);
  const void *from[NI / 4];
  CUPOLA_UNROLL
  for (int j = 0; j < NI / 4; ++j)
    from[j] = first + j * 32 * stride;
  u32 r[NI / 4][4];
  cupola_device::loadMatrices<false>(r, from, at);
  CUPOLA_UNROLL
  for (int j = 0; j < NI; ++j)
    b[j][0] = r[j / 4][j % 4];
}

/// One register of a fragment: two neighbours of a row, each zero where it does not exist. For rows that no ldmatrix
/// reads, as they overlap or begin at odd words; `pair` is a multiple of four bytes.
template <class T> CUPOLA_DEVICE u32 mma_load_pair(const T *pair, bool first, bool second) {
  static_assert(sizeof(T) == 2, "16-bit operands");
  return cupola_device::loadVector<u32>(pair) & ((first ? 0xffffu : 0u) | (second ? 0xffff0000u : 0u));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// acc += a * b for the whole warp tile.
template <int MI, int NI>
CUPOLA_DEVICE void warp_mma_tile(f32 (&acc)[MI][NI][4], const u32 (&a)[MI][4], const u32 (&b)[NI][2],
                                 cupola_device::Place at = CUPOLA_HERE) {
  static_assert(cupola_device::hasMma<MI>, "mma needs sm_75");
  cupola_device::mmaTileK16<false>(acc, a, b, at);
}
template <int MI, int NI>
CUPOLA_DEVICE void warp_mma_tile(f32 (&acc)[MI][NI][4], const u32 (&a)[MI][2], const u32 (&b)[NI][1],
                                 cupola_device::Place at = CUPOLA_HERE) {
  static_assert(cupola_device::hasMma<MI>, "mma needs sm_75");
  cupola_device::mmaTileHalfK8(acc, a, b, at);
}
template <int MI, int NI>
CUPOLA_DEVICE void warp_mma_tile_bf16(f32 (&acc)[MI][NI][4], const u32 (&a)[MI][4], const u32 (&b)[NI][2],
                                      cupola_device::Place at = CUPOLA_HERE) {
  static_assert(cupola_device::hasMmaBf16<MI>, "mma of bf16 needs sm_80");
  cupola_device::mmaTileK16<true>(acc, a, b, at);
}

/// acc[i][first + j] += a[i] * b[j]: some columns of a warp tile, so that few fragments of b are there at once.
template <int MI, int NI, int N>
CUPOLA_DEVICE void warp_mma_columns(f32 (&acc)[MI][NI][4], const u32 (&a)[MI][4], const u32 (&b)[N][2], u32 first,
                                    cupola_device::Place at = CUPOLA_HERE) {
  static_assert(cupola_device::hasMma<NI>, "mma needs sm_75");
  cupola_device::mmaColumnsK16<false>(acc, a, b, first, at);
}
template <int MI, int NI, int N>
CUPOLA_DEVICE void warp_mma_columns_bf16(f32 (&acc)[MI][NI][4], const u32 (&a)[MI][4], const u32 (&b)[N][2], u32 first,
                                         cupola_device::Place at = CUPOLA_HERE) {
  static_assert(cupola_device::hasMmaBf16<NI>, "mma of bf16 needs sm_80");
  cupola_device::mmaColumnsK16<true>(acc, a, b, first, at);
}

/// A fragments for K = 16 of the columns 16*step .. 16*step + 15 of a 16*MI x 8*NI tile of accumulators, rounded to T
/// (f16 or bf16): the result of one product is the left operand of the next without leaving the registers.
template <class T, int MI, int NI>
CUPOLA_DEVICE void mma_pack_a(u32 (&a)[MI][4], const f32 (&acc)[MI][NI][4], u32 step) {
  CUPOLA_UNROLL
  for (int i = 0; i < MI; ++i) {
    CUPOLA_UNROLL
    for (u32 r = 0; r < 4; ++r) {
      const f32(&from)[4] = acc[i][2 * step + r / 2];
      a[i][r] = cupola_device::packPair(T(from[r % 2 * 2]), T(from[r % 2 * 2 + 1]));
    }
  }
}
/// A fragments for K = 8 of the columns 8*step .. 8*step + 7.
template <class T, int MI, int NI>
CUPOLA_DEVICE void mma_pack_a(u32 (&a)[MI][2], const f32 (&acc)[MI][NI][4], u32 step) {
  CUPOLA_UNROLL
  for (int i = 0; i < MI; ++i) {
    a[i][0] = cupola_device::packPair(T(acc[i][step][0]), T(acc[i][step][1]));
    a[i][1] = cupola_device::packPair(T(acc[i][step][2]), T(acc[i][step][3]));
  }
}

/// Sets every accumulator to zero.
template <int MI, int NI> CUPOLA_DEVICE void mma_zero(f32 (&acc)[MI][NI][4]) {
  CUPOLA_UNROLL
  for (int i = 0; i < MI; ++i) {
    CUPOLA_UNROLL
    for (int j = 0; j < NI; ++j) {
      CUPOLA_UNROLL
      for (int e = 0; e < 4; ++e)
        acc[i][j][e] = 0.0f;
    }
  }
}

#endif
