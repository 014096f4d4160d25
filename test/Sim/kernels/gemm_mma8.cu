//===- test/Sim/kernels/gemm_mma8.cu - f16 matrix product by m16n8k8 for sm_75, B transposed ---===//
// SPDX-License-Identifier: Apache-2.0
#include "device.cuh"

// C[M,N] = A[M,K] B[N,K]^T, K a multiple of 8; blocks of 64x64, 4 warps with 32x32 elements each, K in steps of 16.
CUPOLA_KERNEL(128, 1)
k_gemm_mma8(const u64 *bindings, u64 ref0, u64 ref1, u64 ref2, u32 slot0, u32 slot1, u32 slot2, u32 step) {
  const f16 *const a = cu_read<f16>(bindings, ref0);
  const f16 *const b = cu_read<f16>(bindings, ref1);
  f32 *const c = cu_write<f32>(bindings, ref2);
  const i32 m = cu_scalar<i32>(bindings, slot0), n = cu_scalar<i32>(bindings, slot1),
            k = cu_scalar<i32>(bindings, slot2);
  const i32 columns = (n + 63) / 64;
  const i32 m0 = static_cast<i32>(cu_block()) / columns * 64, n0 = static_cast<i32>(cu_block()) % columns * 64;
  const i32 wm = static_cast<i32>(cu_warp()) / 2 * 32, wn = static_cast<i32>(cu_warp()) % 2 * 32;
  f16 *const as = cu_shared<f16>(0);    // [64][24]
  f16 *const bs = cu_shared<f16>(3072); // [64][24]
  f32 acc[2][4][4];
  mma_zero(acc);
  for (i32 k0 = 0; k0 < k; k0 += 16) {
    const i32 r = static_cast<i32>(cu_tid()) / 2, kk = static_cast<i32>(cu_tid()) % 2 * 8;
    const vec<f16, 8> zero = splat_vec<f16, 8>(f16_bits(0));
    const bool inA = m0 + r < m && k0 + kk < k, inB = n0 + r < n && k0 + kk < k;
    st_vec(as + r * 24 + kk, inA ? ld_vec<f16, 8>(a + (m0 + r) * k + k0 + kk) : zero);
    st_vec(bs + r * 24 + kk, inB ? ld_vec<f16, 8>(b + (n0 + r) * k + k0 + kk) : zero);
    cu_barrier();
    CUPOLA_UNROLL
    for (i32 p = 0; p < 16; p += 8) {
      u32 fa[2][2], fb[4][1];
      mma_load_a(fa, as + wm * 24 + p, 24);
      mma_load_b_transposed(fb, bs + wn * 24 + p, 24);
      warp_mma_tile(acc, fa, fb);
    }
    cu_barrier();
  }
  CUPOLA_UNROLL
  for (i32 i = 0; i < 2; ++i) {
    CUPOLA_UNROLL
    for (i32 j = 0; j < 4; ++j) {
      CUPOLA_UNROLL
      for (i32 e = 0; e < 4; ++e) {
        const i32 row = m0 + wm + i * 16 + static_cast<i32>(mma_row(e)),
                  column = n0 + wn + j * 8 + static_cast<i32>(mma_col(e));
        if (row < m && column < n)
          c[row * n + column] = acc[i][j][e];
      }
    }
  }
}
