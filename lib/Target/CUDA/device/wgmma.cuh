//===- lib/Target/CUDA/device/wgmma.cuh - matrix products of a warpgroup, operands in shared memory ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The four warps of a warpgroup multiply A (64 x 16) by B (16 x 8*J), f16 or bf16, f32 accumulators acc[J][4]. Operands
// lie in shared memory as tensor copies with a swizzle of 128 bytes bring them. Products run behind the thread's back:
// fence, products, commit; what a wait leaves under way still reads shared memory and writes the accumulators. Every
// function is called by all threads of the warpgroup with the same arguments. Needs sm_90a.
#ifndef CUPOLA_DEVICE_WGMMA_CUH
#define CUPOLA_DEVICE_WGMMA_CUH

#include "bindings.cuh"
#include "primitives_tensor.cuh"

namespace cupola_device {
template <class T> struct IsBf16 {
  static constexpr bool value = false;
};
template <> struct IsBf16<bf16> {
  static constexpr bool value = true;
};

/// PTX ISA, "Matrix Descriptor Format": address, leading and stride byte offsets in units of 16 bytes; swizzle of 128
/// bytes.
CUPOLA_DEVICE u64 matrixDescriptor(const void *shared, u32 leadingBytes, u32 strideBytes) {
  return u64(1) << 62 | u64(strideBytes >> 4) << 32 | u64(leadingBytes >> 4) << 16 |
         ((sharedAddress(shared) & 0x3ffff) >> 4);
}
/// Rows of 128 bytes, k innermost; eight of them are 1024 bytes.
CUPOLA_DEVICE u64 alongK(const void *shared) { return matrixDescriptor(shared, 16, 1024); }
/// Rows of 64 n, one per k; `group` bytes from 64 n to the next.
CUPOLA_DEVICE u64 alongN(const void *shared, u32 group) { return matrixDescriptor(shared, group, 1024); }
} // namespace cupola_device

/// Element e of acc[j] belongs to row wgmma_row(e) and column 8*j + wgmma_col(e) of the warpgroup's tile.
CUPOLA_DEVICE u32 wgmma_row(u32 e) { return cu_warp() % 4 * 16 + cu_lane() / 4 + e / 2 * 8; }
CUPOLA_DEVICE u32 wgmma_col(u32 e) { return cu_lane() % 4 * 2 + e % 2; }

/// Before the first product, and whenever the thread itself has used the accumulators.
template <int J> CUPOLA_DEVICE void wgmma_fence(f32 (&acc)[J][4], cupola_device::Place at = CUPOLA_HERE) {
  cupola_device::wgmmaFence(acc, at);
}
/// acc += a * b. `a` points at the first of 16 k in a tile of rows [m][64 k], `b` in one of rows [n][64 k].
template <class T, int J>
CUPOLA_DEVICE void wgmma(f32 (&acc)[J][4], const T *a, const T *b, cupola_device::Place at = CUPOLA_HERE) {
  static_assert(sizeof(T) == 2, "16-bit operands");
  cupola_device::wgmma<cupola_device::IsBf16<T>::value, false>(acc, cupola_device::alongK(a), cupola_device::alongK(b),
                                                               at);
}
/// The same with b in rows [k][64 n]; `group` elements from such a tile to that of the next 64 n.
template <class T, int J>
CUPOLA_DEVICE void wgmma_transposed(f32 (&acc)[J][4], const T *a, const T *b, u32 group,
                                    cupola_device::Place at = CUPOLA_HERE) {
  static_assert(sizeof(T) == 2, "16-bit operands");
  cupola_device::wgmma<cupola_device::IsBf16<T>::value, true>(acc, cupola_device::alongK(a),
                                                              cupola_device::alongN(b, group * sizeof(T)), at);
}
/// Closes the group of products since the last commit.
CUPOLA_DEVICE void wgmma_commit(cupola_device::Place at = CUPOLA_HERE) { cupola_device::wgmmaCommit(at); }
/// Waits until at most `Pending` of the newest groups are under way.
template <int Pending, int J> CUPOLA_DEVICE void wgmma_wait(f32 (&acc)[J][4], cupola_device::Place at = CUPOLA_HERE) {
  cupola_device::wgmmaWait<Pending>(acc, at);
}

#endif
