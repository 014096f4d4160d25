//===- test/Sim/kernels/gemm_simt.cu - f32 matrix product on plain cores, ragged, double buffered ---===//
// SPDX-License-Identifier: Apache-2.0
#include "device.cuh"

// C[M,N] = A[M,K] B[K,N]; blocks of 64x64, 256 threads with 4x4 elements each, K in steps of 16.
CUPOLA_KERNEL(256, 1)
k_gemm_simt(const u64 *bindings, u64 ref0, u64 ref1, u64 ref2, u32 slot0, u32 slot1, u32 slot2, u32 step) {
  const f32 *const a = cu_read<f32>(bindings, ref0);
  const f32 *const b = cu_read<f32>(bindings, ref1);
  f32 *const c = cu_write<f32>(bindings, ref2);
  const i32 m = cu_scalar<i32>(bindings, slot0), n = cu_scalar<i32>(bindings, slot1),
            k = cu_scalar<i32>(bindings, slot2);
  const i32 tid = cu_tid(), columns = (n + 63) / 64;
  const i32 m0 = static_cast<i32>(cu_block()) / columns * 64, n0 = static_cast<i32>(cu_block()) % columns * 64;
  const i32 row = tid / 16 * 4, column = tid % 16 * 4;
  f32 acc[4][4];
  CUPOLA_UNROLL
  for (int i = 0; i < 4; ++i) {
    CUPOLA_UNROLL
    for (int j = 0; j < 4; ++j)
      acc[i][j] = 0.0f;
  }
  for (i32 k0 = 0; k0 < k; k0 += 16) {
    f32 *const as = cu_shared<f32>(k0 / 16 % 2 * 8192); // [16][64]
    f32 *const bs = as + 1024;                          // [16][64]
    const i32 ar = tid / 4, ak = tid % 4 * 4, br = tid / 16, bc = tid % 16 * 4;
    CUPOLA_UNROLL
    for (int i = 0; i < 4; ++i) {
      const bool inA = m0 + ar < m && k0 + ak + i < k, inB = k0 + br < k && n0 + bc + i < n;
      as[(ak + i) * 64 + ar] = inA ? a[(m0 + ar) * k + k0 + ak + i] : 0.0f;
      bs[br * 64 + bc + i] = inB ? b[(k0 + br) * n + n0 + bc + i] : 0.0f;
    }
    cu_barrier();
    CUPOLA_UNROLL
    for (int p = 0; p < 16; ++p) {
      const vec<f32, 4> av = ld_vec<f32, 4>(as + p * 64 + row);
      const vec<f32, 4> bv = ld_vec<f32, 4>(bs + p * 64 + column);
      outer_fma(acc, av.v, bv.v);
    }
  }
  CUPOLA_UNROLL
  for (int i = 0; i < 4; ++i) {
    CUPOLA_UNROLL
    for (int j = 0; j < 4; ++j)
      if (m0 + row + i < m && n0 + column + j < n)
        c[(m0 + row + i) * n + n0 + column + j] = acc[i][j];
  }
}
