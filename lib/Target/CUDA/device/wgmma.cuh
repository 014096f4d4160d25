//===- lib/Target/CUDA/device/wgmma.cuh - matrix products of a warpgroup, operands in shared memory ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The four warps of a warpgroup multiply A (64 x 16) by B (16 x 8*J), f16 or bf16, f32 accumulators acc[J][4]. Operands
// lie in shared memory as tensor copies with a swizzle of 128 bytes bring them; A may also be in registers, fragments
// a[K][4] for 16*K of k. Products run behind the thread's back: fence, products, commit; what a wait leaves under way
// still reads shared memory and fragments and writes the accumulators. Every function is called by all threads of the
// warpgroup with the same arguments. Needs sm_90a.
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
/// In two words, the second of which is the same for all matrices, and so is what the first has above the address: one
/// behind another is an addition. `behind` is in units of 16 bytes, too; shared memory ends below 256 KB. In a cluster
/// an address has the block's rank above that, where the descriptor has the leading offset: it is masked, once for all
/// matrices.
CUPOLA_DEVICE u32 matrixAt(const void *shared, u32 behind) {
  const u32 base = sharedAddress(sharedBase());
  return uniform(((base & 0x3ffff) >> 4) + ((sharedAddress(shared) - base) >> 4) + behind);
}
/// Eight rows of 128 bytes are 1024.
CUPOLA_DEVICE u64 matrixDescriptor(u32 at, u32 bytesBehind, u32 leadingBytes) {
  return u64(1u << 30 | 1024 >> 4) << 32 | (at + ((leadingBytes >> 4 << 16) + (bytesBehind >> 4)));
}
} // namespace cupola_device

/// Which warpgroup of its block the thread is in; the compiler knows that a warp is in one.
CUPOLA_DEVICE u32 cu_warpgroup() { return cupola_device::uniform(cu_warp() / 4); }

/// Element e of acc[j] belongs to row wgmma_row(e) and column 8*j + wgmma_col(e) of the warpgroup's tile.
CUPOLA_DEVICE u32 wgmma_row(u32 e) { return cu_warp() % 4 * 16 + cu_lane() / 4 + e / 2 * 8; }
CUPOLA_DEVICE u32 wgmma_col(u32 e) { return cu_lane() % 4 * 2 + e % 2; }

