//===- test/Sim/kernels/softmax.cu - Rows in shared memory, two block reductions ---===//
// SPDX-License-Identifier: Apache-2.0
#include "device.cuh"

CUPOLA_KERNEL(128, 1) k_softmax(const u64 *bindings, u64 ref0, u64 ref1, u32 slot0, u32 step) {
  const f32 *const in = cu_read<f32>(bindings, ref0);
  f32 *const out = cu_write<f32>(bindings, ref1);
  const i32 n = cu_scalar<i32>(bindings, slot0);
  f32 *const scratch = cu_shared<f32>(0);
  f32 *const row = cu_shared<f32>(16);
  const i64 base = static_cast<i64>(cu_block()) * n;
  f32 largest = cu_lowest<f32>();
  for (i32 i = cu_tid(); i < n; i += 128) {
    row[i] = in[base + i];
    largest = cu_max(largest, row[i]);
  }
  largest = block_max<128>(largest, scratch);
  f32 sum = 0.0f;
  for (i32 i = cu_tid(); i < n; i += 128) {
    row[i] = cu_exp(row[i] - largest);
    sum += row[i];
  }
  sum = block_sum<128>(sum, scratch);
  // Backwards, so that a thread reads what another one wrote.
  for (i32 i = cu_tid(); i < n; i += 128)
    out[base + n - 1 - i] = row[n - 1 - i] / sum;
}
