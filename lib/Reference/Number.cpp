//===- lib/Reference/Number.cpp - 16-bit floats and exact conversions ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Reference/Number.h"

namespace cupola::reference {

namespace {

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
      value = std::ldexp(fraction, lowest - precision + 1);
    else
      value = std::ldexp(fraction + (1u << (precision - 1)), field + lowest - precision);
    return bits & 0x8000u ? -value : value;
  }

  static uint16_t encode(double value) {
    const uint32_t sign = std::signbit(value) ? 0x8000u : 0;
    if (std::isnan(value))
      return sign | infinity | 1u << (precision - 2);
    const double magnitude = std::fabs(value);
    if (magnitude >= std::ldexp(1.0, 2 - lowest))
      return sign | infinity;
    if (magnitude == 0)
      return sign;
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    const int base = std::max(exponent - 1, lowest);
    // Units in the last place, rounded half to even; a carry runs into the exponent.
    const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, precision - 1 - base)));
    const uint32_t bits = (static_cast<uint32_t>(base - lowest) << (precision - 1)) + units;
    return sign | std::min(bits, infinity);
  }
};

using HalfFormat = Narrow<11, -14>;
using BFloatFormat = Narrow<8, -126>;

double magnitudeToOdd(uint64_t value) {
  if (value >> 53 == 0)
    return static_cast<double>(value);
  // Twelve bits go; whether any was set stays visible in the lowest one that is kept.
  return static_cast<double>((value & ~0xfffull) | ((value & 0xfffull) ? 0x1000ull : 0));
}

} // namespace

double widen(Half value) { return HalfFormat::decode(value.bits); }
double widen(BFloat value) { return BFloatFormat::decode(value.bits); }
Half narrowToHalf(double value) { return {HalfFormat::encode(value)}; }
BFloat narrowToBFloat(double value) { return {BFloatFormat::encode(value)}; }

double toOdd(uint64_t value) { return magnitudeToOdd(value); }
double toOdd(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  return value < 0 ? -magnitudeToOdd(0 - bits) : magnitudeToOdd(bits);
}

} // namespace cupola::reference
