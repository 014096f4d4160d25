//===- test/Sim/kernels/barrier_copies.cu - One barrier in the text, several in the machine code ---===//
// SPDX-License-Identifier: Apache-2.0
#include "device.cuh"

/// Sums the halves of 64 values, 4 times. The threads' branch before a barrier is decided when they come to the one
/// behind it, so an optimiser makes two paths, each with its copy of the barrier; the loop is unrolled, and the last
/// barrier stands in tail position.
CUPOLA_KERNEL(64, 1) k_barrier_copies(const u64 *bindings, u64 ref0, u64 ref1, u32 step) {
  const f32 *const in = cu_read<f32>(bindings, ref0);
  f32 *const out = cu_write<f32>(bindings, ref1);
  f32 *const s = cu_shared<f32>(0);
  const i32 t = cu_tid();
  const bool isUpper = t >= 32;
  CUPOLA_UNROLL
  for (i32 row = 0; row < 4; ++row) {
    if (isUpper) {
      s[t - 32] = in[64 * row + t];
    }
    cu_barrier();
    if (!isUpper) {
      out[32 * row + t] = in[64 * row + t] + s[t];
    }
    cu_barrier();
  }
}
