//===- test/Sim/kernels/splitk.cu - Blocks sum parts; the last one to arrive adds them ---===//
// SPDX-License-Identifier: Apache-2.0
#include "device.cuh"

CUPOLA_KERNEL(64, 1) k_splitk(const u64 *bindings, u64 ref0, u64 ref1, u64 ref2, u64 ref3, u32 slot0, u32 step) {
  const f32 *const in = cu_read<f32>(bindings, ref0);
  f32 *const parts = cu_write<f32>(bindings, ref1);
  u32 *const ticket = cu_write<u32>(bindings, ref2);
  f32 *const out = cu_write<f32>(bindings, ref3);
  const i32 n = cu_scalar<i32>(bindings, slot0);
  const i32 each = (n + static_cast<i32>(cu_blocks()) - 1) / static_cast<i32>(cu_blocks());
  const i32 first = static_cast<i32>(cu_block()) * each;
  f32 sum = 0.0f;
  for (i32 i = first + static_cast<i32>(cu_tid()); i < first + each && i < n; i += 64)
    sum += in[i];
  parts[cu_block() * 64 + cu_tid()] = sum;
  if (!cu_last_block(ticket, cu_blocks(), cu_shared<u32>(0)))
    return;
  f32 total = 0.0f;
  for (u32 block = 0; block < cu_blocks(); ++block)
    total += parts[block * 64 + (cu_tid() ^ 33)];
  // In the ticket's place, which is free again.
  total = block_sum<64>(total, cu_shared<f32>(0));
  if (cu_tid() == 0)
    out[0] = total;
}
