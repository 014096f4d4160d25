//===- lib/Target/CUDA/device/bindings.cuh - kernel arguments: buffers, scalars, the error flag ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The bindings table is an array of 64-bit words: word 0 is the address of the session's flag block (u32[16]), words
// 1..S are the plan's scalars, the words after them are the addresses of the inputs and outputs. A buffer reference
// with bit 63 set names a word of the table; any other is the address itself.
#ifndef CUPOLA_DEVICE_BINDINGS_CUH
#define CUPOLA_DEVICE_BINDINGS_CUH

#include "types.cuh"

CUPOLA_DEVICE u32 cu_tid() { return cupola_device::threadIndex(); }
CUPOLA_DEVICE u32 cu_block() { return cupola_device::blockIndex(); }
CUPOLA_DEVICE u32 cu_block_y() { return cupola_device::blockIndexY(); }
CUPOLA_DEVICE u32 cu_block_z() { return cupola_device::blockIndexZ(); }
CUPOLA_DEVICE u32 cu_threads() { return cupola_device::blockThreads(); }
CUPOLA_DEVICE u32 cu_blocks() { return cupola_device::gridBlocks(); }
CUPOLA_DEVICE u32 cu_lane() { return cu_tid() % 32; }
CUPOLA_DEVICE u32 cu_warp() { return cu_tid() / 32; }

/// The block's shared memory: one buffer, 1024-aligned, that kernels carve at constant byte offsets.
CUPOLA_DEVICE u8 *cu_shared() { return cupola_device::sharedBase(); }
template <class T> CUPOLA_DEVICE T *cu_shared(u32 byteOffset) {
  return reinterpret_cast<T *>(cupola_device::sharedBase() + byteOffset);
}

namespace cupola_device {
CUPOLA_DEVICE u64 resolveReference(const u64 *bindings, u64 reference) {
  return reference >> 63 ? bindings[reference & 0xffffffffull] : reference;
}
} // namespace cupola_device

template <class T> CUPOLA_DEVICE const T *cu_read(const u64 *bindings, u64 reference) {
  return cupola_device::globalPointer<const T>(cupola_device::resolveReference(bindings, reference));
}
template <class T> CUPOLA_DEVICE T *cu_write(const u64 *bindings, u64 reference) {
  return cupola_device::globalPointer<T>(cupola_device::resolveReference(bindings, reference));
}
template <class T> CUPOLA_DEVICE T cu_scalar(const u64 *bindings, u32 slot) {
  return static_cast<T>(static_cast<i64>(bindings[slot]));
}

/// Records that the kernel of plan step `step` met an index out of range; the run then fails with an error that names
/// the step's nodes. The last such step wins, so that the outcome does not depend on the order of the blocks.
CUPOLA_DEVICE void cu_raise(const u64 *bindings, u32 step) { cupola_device::raiseGlobalMax(bindings[0], step + 1); }

/// `index` clamped to [0, extent); an index outside raises the error flag.
template <class I> CUPOLA_DEVICE I cu_checked_index(const u64 *bindings, u32 step, I index, I extent) {
  if (index >= 0 && index < extent)
    return index;
  cu_raise(bindings, step);
  return index < 0 || extent <= 0 ? I(0) : extent - 1;
}

#endif
