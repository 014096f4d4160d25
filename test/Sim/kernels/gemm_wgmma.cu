//===- test/Sim/kernels/gemm_wgmma.cu - a product with roles: one warpgroup copies, two multiply ---===//
// SPDX-License-Identifier: Apache-2.0
//
// out[m][n] = sum of a[m][k] * b[n][k]. Two blocks of a cluster have neighbouring rows and share the columns: each
// copies its rows of a, and half of the columns of b to both.
#include "device.cuh"

// Tile 128 x 256 x 64, 4 stages; slots: the maps of a and b, m, n, k.
CUPOLA_KERNEL(384, 1)
gemm_wgmma(const u64 *bindings, u64 ref0, u64 ref1, u64 ref2, u32 slot0, u32 slot1, u32 slot2, u32 map0, u32 map1,
           u32 step) {
  f32 *const out0 = cu_write<f32>(bindings, ref2);
  const i32 n0 = cu_scalar<i32>(bindings, slot0);
  const i32 n1 = cu_scalar<i32>(bindings, slot1);
  const i32 n2 = cu_scalar<i32>(bindings, slot2);
  const TensorMap *const a = cu_tensor_map(bindings, map0), *const b = cu_tensor_map(bindings, map1);
  const i32 t = cu_tid(), tm = cu_block(), tn = cu_block_y();
  const i32 rank = cluster_rank();
  f16 *const s0 = cu_shared<f16>(0);
  f16 *const s1 = cu_shared<f16>(65536);
  u64 *const full = cu_shared<u64>(196608);
  u64 *const empty = cu_shared<u64>(196640);
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
        mbarrier_expect(full + s, 49152);
        tensor_copy(s0 + 8192 * s, a, {64 * kt, 128 * tm}, full + s);
        tensor_copy_multicast(s1 + 16384 * s + 8192 * rank, b, {64 * kt, 256 * tn + 128 * rank}, full + s, 3);
      }
    }
  } else {
    take_registers<232>();
    const i32 w = t / 128 - 1;
    f32 acc[32][4];
    CUPOLA_UNROLL
    for (i32 j = 0; j < 32; ++j) {
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
        wgmma(acc, s0 + 8192 * s + 4096 * w + 16 * k, s1 + 16384 * s + 16 * k);
      wgmma_commit();
      wgmma_wait<1>(acc);
      if (kt > 0 && t % 32 < 2)
        mbarrier_arrive(empty + (kt + 3) % 4, t % 32);
    }
    wgmma_wait<0>(acc);
    if (t == 128)
      grid_release();
    CUPOLA_UNROLL
    for (i32 j = 0; j < 32; ++j) {
      CUPOLA_UNROLL
      for (i32 e = 0; e < 4; ++e) {
        const i32 m = 128 * tm + 64 * w + wgmma_row(e), n = 256 * tn + 8 * j + wgmma_col(e);
        if (m < n0 && n < n1)
          out0[n1 * m + n] = acc[j][e];
      }
    }
  }
  cluster_barrier();
}
