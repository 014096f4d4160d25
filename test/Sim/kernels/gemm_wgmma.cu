//===- test/Sim/kernels/gemm_wgmma.cu - a product with roles: one warpgroup copies, two multiply ---===//
// SPDX-License-Identifier: Apache-2.0
//
// out[m][n] = sum of a[m][k] * b[n][k], or b[k][n]. Two blocks of a cluster have neighbouring rows and share the
// columns: each copies its rows of a, and half of b to both.
#include "device.cuh"

#ifndef TILE_N
#define TILE_N 256
#define ELEMENT f16
#define TRANSPOSED_B 0
#endif

// Tile 128 x TILE_N x 64, 4 stages; slots: m, n, k; the maps of a and b. Boxes are 64 x 128 of a; of b 64 k x half of
// TILE_N, or 64 n x 32 k.
CUPOLA_KERNEL(384, 1)
k_gemm_wgmma(const u64 *bindings, u64 ref0, u64 ref1, u64 ref2, u32 slot0, u32 slot1, u32 slot2, u32 map0, u32 map1,
             u32 step) {
  f32 *const out0 = cu_write<f32>(bindings, ref2);
  const i32 n0 = cu_scalar<i32>(bindings, slot0);
  const i32 n1 = cu_scalar<i32>(bindings, slot1);
  const i32 n2 = cu_scalar<i32>(bindings, slot2);
  const TensorMap *const a = cu_tensor_map(bindings, map0), *const b = cu_tensor_map(bindings, map1);
  const i32 t = cu_tid(), tm = cu_block(), tn = cu_block_y();
  const i32 rank = cluster_rank();
  ELEMENT *const s0 = cu_shared<ELEMENT>(0);
  ELEMENT *const s1 = cu_shared<ELEMENT>(65536);
  u64 *const full = cu_shared<u64>(65536 + 512 * TILE_N);
  u64 *const empty = cu_shared<u64>(65536 + 512 * TILE_N + 32);
  if (t == 0) {
    for (i32 s = 0; s < 4; s += 1) {
      mbarrier_init(full + s, 1);
      mbarrier_init(empty + s, 16);
    }
    mbarrier_init_fence();
    tensor_map_acquire(a);
    tensor_map_acquire(b);
  }
  cluster_barrier();
  grid_wait();
  const i32 trips = (n2 + 63) / 64;
  if (t < 128) {
    give_registers<40>();
    if (t == 0) {
      for (i32 kt = 0; kt < trips; kt += 1) {
        const i32 s = kt % 4;
        mbarrier_wait(empty + s, (kt / 4 + 1) % 2);
        mbarrier_expect(full + s, 16384 + 128 * TILE_N);
        tensor_copy(s0 + 8192 * s, a, {64 * kt, 128 * tm}, full + s);
#if TRANSPOSED_B
        for (i32 j = 0; j < TILE_N / 64; ++j)
          tensor_copy_multicast(s1 + 64 * TILE_N * s + 4096 * j + 2048 * rank, b,
                                {TILE_N * tn + 64 * j, 64 * kt + 32 * rank}, full + s, 3);
#else
        tensor_copy_multicast(s1 + 64 * TILE_N * s + 32 * TILE_N * rank, b, {64 * kt, TILE_N * tn + TILE_N / 2 * rank},
                              full + s, 3);
#endif
      }
    }
  } else {
    take_registers<232>();
    const i32 w = t / 128 - 1;
    f32 acc[TILE_N / 8][4];
    CUPOLA_UNROLL
    for (i32 j = 0; j < TILE_N / 8; ++j) {
      CUPOLA_UNROLL
      for (i32 e = 0; e < 4; ++e)
        acc[j][e] = 0.0f;
    }
    for (i32 kt = 0; kt < trips; kt += 1) {
      const i32 s = kt % 4;
      mbarrier_wait(full + s, kt / 4 % 2);
      wgmma_fence(acc);
      CUPOLA_UNROLL
      for (i32 k = 0; k < 4; k += 1)
#if TRANSPOSED_B
        wgmma_transposed(acc, s0 + 8192 * s + 4096 * w + 16 * k, s1 + 64 * TILE_N * s + 1024 * k, 4096);
#else
        wgmma(acc, s0 + 8192 * s + 4096 * w + 16 * k, s1 + 64 * TILE_N * s + 16 * k);
#endif
      wgmma_commit();
      wgmma_wait<1>(acc);
      if (kt > 0 && t % 32 < 2)
        mbarrier_arrive(empty + (kt + 3) % 4, t % 32);
    }
    wgmma_wait<0>(acc);
    if (t == 128)
      grid_release();
    CUPOLA_UNROLL
    for (i32 j = 0; j < TILE_N / 8; ++j) {
      CUPOLA_UNROLL
      for (i32 e = 0; e < 4; ++e) {
        const i32 m = 128 * tm + 64 * w + wgmma_row(e), n = TILE_N * tn + 8 * j + wgmma_col(e);
        if (m < n0 && n < n1)
          out0[n1 * m + n] = acc[j][e];
      }
    }
  }
  cluster_barrier();
}
