//===- lib/Target/CUDA/device/angle.cuh - sine, cosine and tangent without a stack ---===//
// SPDX-License-Identifier: Apache-2.0
//
// CUDA's own reduce large arguments in an array, which some architectures keep in local memory. Here x becomes n pi/2 +
// r, |r| <= pi/4: small ones by three constants (Cody and Waite), large ones by the product with those bits of 2/pi
// that matter (Payne and Hanek), in integers.
#ifndef CUPOLA_DEVICE_ANGLE_CUH
#define CUPOLA_DEVICE_ANGLE_CUH

#include "types.cuh"

namespace cupola_device {

struct Angle {
  u32 quarters; ///< n, mod 4
  f32 rest;     ///< r
};

/// 32 bits of 2/pi; those of word 0 stand before the point.
CUPOLA_DEVICE u64 twoOverPi(u32 word) {
  return word < 4 ? (word < 2 ? (word == 0 ? 0u : 0xa2f9836eu) : (word == 2 ? 0x4e441529u : 0xfc2757d1u))
                  : (word < 6 ? (word == 4 ? 0xf534ddc0u : 0xdb629599u) : (word == 6 ? 0x3c439041u : 0xfe5163abu));
}

/// 32 bits of 2/pi that begin `shift` bits after those of `word`.
CUPOLA_DEVICE u64 twoOverPiAt(u32 word, u32 shift) {
  return (((twoOverPi(word) << 32) | twoOverPi(word + 1)) << shift) >> 32;
}

/// |x| from 2^15 up, finite.
CUPOLA_DEVICE Angle reduceLarge(f32 x) {
  const u32 bits = floatToBits(x);
  const u64 mantissa = (bits & 0x7fffffu) | 0x800000u;
  // Bits of 2/pi before this position make multiples of 2 pi; 96 bits from there on are enough.
  const u32 position = ((bits >> 23) & 255u) - 120u;
  const u32 word = position / 32, shift = position % 32;
  const u64 high = mantissa * twoOverPiAt(word, shift), middle = mantissa * twoOverPiAt(word + 1, shift);
  const u64 low = mantissa * twoOverPiAt(word + 2, shift);
  const u64 turns = (high << 32) + middle + (low >> 32); // x 2/pi mod 4, with 62 bits behind the point
  const u64 quarters = (turns + (u64(1) << 61)) >> 62;
  const f32 rest = f32(f64(i64(turns - (quarters << 62))) * 3.4061215800865545e-19); // pi/2 2^-62
  const bool isNegative = (bits >> 31) != 0;
  return {u32(isNegative ? 0 - quarters : quarters) & 3u, isNegative ? -rest : rest};
}

CUPOLA_DEVICE Angle reduceAngle(f32 x) {
  if (fabsf(x) >= 32768.0f && fabsf(x) <= 3.402823466e+38f)
    return reduceLarge(x);
  const f32 shifted = fmaf(x, 0.636619772f, 12582912.0f),
            n = shifted - 12582912.0f; // 1.5 2^23: n stands in the last bits
  const f32 rest = fmaf(n, 1.7151245e-15f, fmaf(n, 4.371139e-08f, fmaf(n, -1.57079637f, x)));
  return {floatToBits(shifted) & 3u, n == 0 ? x : x - x == 0 ? rest : x - x}; // keeps -0; NaN of an infinity
}

/// For |r| <= pi/4, within 1 ulp.
CUPOLA_DEVICE f32 sineOf(f32 r) {
  const f32 s = r * r;
  return copysignf(fmaf(r * s, fmaf(s, fmaf(s, -0.00019515218f, 0.00833216f), -0.16666655f), r), r); // keeps -0
}
CUPOLA_DEVICE f32 cosineOf(f32 r) {
  const f32 s = r * r;
  return fmaf(s, fmaf(s, fmaf(s, fmaf(s, 2.4433082e-05f, -0.0013887315f), 0.041666646f), -0.5f), 1.0f);
}

CUPOLA_DEVICE f32 sine(f32 x) {
  const Angle a = reduceAngle(x);
  const f32 value = (a.quarters & 1u) != 0 ? cosineOf(a.rest) : sineOf(a.rest);
  return (a.quarters & 2u) != 0 ? -value : value;
}
CUPOLA_DEVICE f32 cosine(f32 x) {
  const Angle a = reduceAngle(x);
  const f32 value = (a.quarters & 1u) != 0 ? sineOf(a.rest) : cosineOf(a.rest);
  return ((a.quarters + 1u) & 2u) != 0 ? -value : value;
}
CUPOLA_DEVICE f32 tangent(f32 x) {
  const Angle a = reduceAngle(x);
  return (a.quarters & 1u) != 0 ? -cosineOf(a.rest) / sineOf(a.rest) : sineOf(a.rest) / cosineOf(a.rest);
}

} // namespace cupola_device

#endif // CUPOLA_DEVICE_ANGLE_CUH
