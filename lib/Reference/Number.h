//===- lib/Reference/Number.h - element types and the types they are computed in ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Floats are computed in double, integers in 64 bits, and every result is rounded
// once to its element type.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_REFERENCE_NUMBER_H
#define CUPOLA_LIB_REFERENCE_NUMBER_H

#include "lib/Runtime/Format/NarrowFloats.h"
#include "lib/Runtime/Format/Plan.h"

#include "llvm/Support/ErrorHandling.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace cupola::reference {

// Stored forms that C++ has no type for.
struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};
template <format::DType type> struct Float8 {
  uint8_t bits;
};
using E4M3 = Float8<format::DType::F8E4M3FN>;
using E5M2 = Float8<format::DType::F8E5M2>;
struct Bool {
  uint8_t byte;
};

/// The double of these bits.
inline double fromBits(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
inline uint64_t toBits(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
inline constexpr int doubleBias = 1023, doubleFraction = 52;
/// 2^exponent, which is a normal double. std::ldexp takes ten times as long.
inline double powerOfTwo(int exponent) {
  return fromBits(static_cast<uint64_t>(exponent + doubleBias) << doubleFraction);
}

/// A 16-bit float of `precision` bits (the hidden one included) whose smallest
/// normal number is 2^lowest.
template <int precision, int lowest> struct Narrow {
  static constexpr int fieldBits = 16 - precision;
  static constexpr uint32_t infinity = ((1u << fieldBits) - 1) << (precision - 1);

  static double decode(uint16_t bits) {
    const uint32_t magnitude = bits & 0x7fffu, fraction = magnitude & ((1u << (precision - 1)) - 1);
    const int field = static_cast<int>(magnitude >> (precision - 1));
    double value;
    if (magnitude >= infinity)
      value = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    else if (field == 0)
      value = fraction * powerOfTwo(lowest - precision + 1);
    else
      value = fromBits(static_cast<uint64_t>(field + lowest - 1 + doubleBias) << doubleFraction |
                       static_cast<uint64_t>(fraction) << (doubleFraction - precision + 1));
    return bits & 0x8000u ? -value : value;
  }

  static uint16_t encode(double value) {
    const uint32_t sign = std::signbit(value) ? 0x8000u : 0;
    if (std::isnan(value))
      return sign | infinity | 1u << (precision - 2);
    const double magnitude = std::fabs(value);
    if (magnitude >= powerOfTwo(2 - lowest))
      return sign | infinity;
    const int base = std::max(static_cast<int>(toBits(magnitude) >> doubleFraction) - doubleBias, lowest);
    // Units in the last place, rounded half to even, as sums beyond 2^52 are; a carry runs into the exponent.
    const double scaled = magnitude * powerOfTwo(precision - 1 - base), shift = powerOfTwo(doubleFraction);
    const auto units = static_cast<uint32_t>((scaled + shift) - shift);
    const uint32_t bits = (static_cast<uint32_t>(base - lowest) << (precision - 1)) + units;
    return sign | std::min(bits, infinity);
  }
};

using HalfFormat = Narrow<11, -14>;
using BFloatFormat = Narrow<8, -126>;

// Inline: products of 16-bit matrices widen every element several times.
inline double widen(Half value) { return HalfFormat::decode(value.bits); }
inline double widen(BFloat value) { return BFloatFormat::decode(value.bits); }
template <format::DType type> double widen(Float8<type> value) {
  return format::decoded(*format::narrowFloatOf(type), value.bits);
}
inline Half narrowToHalf(double value) { return {HalfFormat::encode(value)}; }
inline BFloat narrowToBFloat(double value) { return {BFloatFormat::encode(value)}; }

/// The double next to `value` whose last bit says whether it is exact: rounding it
/// again to a float of at most 40 bits gives what rounding `value` once would.
double largeToOdd(int64_t value);
double largeToOdd(uint64_t value);
constexpr int64_t exactInDouble = int64_t(1) << 53;
inline double toOdd(int64_t value) {
  return value >= -exactInDouble && value <= exactInDouble ? static_cast<double>(value) : largeToOdd(value);
}
inline double toOdd(uint64_t value) {
  return value <= static_cast<uint64_t>(exactInDouble) ? static_cast<double>(value) : largeToOdd(value);
}
inline double toOdd(double value) { return value; }

template <class T> inline constexpr bool isFloat8 = std::is_same_v<T, E4M3> || std::is_same_v<T, E5M2>;
template <class T>
inline constexpr bool isShortFloat = std::is_same_v<T, Half> || std::is_same_v<T, BFloat> || isFloat8<T>;

/// The type in which elements of T are computed: double, int64_t or uint64_t.
template <class T>
using WideOf = std::conditional_t<std::is_floating_point_v<T> || isShortFloat<T>, double,
                                  std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

template <class W, class T> W load(T value) {
  if constexpr (isShortFloat<T>)
    return static_cast<W>(widen(value));
  else if constexpr (std::is_same_v<T, Bool>)
    return value.byte != 0;
  else
    return static_cast<W>(value);
}

/// One step of a product; integers wrap.
inline double multiplyAdd(double sum, double a, double b) { return sum + a * b; }
inline uint64_t multiplyAdd(uint64_t sum, uint64_t a, uint64_t b) { return sum + a * b; }

/// Towards zero, clamped to the range; NaN becomes 0.
template <class T> T saturate(double value) {
  if (std::isnan(value))
    return 0;
  // One above the highest value is a power of two, and exact.
  const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (value >= end)
    return std::numeric_limits<T>::max();
  if (value <= static_cast<double>(std::numeric_limits<T>::lowest()))
    return std::numeric_limits<T>::lowest();
  return static_cast<T>(value);
}

/// The conversion of graph.cast.
template <class T, class W> T store(W value) {
  if constexpr (std::is_same_v<T, Bool>)
    return {value != 0};
  else if constexpr (isFloat8<T>)
    llvm_unreachable("nothing becomes float8");
  else if constexpr (std::is_same_v<T, Half>)
    return narrowToHalf(toOdd(value));
  else if constexpr (std::is_same_v<T, BFloat>)
    return narrowToBFloat(toOdd(value));
  else if constexpr (std::is_same_v<T, float>)
    return static_cast<float>(toOdd(value));
  else if constexpr (std::is_same_v<T, double>)
    return static_cast<double>(value);
  else if constexpr (std::is_same_v<W, double>)
    return saturate<T>(value);
  else
    return static_cast<T>(static_cast<uint64_t>(value)); // drops the high bits
}

/// Calls `visit` with a value of the stored type.
template <class Visitor> decltype(auto) withStored(format::DType dtype, Visitor visit) {
  using format::DType;
  switch (dtype) {
  case DType::F32:
    return visit(float());
  case DType::F16:
    return visit(Half());
  case DType::BF16:
    return visit(BFloat());
  case DType::F64:
    return visit(double());
  case DType::I8:
    return visit(int8_t());
  case DType::I16:
    return visit(int16_t());
  case DType::I32:
    return visit(int32_t());
  case DType::I64:
    return visit(int64_t());
  case DType::U8:
    return visit(uint8_t());
  case DType::U16:
    return visit(uint16_t());
  case DType::U32:
    return visit(uint32_t());
  case DType::U64:
    return visit(uint64_t());
  case DType::Bool:
    return visit(Bool());
  case DType::F8E4M3FN:
    return visit(E4M3());
  case DType::F8E5M2:
    return visit(E5M2());
  default:
    llvm_unreachable("types of the interface alone are stored as others");
  }
}

/// Calls `visit` with a value of the type that `dtype` is computed in.
template <class Visitor> decltype(auto) withWide(format::DType dtype, Visitor visit) {
  using format::DType;
  if (format::isFloat(dtype) || dtype == DType::F8E4M3FN || dtype == DType::F8E5M2)
    return visit(double());
  bool isSigned = dtype >= DType::I8 && dtype <= DType::I64;
  return isSigned ? visit(int64_t()) : visit(uint64_t());
}

} // namespace cupola::reference

#endif // CUPOLA_LIB_REFERENCE_NUMBER_H
