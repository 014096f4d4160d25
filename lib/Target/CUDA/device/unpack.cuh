//===- lib/Target/CUDA/device/unpack.cuh - vectors of numbers of four bits ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A conversion from integer to float takes four to sixteen times as long as an addition, so numbers become floats by
// their bits: 2^23 + q, or 1024 + q as a half, is a fixed word with q in its lowest bits, and the difference that
// leaves q + offset is exact.
#ifndef CUPOLA_DEVICE_UNPACK_CUH
#define CUPOLA_DEVICE_UNPACK_CUH

#include "cast.cuh"
#include "vector.cuh"

namespace cupola_device {

template <class A, class B> inline constexpr bool isSame = false;
template <class A> inline constexpr bool isSame<A, A> = true;

/// Four halves q + offset, by scale, of four bytes q: elements 0 and 1, 2 and 3.
CUPOLA_DEVICE void scaledHalves(u32 (&out)[2], u32 bytes, u32 offsets, u32 scales) {
  out[0] = multiplyHalves(addHalves(permuteBytes(bytes, 0x64646464u, 0x4140u), offsets), scales);
  out[1] = multiplyHalves(addHalves(permuteBytes(bytes, 0x64646464u, 0x4342u), offsets), scales);
}

/// Byte e of a word as 2^23 + q.
CUPOLA_DEVICE f32 raisedByte(u32 bytes, u32 e) { return bitsToFloat(permuteBytes(bytes, 0x4b000000u, 0x7440u + e)); }

} // namespace cupola_device

/// out[e] = ((bytes[e] >> shift & 15) + offset) * scale, rounded once; `shift` is 0 or 4, N a multiple of 4.
template <class T, int N, class S>
CUPOLA_DEVICE void cu_unpack(vec<T, N> &out, const vec<u8, N> &bytes, u8 shift, i8 offset, S scale) {
  using namespace cupola_device;
  u32 words[N / 4];
  memcpy(words, &bytes, N);
  CUPOLA_UNROLL
  for (int w = 0; w < N / 4; ++w) {
    const u32 numbers = maskWord(words[w] >> shift, 0x0f0f0f0fu);
    if constexpr (isSame<T, f16> && isSame<S, f16>) {
      u32 pairs[2];
      const u32 less = f16(static_cast<f32>(offset) - 1024.0f).bits;
      scaledHalves(pairs, numbers, less << 16 | less, static_cast<u32>(scale.bits) << 16 | scale.bits);
      memcpy(&out.v[4 * w], pairs, sizeof(pairs));
    } else {
      CUPOLA_UNROLL
      for (int e = 0; e < 4; ++e)
        out[4 * w + e] =
            cu_cast<T>((raisedByte(numbers, e) + (static_cast<f32>(offset) - 8388608.0f)) * cu_cast<f32>(scale));
    }
  }
}

#endif
