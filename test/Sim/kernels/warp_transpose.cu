//===- test/Sim/kernels/warp_transpose.cu - A warp hands rows to columns through shared memory ---===//
// SPDX-License-Identifier: Apache-2.0
#include "device.cuh"

// Every warp transposes its own 8x8 halves of 32-bit words: only warp barriers order its lanes.
CUPOLA_KERNEL(64, 1) k_warp_transpose(const u64 *bindings, u64 ref0, u64 ref1, u32 slot0, u32 step) {
  const f32 *const in = cu_read<f32>(bindings, ref0);
  f32 *const out = cu_write<f32>(bindings, ref1);
  const i32 rounds = cu_scalar<i32>(bindings, slot0);
  f32 *const tile = cu_shared<f32>(cu_warp() * 32 * 33 * 4);
  const u32 lane = cu_lane();
  for (i32 r = 0; r < rounds; ++r) {
    const i64 base = (static_cast<i64>(cu_block()) * 2 + cu_warp()) * rounds * 1024 + r * 1024;
    CUPOLA_UNROLL
    for (u32 i = 0; i < 32; ++i)
      tile[i * 33 + lane] = in[base + i * 32 + lane];
    cu_syncwarp();
    CUPOLA_UNROLL
    for (u32 i = 0; i < 32; ++i)
      out[base + i * 32 + lane] = tile[lane * 33 + i];
    cu_syncwarp();
  }
}
