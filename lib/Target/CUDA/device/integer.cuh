//===- lib/Target/CUDA/device/integer.cuh - integer arithmetic with one meaning ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Tensor arithmetic wraps around (two's complement) where C++ leaves signed overflow undefined; division by zero gives
// 0, as numpy does. Index arithmetic uses the plain operators, whose overflow the simulator reports.
#ifndef CUPOLA_DEVICE_INTEGER_CUH
#define CUPOLA_DEVICE_INTEGER_CUH

#include "types.cuh"

namespace cupola_device {
template <class T> struct Unsigned {
  using Type = T;
};
template <> struct Unsigned<i8> {
  using Type = u8;
};
template <> struct Unsigned<i16> {
  using Type = u16;
};
template <> struct Unsigned<i32> {
  using Type = u32;
};
template <> struct Unsigned<i64> {
  using Type = u64;
};

template <class T> struct IsInteger {
  static constexpr bool value = false;
};
#define CUPOLA_INTEGER(T)                                                                                              \
  template <> struct IsInteger<T> {                                                                                    \
    static constexpr bool value = true;                                                                                \
  };
CUPOLA_INTEGER(i8)
CUPOLA_INTEGER(i16)
CUPOLA_INTEGER(i32)
CUPOLA_INTEGER(i64)
CUPOLA_INTEGER(u8)
CUPOLA_INTEGER(u16)
CUPOLA_INTEGER(u32)
CUPOLA_INTEGER(u64)
#undef CUPOLA_INTEGER

template <class T> constexpr bool isSigned = T(-1) < T(0);

/// Wide enough an unsigned type that no product of two T overflows as a promoted int.
template <class T> CUPOLA_DEVICE u64 toWord(T x) { return static_cast<u64>(x); }
template <class T> CUPOLA_DEVICE T fromWord(u64 x) {
  return static_cast<T>(static_cast<typename Unsigned<T>::Type>(x));
}
} // namespace cupola_device

/// + - * and negation for tensors of any element type: integers wrap, floats are ordinary.
template <class T> CUPOLA_DEVICE T cu_add(T a, T b) {
  if constexpr (cupola_device::IsInteger<T>::value)
    return cupola_device::fromWord<T>(cupola_device::toWord(a) + cupola_device::toWord(b));
  else
    return a + b;
}
template <class T> CUPOLA_DEVICE T cu_sub(T a, T b) {
  if constexpr (cupola_device::IsInteger<T>::value)
    return cupola_device::fromWord<T>(cupola_device::toWord(a) - cupola_device::toWord(b));
  else
    return a - b;
}
template <class T> CUPOLA_DEVICE T cu_mul(T a, T b) {
  if constexpr (cupola_device::IsInteger<T>::value)
    return cupola_device::fromWord<T>(cupola_device::toWord(a) * cupola_device::toWord(b));
  else
    return a * b;
}
template <class T> CUPOLA_DEVICE T cu_neg(T a) {
  if constexpr (cupola_device::IsInteger<T>::value)
    return cupola_device::fromWord<T>(0 - cupola_device::toWord(a));
  else
    return -a;
}

/// Quotient rounded towards zero. x / 0 = 0; the one signed overflow (lowest / -1) wraps.
template <class T> CUPOLA_DEVICE T cu_div_trunc(T a, T b) {
  if (b == 0)
    return 0;
  if (cupola_device::isSigned<T> && b == T(-1))
    return cu_neg(a);
  return static_cast<T>(a / b);
}
/// Remainder with the sign of the dividend (C's %). x % 0 = 0.
template <class T> CUPOLA_DEVICE T cu_mod_trunc(T a, T b) {
  if (b == 0 || (cupola_device::isSigned<T> && b == T(-1)))
    return 0;
  return static_cast<T>(a % b);
}
/// Quotient rounded towards minus infinity.
template <class T> CUPOLA_DEVICE T cu_div_floor(T a, T b) {
  const T q = cu_div_trunc(a, b);
  return cu_mod_trunc(a, b) != 0 && (a < 0) != (b < 0) ? static_cast<T>(q - 1) : q;
}
/// Remainder with the sign of the divisor (numpy's and ONNX Mod's with fmod = 0).
template <class T> CUPOLA_DEVICE T cu_mod_floor(T a, T b) {
  const T r = cu_mod_trunc(a, b);
  return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
}

/// Shifts. A count outside [0, width) shifts everything out: 0, or the sign for a signed right shift.
template <class T> CUPOLA_DEVICE T cu_shl(T a, T count) {
  const u64 n = cupola_device::toWord(count);
  return n >= sizeof(T) * 8 ? T(0) : cupola_device::fromWord<T>(cupola_device::toWord(a) << n);
}
template <class T> CUPOLA_DEVICE T cu_shr(T a, T count) {
  const u64 n = cupola_device::toWord(count);
  if (n >= sizeof(T) * 8)
    return a < 0 ? T(-1) : T(0);
  return static_cast<T>(a >> n);
}

CUPOLA_DEVICE u32 cu_ceil_div(u32 a, u32 b) { return (a + b - 1) / b; }

#endif
