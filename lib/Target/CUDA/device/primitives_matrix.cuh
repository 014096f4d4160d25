//===- lib/Target/CUDA/device/primitives_matrix.cuh - the GPU half: ldmatrix and mma.sync ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Counterpart: lib/Sim/device/primitives_matrix.cuh. Each function here is one warp-wide collective there.
#ifndef CUPOLA_DEVICE_PRIMITIVES_MATRIX_CUH
#define CUPOLA_DEVICE_PRIMITIVES_MATRIX_CUH

#include "primitives_memory.cuh"

namespace cupola_device {

/// ldmatrix: four 8x8 matrices of 16-bit elements. Lane l names row l%8 of matrix l/8 (16 bytes, 16-aligned, shared).
/// Afterwards lane l holds in r[j] the elements (l/4, 2*(l%4)) and (l/4, 2*(l%4)+1) of matrix j, or of its transpose.
template <bool Transposed> CUPOLA_DEVICE void loadMatrix4(unsigned (&r)[4], const void *row, Place) {
  if (Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(sharedAddress(row))
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(sharedAddress(row))
                 : "memory");
}

/// N times loadMatrix4; the simulator does all of them in one collective.
template <bool Transposed, int N>
CUPOLA_DEVICE void loadMatrices(unsigned (&r)[N][4], const void *const (&rows)[N], Place at) {
  CUPOLA_UNROLL
  for (int i = 0; i < N; ++i)
    loadMatrix4<Transposed>(r[i], rows[i], at);
}

/// d(16x8) += a(16x8) * b(8x8), f16 operands, f32 accumulators.
CUPOLA_DEVICE void mmaHalfK8(float (&d)[4], const unsigned (&a)[2], const unsigned (&b)[1]) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

/// d(16x8) += a(16x16) * b(16x8), f16 or bf16 operands, f32 accumulators. Before sm_80 two products of half the depth,
/// whose fragments are the halves of these; bf16 needs sm_80.
template <bool Bf16> CUPOLA_DEVICE void mmaK16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if CUPOLA_ARCH >= 800
  if (Bf16)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  const unsigned a0[2] = {a[0], a[1]}, a1[2] = {a[2], a[3]}, b0[1] = {b[0]}, b1[1] = {b[1]};
  mmaHalfK8(d, a0, b0);
  mmaHalfK8(d, a1, b1);
#endif
}

template <int MI, int NI>
CUPOLA_DEVICE void mmaTileHalfK8(float (&acc)[MI][NI][4], const unsigned (&a)[MI][2], const unsigned (&b)[NI][1],
                                 Place) {
  CUPOLA_UNROLL
  for (int i = 0; i < MI; ++i) {
    CUPOLA_UNROLL
    for (int j = 0; j < NI; ++j)
      mmaHalfK8(acc[i][j], a[i], b[j]);
  }
}
template <bool Bf16, int MI, int NI>
CUPOLA_DEVICE void mmaTileK16(float (&acc)[MI][NI][4], const unsigned (&a)[MI][4], const unsigned (&b)[NI][2], Place) {
  CUPOLA_UNROLL
  for (int i = 0; i < MI; ++i) {
    CUPOLA_UNROLL
    for (int j = 0; j < NI; ++j)
      mmaK16<Bf16>(acc[i][j], a[i], b[j]);
  }
}

