//===- test/Sim/kernels/gemm_mma16.cu - f16 matrix product by m16n8k16, three cp.async stages ---===//
// SPDX-License-Identifier: Apache-2.0
#include "device.cuh"

// C[M,N] = A[M,K] B[K,N], N and K multiples of 8; blocks of 64x64, 4 warps with 32x32 elements each, K in steps of 32.
CUPOLA_DEVICE void loadStage(f16 *as, f16 *bs, const f16 *a, const f16 *b, i32 m0, i32 n0, i32 k0, i32 m, i32 n,
                             i32 k) {
  CUPOLA_UNROLL
  for (i32 i = 0; i < 2; ++i) {
    const i32 q = static_cast<i32>(cu_tid()) + i * 128;
    const i32 ar = q / 4, ak = q % 4 * 8, br = q / 8, bc = q % 8 * 8;
    const bool inA = m0 + ar < m && k0 + ak < k, inB = k0 + br < k && n0 + bc < n;
    cp_async<16>(as + ar * 40 + ak, a + (inA ? (m0 + ar) * k + k0 + ak : 0), inA);
    cp_async<16>(bs + br * 72 + bc, b + (inB ? (k0 + br) * n + n0 + bc : 0), inB);
  }
}

CUPOLA_KERNEL(128, 1)
k_gemm_mma16(const u64 *bindings, u64 ref0, u64 ref1, u64 ref2, u32 slot0, u32 slot1, u32 slot2, u32 step) {
  const f16 *const a = cu_read<f16>(bindings, ref0);
  const f16 *const b = cu_read<f16>(bindings, ref1);
  f32 *const c = cu_write<f32>(bindings, ref2);
  const i32 m = cu_scalar<i32>(bindings, slot0), n = cu_scalar<i32>(bindings, slot1),
            k = cu_scalar<i32>(bindings, slot2);
  const i32 columns = (n + 63) / 64;
  const i32 m0 = static_cast<i32>(cu_block()) / columns * 64, n0 = static_cast<i32>(cu_block()) % columns * 64;
  const i32 wm = static_cast<i32>(cu_warp()) / 2 * 32, wn = static_cast<i32>(cu_warp()) % 2 * 32;
  f16 *const as = cu_shared<f16>(0);     // [3][64][40]
  f16 *const bs = cu_shared<f16>(15360); // [3][32][72]
  f32 acc[2][4][4];
  mma_zero(acc);
  const i32 steps = (k + 31) / 32;
  CUPOLA_UNROLL
  for (i32 s = 0; s < 2; ++s) {
    if (s < steps)
      loadStage(as + s * 2560, bs + s * 2304, a, b, m0, n0, s * 32, m, n, k);
    cp_async_commit();
  }
  for (i32 s = 0; s < steps; ++s) {
    cp_async_wait<1>();
    cu_barrier();
    const i32 next = s + 2;
    if (next < steps)
      loadStage(as + next % 3 * 2560, bs + next % 3 * 2304, a, b, m0, n0, next * 32, m, n, k);
    cp_async_commit();
    CUPOLA_UNROLL
    for (i32 p = 0; p < 32; p += 16) {
      u32 fa[2][4], fb[4][2];
      mma_load_a(fa, as + s % 3 * 2560 + wm * 40 + p, 40);
      mma_load_b(fb, bs + s % 3 * 2304 + p * 72 + wn, 72);
      warp_mma_tile(acc, fa, fb);
    }
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
