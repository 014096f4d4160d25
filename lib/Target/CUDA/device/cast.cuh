//===- lib/Target/CUDA/device/cast.cuh - conversions between element types, as ONNX Cast says ---===//
// SPDX-License-Identifier: Apache-2.0
//
// cu_cast<To>(x):
//   integer -> integer  drops the high bits;
//   float -> integer    towards zero; where ONNX leaves it undefined: clamped to the range, NaN becomes 0;
//   anything -> bool    x != 0 (NaN is true);   bool -> anything  0 or 1;
//   to a float type     rounded once to nearest even; overflow gives infinity;
//   float8              is only cast from.
// cu_saturate<To>(x): rounds to nearest even and clamps to the range (the quantising ops); NaN becomes 0.
#ifndef CUPOLA_DEVICE_CAST_CUH
#define CUPOLA_DEVICE_CAST_CUH

#include "integer.cuh"

namespace cupola_device {

template <class T> struct Limits;
#define CUPOLA_LIMITS(T, LOW, HIGH)                                                                                    \
  template <> struct Limits<T> {                                                                                       \
    static CUPOLA_MEMBER T lowest() { return LOW; }                                                                    \
    static CUPOLA_MEMBER T highest() { return HIGH; }                                                                  \
  };
CUPOLA_LIMITS(i8, -128, 127)
CUPOLA_LIMITS(i16, -32768, 32767)
CUPOLA_LIMITS(i32, -2147483647 - 1, 2147483647)
CUPOLA_LIMITS(i64, -9223372036854775807ll - 1, 9223372036854775807ll)
CUPOLA_LIMITS(u8, 0, 255)
CUPOLA_LIMITS(u16, 0, 65535)
CUPOLA_LIMITS(u32, 0, 4294967295u)
CUPOLA_LIMITS(u64, 0, 18446744073709551615ull)
CUPOLA_LIMITS(f32, f32_bits(0xff800000u), f32_bits(0x7f800000u))
CUPOLA_LIMITS(f64, f64_bits(0xfff0000000000000ull), f64_bits(0x7ff0000000000000ull))
CUPOLA_LIMITS(f16, f16_bits(0xfc00u), f16_bits(0x7c00u))
CUPOLA_LIMITS(bf16, bf16_bits(0xff80u), bf16_bits(0x7f80u))
#undef CUPOLA_LIMITS

template <class T> inline constexpr bool isNarrowFloat = false;
template <> inline constexpr bool isNarrowFloat<f16> = true;
template <> inline constexpr bool isNarrowFloat<bf16> = true;
template <> inline constexpr bool isNarrowFloat<f8e4m3fn> = true; // on the left alone
template <> inline constexpr bool isNarrowFloat<f8e5m2> = true;

template <class To> CUPOLA_DEVICE To clampTo(i32 x) {
  const i32 low = Limits<To>::lowest(), high = Limits<To>::highest();
  return static_cast<To>(x < low ? low : x > high ? high : x);
}

/// Float to integer: towards zero, clamped, NaN becomes 0.
template <class To> CUPOLA_DEVICE To truncateTo(f32 x) { return clampTo<To>(floatToI32(x)); }
template <> CUPOLA_MEMBER i32 truncateTo<i32>(f32 x) { return floatToI32(x); }
template <> CUPOLA_MEMBER u32 truncateTo<u32>(f32 x) { return floatToU32(x); }
template <> CUPOLA_MEMBER i64 truncateTo<i64>(f32 x) { return floatToI64(x); }
template <> CUPOLA_MEMBER u64 truncateTo<u64>(f32 x) { return floatToU64(x); }
template <class To> CUPOLA_DEVICE To truncateTo(f64 x) { return clampTo<To>(doubleToI32(x)); }
template <> CUPOLA_MEMBER i32 truncateTo<i32>(f64 x) { return doubleToI32(x); }
template <> CUPOLA_MEMBER u32 truncateTo<u32>(f64 x) { return doubleToU32(x); }
template <> CUPOLA_MEMBER i64 truncateTo<i64>(f64 x) { return doubleToI64(x); }
template <> CUPOLA_MEMBER u64 truncateTo<u64>(f64 x) { return doubleToU64(x); }

/// 64-bit integer to f64 rounded to odd, so that the rounding to f16 or bf16 after it is the only one.
CUPOLA_DEVICE f64 integerToDoubleOdd(i64 x) {
  const bool negative = x < 0;
  u64 magnitude = negative ? 0 - static_cast<u64>(x) : static_cast<u64>(x);
  if (magnitude >> 53)
    magnitude = (magnitude & ~0x7ffull) | (magnitude & 0x7ffull ? 0x800ull : 0ull);
  const f64 value = static_cast<f64>(magnitude);
  return negative ? -value : value;
}

template <class To, class From> CUPOLA_DEVICE To integerToNarrow(From x) {
  if constexpr (sizeof(From) < 8)
    return To(static_cast<f64>(x));
  else if constexpr (isSigned<From>)
    return To(integerToDoubleOdd(x));
  else
    return To(x >> 63 ? 2.0 * integerToDoubleOdd(static_cast<i64>((x >> 1) | (x & 1))) : integerToDoubleOdd(x));
}

} // namespace cupola_device

template <class T> CUPOLA_DEVICE T cu_lowest() { return cupola_device::Limits<T>::lowest(); }
template <class T> CUPOLA_DEVICE T cu_highest() { return cupola_device::Limits<T>::highest(); }

template <class To, class From> CUPOLA_DEVICE To cu_cast(From x) {
  using namespace cupola_device;
  if constexpr (isNarrowFloat<From>) {
    return cu_cast<To>(f32(x));
  } else if constexpr (isNarrowFloat<To>) {
    if constexpr (IsInteger<From>::value)
      return integerToNarrow<To>(x);
    else if constexpr (sizeof(From) == 1)
      return To(x ? 1.0f : 0.0f);
    else
      return To(x);
  } else if constexpr (IsInteger<To>::value && !IsInteger<From>::value && sizeof(From) >= 4) {
    return truncateTo<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <class To> CUPOLA_DEVICE To cu_saturate(f32 x) { return cu_cast<To>(rintf(x)); }
template <class To> CUPOLA_DEVICE To cu_saturate(i32 x) { return cupola_device::clampTo<To>(x); }

/// The bits of a value, as an integer of the same size, and back.
template <class To, class From> CUPOLA_DEVICE To cu_bitcast(From x) {
  static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
  To out;
  memcpy(&out, &x, sizeof(To));
  return out;
}

#endif
