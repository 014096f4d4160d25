// Steps in each of which every block reads what all blocks wrote in the step before, in two buffers in turn. Shared
// memory is kept over the barriers of the grid, and a copy to it is under way while its block waits at the first one.
#include "device.cuh"

CUPOLA_KERNEL(64, 1)
k_grid_steps(const u64 *bindings, u64 ref0, u64 ref1, u64 ref2, u64 ref3, u32 slot0, u32 step) {
  const u32 *const in = cu_read<u32>(bindings, ref0);
  u32 *const states = cu_write<u32>(bindings, ref1);
  u32 *const counter = cu_write<u32>(bindings, ref2);
  const u32 steps = cu_scalar<u32>(bindings, slot0);
  const u32 t = cu_tid(), blocks = cu_blocks(), n = blocks * 64, i = cu_block() * 64 + t;
  u32 *const kept = cu_shared<u32>(0);
  u32 *const own = cu_shared<u32>(512);
  cp_async<4>(own + t, in + i);
  cp_async_commit();
  kept[t] = in[i];
  states[i] = in[i];
  for (u32 s = 1; s <= steps; ++s) {
    cu_grid_barrier(counter, blocks * s);
    const u32 *const before = states + (s - 1) % 2 * n;
    u32 value = kept[(s - 1) % 2 * 64 + 63 - t];
    for (u32 b = 0; b < blocks; ++b)
      value = 3 * value + before[b * 64 + (t + b + 1) % 64];
    cp_async_wait<0>();
    states[s % 2 * n + i] = value;
    kept[s % 2 * 64 + t] = value ^ own[t];
  }
  cu_grid_leave(counter, blocks * (steps + 1));
  cu_write<u32>(bindings, ref3)[i] = kept[steps % 2 * 64 + t];
}
