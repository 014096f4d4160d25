//===- lib/Target/CUDA/device/swizzle.cuh - shared memory whose rows meet no bank twice ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Rows of Span bytes (32, 64 or 128), one behind the other. The 16-byte pieces of a row are permuted by where the row
// lies, so that the same piece of eight rows, which a matrix is, takes all banks once, as eight pieces of a row do. It
// is the rule of tensor copies and wgmma: PTX ISA, "Swizzling Modes".
#ifndef CUPOLA_DEVICE_SWIZZLE_CUH
#define CUPOLA_DEVICE_SWIZZLE_CUH

#include "types.cuh"

/// Where element `place`, counted from `rows` on, lies; `rows` begins a group of eight rows, 8 * Span bytes. A Span of
/// 0 leaves it in its place. What a thread adds to `rows` later stays outside of the permutation.
template <int Span, class T> CUPOLA_DEVICE T *swizzled(T *rows, u32 place) {
  static_assert(Span == 0 || Span == 32 || Span == 64 || Span == 128, "rows of 32, 64 or 128 bytes");
  constexpr u32 line = 128 / sizeof(T), piece = 16 / sizeof(T), pieces = Span / 16;
  if constexpr (Span == 0)
    return rows + place;
  else
    return rows + (place ^ place / line % pieces * piece);
}

#endif
