//===- lib/Target/CUDA/device/types.cuh - fixed-width types, f16, bf16 and float8 ---===//
// SPDX-License-Identifier: Apache-2.0
//
// f16 and bf16 are storage types: arithmetic on them is done in f32 and rounded once. For + - * / that is the correctly
// rounded result of the narrow type, since f32 has more than twice their precision. float8 is read alone.
#ifndef CUPOLA_DEVICE_TYPES_CUH
#define CUPOLA_DEVICE_TYPES_CUH

#include "primitives.cuh"

using i8 = signed char;
using u8 = unsigned char;
using i16 = short;
using u16 = unsigned short;
using i32 = int;
using u32 = unsigned;
using i64 = long long;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;

static_assert(sizeof(i32) == 4 && sizeof(i64) == 8 && sizeof(void *) == 8, "64-bit target with 32-bit int");

/// Constants by their exact bits: the only way to write infinities and NaNs.
CUPOLA_DEVICE f32 f32_bits(u32 bits) { return cupola_device::bitsToFloat(bits); }
CUPOLA_DEVICE f64 f64_bits(u64 bits) { return cupola_device::bitsToDouble(bits); }

namespace cupola_device {

CUPOLA_DEVICE float bf16ToFloat(unsigned short bits) { return bitsToFloat(static_cast<unsigned>(bits) << 16); }

/// Round to nearest even; a NaN stays a (quiet) NaN.
CUPOLA_DEVICE unsigned short floatToBf16(float x) {
  const unsigned bits = floatToBits(x);
  if (x != x)
    return static_cast<unsigned short>((bits >> 16) | 0x40u);
  return static_cast<unsigned short>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/// f64 to f32, rounded to odd: rounding the result once more to a much narrower type equals rounding once.
CUPOLA_DEVICE float doubleToFloatOdd(double x) {
  const float nearest = static_cast<float>(x);
  const double error = x - static_cast<double>(nearest);
  unsigned bits = floatToBits(nearest);
  if (error == 0 || error != error || (bits & 1u) != 0 || (bits & 0x7fffffffu) == 0x7f800000u)
    return nearest;
  const bool towardsZero = (error > 0) != (x > 0);
  if ((bits & 0x7fffffffu) == 0)
    return bitsToFloat((x < 0 ? 0x80000000u : 0u) | 1u);
  return bitsToFloat(towardsZero ? bits - 1 : bits + 1);
}

} // namespace cupola_device

struct alignas(2) f16 {
  u16 bits;
  f16() = default;
  CUPOLA_MEMBER explicit f16(f32 x) : bits(cupola_device::floatToHalf(x)) {}
  CUPOLA_MEMBER explicit f16(f64 x) : bits(cupola_device::doubleToHalf(x)) {}
  CUPOLA_MEMBER explicit operator f32() const { return cupola_device::halfToFloat(bits); }
};

struct alignas(2) bf16 {
  u16 bits;
  bf16() = default;
  CUPOLA_MEMBER explicit bf16(f32 x) : bits(cupola_device::floatToBf16(x)) {}
  CUPOLA_MEMBER explicit bf16(f64 x) : bits(cupola_device::floatToBf16(cupola_device::doubleToFloatOdd(x))) {}
  CUPOLA_MEMBER explicit operator f32() const { return cupola_device::bf16ToFloat(bits); }
};

CUPOLA_DEVICE f16 f16_bits(u16 bits) {
  f16 x;
  x.bits = bits;
  return x;
}
CUPOLA_DEVICE bf16 bf16_bits(u16 bits) {
  bf16 x;
  x.bits = bits;
  return x;
}

namespace cupola_device {
/// Where no instruction does: the bits but for the sign, moved to where f16 has them, are 2^-8 of the number; all of
/// them set are NaN.
template <bool HasInstruction> CUPOLA_DEVICE f32 e4m3ToFloat(u32 bits) {
  if constexpr (HasInstruction)
    return halfToFloat(static_cast<u16>(halvesOfE4M3(bits)));
  const f32 part = halfToFloat(static_cast<u16>((bits & 0x80u) << 8 | (bits & 0x7fu) << 7));
  return (bits & 0x7fu) == 0x7fu ? f32_bits(0x7fc00000u) : part * 256.0f;
}
} // namespace cupola_device

struct f8e4m3fn {
  u8 bits;
  f8e4m3fn() = default;
  CUPOLA_MEMBER explicit operator f32() const { return cupola_device::e4m3ToFloat<(CUPOLA_ARCH >= 890)>(bits); }
};

/// The upper half of an f16.
struct f8e5m2 {
  u8 bits;
  f8e5m2() = default;
  CUPOLA_MEMBER explicit operator f32() const { return cupola_device::halfToFloat(static_cast<u16>(bits << 8)); }
};

CUPOLA_DEVICE f8e4m3fn f8e4m3fn_bits(u8 bits) {
  f8e4m3fn x;
  x.bits = bits;
  return x;
}
CUPOLA_DEVICE f8e5m2 f8e5m2_bits(u8 bits) {
  f8e5m2 x;
  x.bits = bits;
  return x;
}

#define CUPOLA_NARROW_FLOAT(T)                                                                                         \
  CUPOLA_DEVICE T operator+(T a, T b) { return T(f32(a) + f32(b)); }                                                   \
  CUPOLA_DEVICE T operator-(T a, T b) { return T(f32(a) - f32(b)); }                                                   \
  CUPOLA_DEVICE T operator*(T a, T b) { return T(f32(a) * f32(b)); }                                                   \
  CUPOLA_DEVICE T operator/(T a, T b) { return T(f32(a) / f32(b)); }                                                   \
  CUPOLA_DEVICE T operator-(T a) { return T##_bits(static_cast<u16>(a.bits ^ 0x8000u)); }                              \
  CUPOLA_DEVICE bool operator==(T a, T b) { return f32(a) == f32(b); }                                                 \
  CUPOLA_DEVICE bool operator!=(T a, T b) { return f32(a) != f32(b); }                                                 \
  CUPOLA_DEVICE bool operator<(T a, T b) { return f32(a) < f32(b); }                                                   \
  CUPOLA_DEVICE bool operator<=(T a, T b) { return f32(a) <= f32(b); }                                                 \
  CUPOLA_DEVICE bool operator>(T a, T b) { return f32(a) > f32(b); }                                                   \
  CUPOLA_DEVICE bool operator>=(T a, T b) { return f32(a) >= f32(b); }
CUPOLA_NARROW_FLOAT(f16)
CUPOLA_NARROW_FLOAT(bf16)
#undef CUPOLA_NARROW_FLOAT

#endif