/// Before the first product, and whenever the thread itself has used the accumulators.
template <int J> CUPOLA_DEVICE void wgmma_fence(f32 (&acc)[J][4], cupola_device::Place at = CUPOLA_HERE) {
  cupola_device::wgmmaFence(acc, at);
}
/// The same of fragments that products are going to read, too.
template <int J, int K>
CUPOLA_DEVICE void wgmma_fence(f32 (&acc)[J][4], u32 (&a)[K][4], cupola_device::Place at = CUPOLA_HERE) {
  cupola_device::wgmmaFence(acc, a, at);
}
/// acc += a * b for `Steps` times 16 k. The first k is so many vectors of eight elements behind `a` in a tile of rows
/// [m][64 k], and behind `b` in one of rows [n][64 k].
template <int Steps = 1, class T, int J>
CUPOLA_DEVICE void wgmma(f32 (&acc)[J][4], const T *a, const T *b, u32 behindA = 0, u32 behindB = 0,
                         cupola_device::Place at = CUPOLA_HERE) {
  static_assert(sizeof(T) == 2, "16-bit operands");
  const u32 atA = cupola_device::matrixAt(a, behindA), atB = cupola_device::matrixAt(b, behindB);
  CUPOLA_UNROLL
  for (int k = 0; k < Steps; ++k)
    cupola_device::wgmma<cupola_device::IsBf16<T>::value, false>(acc, cupola_device::matrixDescriptor(atA, k * 32, 16),
                                                                 cupola_device::matrixDescriptor(atB, k * 32, 16), at);
}
/// The same with b in rows [k][64 n]; `group` elements from such a tile to that of the next 64 n.
template <int Steps = 1, class T, int J>
CUPOLA_DEVICE void wgmma_transposed(f32 (&acc)[J][4], const T *a, const T *b, u32 group, u32 behindA = 0,
                                    u32 behindB = 0, cupola_device::Place at = CUPOLA_HERE) {
  static_assert(sizeof(T) == 2, "16-bit operands");
  const u32 atA = cupola_device::matrixAt(a, behindA), atB = cupola_device::matrixAt(b, behindB);
  CUPOLA_UNROLL
  for (int k = 0; k < Steps; ++k)
    cupola_device::wgmma<cupola_device::IsBf16<T>::value, true>(
        acc, cupola_device::matrixDescriptor(atA, k * 32, 16),
        cupola_device::matrixDescriptor(atB, k * 2048, group * sizeof(T)), at);
}
/// acc += a * b, without `Adds` acc = a * b, with fragments of A. The first k of b is so many vectors of eight elements
/// behind `b` in rows [n][64 k]; `group` elements from such a tile to that of the next 64 k.
template <bool Adds = true, class T, int J, int K>
CUPOLA_DEVICE void wgmma_fragments(f32 (&acc)[J][4], const u32 (&a)[K][4], const T *b, u32 group, u32 behindB = 0,
                                   cupola_device::Place at = CUPOLA_HERE) {
  static_assert(sizeof(T) == 2, "16-bit operands");
  const u32 atB = cupola_device::matrixAt(b, behindB);
  CUPOLA_UNROLL
  for (int k = 0; k < K; ++k)
    cupola_device::wgmma<cupola_device::IsBf16<T>::value, false>(
        acc, a[k], cupola_device::matrixDescriptor(atB, k / 4 * (group * sizeof(T)) + k % 4 * 32, 16), Adds || k > 0,
        at);
}
/// The same with b in rows [k][64 n]; `group` elements from such a tile to that of the next 64 n.
template <bool Adds = true, class T, int J, int K>
CUPOLA_DEVICE void wgmma_fragments_transposed(f32 (&acc)[J][4], const u32 (&a)[K][4], const T *b, u32 group,
                                              u32 behindB = 0, cupola_device::Place at = CUPOLA_HERE) {
  static_assert(sizeof(T) == 2, "16-bit operands");
  const u32 atB = cupola_device::matrixAt(b, behindB);
  CUPOLA_UNROLL
  for (int k = 0; k < K; ++k)
    cupola_device::wgmma<cupola_device::IsBf16<T>::value, true>(
        acc, a[k], cupola_device::matrixDescriptor(atB, k * 2048, group * sizeof(T)), Adds || k > 0, at);
}
/// The accumulators of a product, rounded to T, as the fragments of A of the next.
template <class T, int K> CUPOLA_DEVICE void wgmma_pack(u32 (&a)[K][4], const f32 (&acc)[2 * K][4]) {
  CUPOLA_UNROLL
  for (int k = 0; k < K; ++k) {
    CUPOLA_UNROLL
    for (int r = 0; r < 4; ++r) {
      const f32(&from)[4] = acc[2 * k + r / 2];
      a[k][r] = static_cast<u32>(T(from[r % 2 * 2]).bits) | static_cast<u32>(T(from[r % 2 * 2 + 1]).bits) << 16;
    }
  }
}
/// Closes the group of products since the last commit.
CUPOLA_DEVICE void wgmma_commit(cupola_device::Place at = CUPOLA_HERE) { cupola_device::wgmmaCommit(at); }
/// Waits until at most `Pending` of the newest groups are under way.
template <int Pending, int J> CUPOLA_DEVICE void wgmma_wait(f32 (&acc)[J][4], cupola_device::Place at = CUPOLA_HERE) {
  cupola_device::wgmmaWait<Pending>(acc, at);
}

#endif
