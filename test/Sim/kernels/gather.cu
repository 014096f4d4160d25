//===- test/Sim/kernels/gather.cu - Rows by index; an index out of range raises the flag ---===//
// SPDX-License-Identifier: Apache-2.0
#include "device.cuh"

CUPOLA_KERNEL(32, 1) k_gather(const u64 *bindings, u64 ref0, u64 ref1, u64 ref2, u32 slot0, u32 step) {
  const f32 *const table = cu_read<f32>(bindings, ref0);
  const i64 *const rows = cu_read<i64>(bindings, ref1);
  f32 *const out = cu_write<f32>(bindings, ref2);
  const i64 extent = cu_scalar<i64>(bindings, slot0);
  const i64 row = cu_checked_index(bindings, step, rows[cu_block()], extent);
  out[cu_block() * 32 + cu_tid()] = table[row * 32 + cu_tid()];
}
