//===- lib/Target/CUDA/device/unpack.cuh - vectors of bytes, and of numbers of four bits ---===//
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

/// Four halves 1024 + q + offset of four bytes q: elements 0 and 1, 2 and 3.
CUPOLA_DEVICE void raisedHalves(u32 (&out)[2], u32 bytes, u32 offsets) {
  out[0] = addHalves(permuteBytes(bytes, 0x64646464u, 0x4140u), offsets);
  out[1] = addHalves(permuteBytes(bytes, 0x64646464u, 0x4342u), offsets);
}

/// Byte e of a word as 2^23 + q.
CUPOLA_DEVICE f32 raisedByte(u32 bytes, u32 e) { return bitsToFloat(permuteBytes(bytes, 0x4b000000u, 0x7440u + e)); }

} // namespace cupola_device

/// The elements of `bytes`, in order: T has them all.
template <class T, int N, int M, class S> CUPOLA_DEVICE void cu_widen(vec<T, N> (&out)[M], const vec<S, N * M> &bytes) {
  using namespace cupola_device;
  if constexpr (isSame<T, f16> && N % 4 == 0 && (isSame<S, i8> || isSame<S, u8>)) {
    constexpr bool isSigned = isSame<S, i8>; // 128 more than they are, and less again
    constexpr u32 less = isSigned ? 0xe480e480u : 0xe400e400u;
    u32 words[N * M / 4];
    memcpy(words, &bytes, N * M);
    CUPOLA_UNROLL
    for (int w = 0; w < N * M / 4; ++w) {
      u32 pairs[2];
      raisedHalves(pairs, isSigned ? words[w] ^ 0x80808080u : words[w], less);
      memcpy(&out[4 * w / N].v[4 * w % N], pairs, sizeof(pairs));
    }
  } else {
    CUPOLA_UNROLL
    for (int e = 0; e < N * M; ++e)
      out[e / N][e % N] = cu_cast<T>(bytes[e]);
  }
}

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
      raisedHalves(pairs, numbers, less << 16 | less);
      for (u32 &pair : pairs)
        pair = multiplyHalves(pair, static_cast<u32>(scale.bits) << 16 | scale.bits);
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
