//===- lib/Target/CUDA/device/mma.cuh - matrix products of a warp: ldmatrix and mma.sync ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A warp multiplies A (16*MI x K) by B (K x 8*NI), operands from shared memory, f32 or i32 sums. Of f16 and bf16, K is
// 16 (fragments a[MI][4], b[NI][2]; m16n8k16, on sm_75 two m16n8k8) or 8 (m16n8k8: a[MI][2], b[NI][1]); the extents of
// the fragment arrays choose between the two. Of f32, whose products are TF32, K is 8 (a[MI][4], b[NI][2]; m16n8k8). Of
// bytes, K is 32 (a[MI][4], b[NI][2], i32 sums; m16n8k32, on sm_75 four m8n8k16), as of float8 (f32 sums; m16n8k32
// on sm_89 and sm_120, else as f16, two m16n8k16). bf16 and TF32 need sm_80. Every function is called by all 32 lanes
// with the same arguments.
#ifndef CUPOLA_DEVICE_MMA_CUH
#define CUPOLA_DEVICE_MMA_CUH

#include "bindings.cuh"
#include "primitives_matrix.cuh"
#include "swizzle.cuh"

namespace cupola_device {
template <int N> constexpr bool hasMmaBf16 = CUPOLA_ARCH >= 800;
template <int N> constexpr bool hasMmaTf32 = CUPOLA_ARCH >= 800;
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
// rows in elements, a multiple of 16 bytes; with a Span, rows are of so many bytes and swizzled (swizzle.cuh). Strides
// of an odd number of 16 bytes, and swizzled rows, have no bank conflicts.
//===----------------------------------------------------------------------===//

/// A fragments for 32 bytes of k of a 16*MI x K tile, [m][k].
template <int Span = 0, class T, int MI>
CUPOLA_DEVICE void mma_load_a(u32 (&a)[MI][4], const T *rows, u32 stride, u32 place = 0,
                              cupola_device::Place at = CUPOLA_HERE) {
  static_assert(sizeof(T) <= 4, "operands of 8, 16 or 32 bits");
  const T *const first = swizzled<Span>(rows, place + cu_lane() % 16 * stride + cu_lane() / 16 * (16 / sizeof(T)));
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

/// A fragments for 16*KI of k of a 16 x 16*KI tile, [m][k]: a[i] is for the k from 16*i on.
template <class T, int KI>
CUPOLA_DEVICE void mma_load_a_along_k(u32 (&a)[KI][4], const T *rows, u32 stride,
                                      cupola_device::Place at = CUPOLA_HERE) {
  static_assert(sizeof(T) == 2, "16-bit operands");
  const T *const first = rows + cu_lane() % 16 * stride + cu_lane() / 16 * 8;
  const void *from[KI];
  CUPOLA_UNROLL
  for (int i = 0; i < KI; ++i)
    from[i] = first + i * 16;
  cupola_device::loadMatrices<false>(a, from, at);
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

/// B fragments for K = 8 of f32, element by element: no ldmatrix transposes 32 bits. Strides of 8 or 24 more than a
/// multiple of 32 have no bank conflicts.
template <int NI> CUPOLA_DEVICE void mma_load_b(u32 (&b)[NI][2], const f32 *rows, u32 stride, u32 place = 0) {
  const f32 *const first = rows + place + cu_lane() % 4 * stride + cu_lane() / 4;
  CUPOLA_UNROLL
  for (int j = 0; j < NI; ++j) {
    b[j][0] = cupola_device::floatToBits(first[j * 8]);
    b[j][1] = cupola_device::floatToBits(first[4 * stride + j * 8]);
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

/// B fragments for 32 bytes of k where B lies transposed, as [n][k]. NI must be even.
template <int Span = 0, class T, int NI>
CUPOLA_DEVICE void mma_load_b_transposed(u32 (&b)[NI][2], const T *rows, u32 stride, u32 place = 0,
                                         cupola_device::Place at = CUPOLA_HERE) {
  static_assert(sizeof(T) <= 4 && NI % 2 == 0, "8, 16 or 32 bits, pairs of 8-column tiles");
  const u32 row = cu_lane() / 16 * 8 + cu_lane() % 8;
  const T *const first = swizzled<Span>(rows, place + row * stride + cu_lane() / 8 % 2 * (16 / sizeof(T)));
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

/// acc += a * b of bytes, i8 or u8 each; sums wrap.
template <class A, class B, int MI, int NI>
CUPOLA_DEVICE void warp_mma_tile_bytes(i32 (&acc)[MI][NI][4], const u32 (&a)[MI][4], const u32 (&b)[NI][2],
                                       cupola_device::Place at = CUPOLA_HERE) {
  static_assert(cupola_device::hasMma<MI>, "mma needs sm_75");
  static_assert(sizeof(A) == 1 && sizeof(B) == 1, "operands of 8 bits");
  cupola_device::mmaTileBytes<(A(-1) < A(0)), (B(-1) < B(0))>(acc, a, b, at);
}

namespace cupola_device {
/// The units of sm_89 and sm_120 have float8. Those of sm_90 and sm_100 have it in other instructions alone: of this
/// one ptxas would make two products of f16, with operands made f16 for each anew, and sums apart.
template <int N> constexpr bool hasMmaFloat8 = CUPOLA_ARCH == 890 || CUPOLA_ARCH >= 1200;

template <class T> inline constexpr bool isE5M2 = false;
template <> inline constexpr bool isE5M2<f8e5m2> = true;

/// The lower or the upper two float8 of a word as two f16, exactly.
template <bool E5m2, bool Upper> CUPOLA_DEVICE u32 halvesOfFloat8(u32 word) {
  const u32 bits = permuteBytes(word, 0, Upper ? 0x3424 : 0x1404); // each in the upper byte of an f16
  if constexpr (E5m2)
    return bits;
  else if constexpr (CUPOLA_ARCH >= 890)
    return halvesOfE4M3(Upper ? word >> 16 : word);
  const u32 part = (bits & 0x80008000u) | (bits >> 1 & 0x3f803f80u); // 2^-8 of the numbers
  // By 37376 the largest stays finite and NaN, which f16 does not know yet, becomes infinite; by 0 that is NaN.
  const u32 special = multiplyHalves(multiplyHalves(part, 0x78907890u), 0);
  return addHalves(multiplyHalves(part, 0x5c005c00u), special);
}

/// In each half of the depth lower pairs of the words stand for its first 8, upper ones for the others, on both sides.
template <bool E5m2A, bool E5m2B, int MI, int NI>
CUPOLA_DEVICE void mmaTileFloat8AsHalves(f32 (&acc)[MI][NI][4], const u32 (&a)[MI][4], const u32 (&b)[NI][2],
                                         Place at) {
  CUPOLA_UNROLL
  for (int half = 0; half < 2; ++half) {
    u32 left[MI][4], right[NI][2];
    CUPOLA_UNROLL
    for (int r = 0; r < MI * 2; ++r) {
      left[r / 2][r % 2] = halvesOfFloat8<E5m2A, false>(a[r / 2][half * 2 + r % 2]);
      left[r / 2][2 + r % 2] = halvesOfFloat8<E5m2A, true>(a[r / 2][half * 2 + r % 2]);
    }
    CUPOLA_UNROLL
    for (int j = 0; j < NI; ++j) {
      right[j][0] = halvesOfFloat8<E5m2B, false>(b[j][half]);
      right[j][1] = halvesOfFloat8<E5m2B, true>(b[j][half]);
    }
    mmaTileK16<false>(acc, left, right, at);
  }
}
} // namespace cupola_device

/// acc += a * b of float8, f8e4m3fn or f8e5m2 each.
template <class A, class B, int MI, int NI>
CUPOLA_DEVICE void warp_mma_tile_float8(f32 (&acc)[MI][NI][4], const u32 (&a)[MI][4], const u32 (&b)[NI][2],
                                        cupola_device::Place at = CUPOLA_HERE) {
  static_assert(cupola_device::hasMma<MI>, "mma needs sm_75");
  constexpr bool left = cupola_device::isE5M2<A>, right = cupola_device::isE5M2<B>;
  if constexpr (cupola_device::hasMmaFloat8<MI>)
    cupola_device::mmaTileFloat8<left, right>(acc, a, b, at);
  else
    cupola_device::mmaTileFloat8AsHalves<left, right>(acc, a, b, at);
}

namespace cupola_device {

/// Rounded to the 19 bits that TF32 has of an f32, ties away from zero; the units ignore the others. Infinities and NaN
/// stay.
CUPOLA_DEVICE u32 roundToTf32(u32 bits) { return bits + ((bits & 0x7fffffffu) < 0x7f800000u ? 0x1000u : 0u); }

/// What TF32 leaves of a finite f32, which is `bits & 0xffffe000` and this, rounded; else NaN.
CUPOLA_DEVICE u32 behindTf32(u32 bits) {
  return roundToTf32(floatToBits(bitsToFloat(bits) - bitsToFloat(bits & 0xffffe000u)));
}

} // namespace cupola_device

// Rows of `a` are rounded one after the other, so that the registers of one suffice.

/// acc += a * b of f32 operands rounded to TF32: 11 bits of each.
template <int MI, int NI>
CUPOLA_DEVICE void warp_mma_tile_tf32(f32 (&acc)[MI][NI][4], const u32 (&a)[MI][4], const u32 (&b)[NI][2],
                                      cupola_device::Place at = CUPOLA_HERE) {
  static_assert(cupola_device::hasMmaTf32<MI>, "mma of tf32 needs sm_80");
  u32 right[NI][2];
  CUPOLA_UNROLL
  for (int r = 0; r < NI * 2; ++r)
    right[r / 2][r % 2] = cupola_device::roundToTf32(b[r / 2][r % 2]);
  CUPOLA_UNROLL
  for (int i = 0; i < MI; ++i) {
    u32 left[4];
    CUPOLA_UNROLL
    for (int r = 0; r < 4; ++r)
      left[r] = cupola_device::roundToTf32(a[i][r]);
    cupola_device::mmaRowTf32(acc[i], left, right, at);
  }
}

/// acc += a * b of f32 operands, three products of TF32: of the first 11 bits of both, and of those of each with what
/// is left of the other. What is left out is about 2^-20 of a product. An infinite operand gives NaN.
template <int MI, int NI>
CUPOLA_DEVICE void warp_mma_tile_tf32x3(f32 (&acc)[MI][NI][4], const u32 (&a)[MI][4], const u32 (&b)[NI][2],
                                        cupola_device::Place at = CUPOLA_HERE) {
  static_assert(cupola_device::hasMmaTf32<MI>, "mma of tf32 needs sm_80");
  u32 right[NI][2], restOfRight[NI][2];
  CUPOLA_UNROLL
  for (int r = 0; r < NI * 2; ++r) {
    right[r / 2][r % 2] = b[r / 2][r % 2] & 0xffffe000u;
    restOfRight[r / 2][r % 2] = cupola_device::behindTf32(b[r / 2][r % 2]);
  }
  CUPOLA_UNROLL
  for (int i = 0; i < MI; ++i) {
    u32 left[4], restOfLeft[4];
    CUPOLA_UNROLL
    for (int r = 0; r < 4; ++r) {
      left[r] = a[i][r] & 0xffffe000u;
      restOfLeft[r] = cupola_device::behindTf32(a[i][r]);
    }
    cupola_device::mmaRowTf32(acc[i], restOfLeft, right, at);
    cupola_device::mmaRowTf32(acc[i], left, restOfRight, at);
    cupola_device::mmaRowTf32(acc[i], left, right, at);
  }
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
template <class Sum, int MI, int NI> CUPOLA_DEVICE void mma_zero(Sum (&acc)[MI][NI][4]) {
  CUPOLA_UNROLL
  for (int i = 0; i < MI; ++i) {
    CUPOLA_UNROLL
    for (int j = 0; j < NI; ++j) {
      CUPOLA_UNROLL
      for (int e = 0; e < 4; ++e)
        acc[i][j][e] = 0;
    }
  }
}

#endif