/// d(16x8) += a(16x8) * b(8x8), f32 operands of which the units read the first 19 bits.
CUPOLA_DEVICE void mmaTf32(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <int NI>
CUPOLA_DEVICE void mmaRowTf32(float (&acc)[NI][4], const unsigned (&a)[4], const unsigned (&b)[NI][2], Place) {
  CUPOLA_UNROLL
  for (int j = 0; j < NI; ++j)
    mmaTf32(acc[j], a, b[j]);
}

/// d(8x8) += a(8x16) * b(16x8), bytes, of which each side is signed or not, and i32 sums that wrap.
template <bool SignedA, bool SignedB> CUPOLA_DEVICE void mmaBytesK16(int &d0, int &d1, unsigned a, unsigned b) {
#define CUPOLA_MMA(signedA, signedB, types)                                                                            \
  if (SignedA == signedA && SignedB == signedB)                                                                        \
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32." types ".s32 {%0,%1}, {%2}, {%3}, {%0,%1};"                      \
               : "+r"(d0), "+r"(d1)                                                                                    \
               : "r"(a), "r"(b))
  CUPOLA_MMA(true, true, "s8.s8");
  CUPOLA_MMA(true, false, "s8.u8");
  CUPOLA_MMA(false, true, "u8.s8");
  CUPOLA_MMA(false, false, "u8.u8");
#undef CUPOLA_MMA
}

/// d(16x8) += a(16x32) * b(32x8), bytes as above. Before sm_80 four products, of half the rows and half the depth each.
template <bool SignedA, bool SignedB>
CUPOLA_DEVICE void mmaBytesK32(int (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if CUPOLA_ARCH >= 800
#define CUPOLA_MMA(signedA, signedB, types)                                                                            \
  if (SignedA == signedA && SignedB == signedB)                                                                        \
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32." types ".s32 "                                                  \
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                                 \
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                        \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
  CUPOLA_MMA(true, true, "s8.s8");
  CUPOLA_MMA(true, false, "s8.u8");
  CUPOLA_MMA(false, true, "u8.s8");
  CUPOLA_MMA(false, false, "u8.u8");
#undef CUPOLA_MMA
#else
  mmaBytesK16<SignedA, SignedB>(d[0], d[1], a[0], b[0]);
  mmaBytesK16<SignedA, SignedB>(d[2], d[3], a[1], b[0]);
  mmaBytesK16<SignedA, SignedB>(d[0], d[1], a[2], b[1]);
  mmaBytesK16<SignedA, SignedB>(d[2], d[3], a[3], b[1]);
#endif
}

template <bool SignedA, bool SignedB, int MI, int NI>
CUPOLA_DEVICE void mmaTileBytes(int (&acc)[MI][NI][4], const unsigned (&a)[MI][4], const unsigned (&b)[NI][2], Place) {
  CUPOLA_UNROLL
  for (int i = 0; i < MI; ++i) {
    CUPOLA_UNROLL
    for (int j = 0; j < NI; ++j)
      mmaBytesK32<SignedA, SignedB>(acc[i][j], a[i], b[j]);
  }
}

/// d(16x8) += a(16x32) * b(32x8), float8 operands, each e5m2 or e4m3, f32 accumulators. From sm_89 on. The units keep
/// 13 bits behind the leading one of a sum: they have those of 32 products alone, which are added to the others in f32.
template <bool E5m2A, bool E5m2B>
CUPOLA_DEVICE void mmaFloat8K32(float (&acc)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  float d[4] = {0, 0, 0, 0};
#define CUPOLA_MMA(e5m2A, e5m2B, types)                                                                                \
  if (E5m2A == e5m2A && E5m2B == e5m2B)                                                                                \
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32." types ".f32 "                                                  \
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                                 \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                        \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
  CUPOLA_MMA(false, false, "e4m3.e4m3");
  CUPOLA_MMA(false, true, "e4m3.e5m2");
  CUPOLA_MMA(true, false, "e5m2.e4m3");
  CUPOLA_MMA(true, true, "e5m2.e5m2");
#undef CUPOLA_MMA
  CUPOLA_UNROLL
  for (int e = 0; e < 4; ++e)
    acc[e] += d[e];
}

template <bool E5m2A, bool E5m2B, int MI, int NI>
CUPOLA_DEVICE void mmaTileFloat8(float (&acc)[MI][NI][4], const unsigned (&a)[MI][4], const unsigned (&b)[NI][2],
                                 Place) {
  CUPOLA_UNROLL
  for (int i = 0; i < MI; ++i) {
    CUPOLA_UNROLL
    for (int j = 0; j < NI; ++j)
      mmaFloat8K32<E5m2A, E5m2B>(acc[i][j], a[i], b[j]);
  }
}

template <bool Bf16, int MI, int NI, int N>
CUPOLA_DEVICE void mmaColumnsK16(float (&acc)[MI][NI][4], const unsigned (&a)[MI][4], const unsigned (&b)[N][2],
                                 unsigned first, Place) {
  CUPOLA_UNROLL
  for (int j = 0; j < N; ++j) {
    CUPOLA_UNROLL
    for (int i = 0; i < MI; ++i)
      mmaK16<Bf16>(acc[i][first + j], a[i], b[j]);
  }
}

} // namespace cupola_device

#endif
