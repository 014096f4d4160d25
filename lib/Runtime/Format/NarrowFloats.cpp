//===- lib/Runtime/Format/NarrowFloats.cpp - floats of up to 8 bits ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/NarrowFloats.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cupola::format {

/// Of a code that is a number.
static double numberOf(const NarrowFloat &type, unsigned code) {
  const unsigned field = code >> type.fraction, fraction = code & ((1U << type.fraction) - 1);
  if (field == 0 && type.isSigned)
    return std::ldexp(fraction, 1 - type.bias - type.fraction);
  return std::ldexp((1U << type.fraction) + fraction, static_cast<int>(field) - type.bias - type.fraction);
}

double decoded(const NarrowFloat &type, unsigned bits) {
  const unsigned sign = bits & signBit(type), code = bits - sign;
  double value = std::numeric_limits<double>::quiet_NaN();
  if (code <= type.largest && !(sign && code == 0 && !type.hasNegativeZero))
    value = numberOf(type, code);
  else if (type.infinity && code == type.infinity)
    value = std::numeric_limits<double>::infinity();
  return sign ? -value : value;
}

unsigned encoded(const NarrowFloat &type, double value) {
  const double size = std::fabs(value);
  unsigned low = 0, high = type.largest; // the number of `low` is at most `size`, unless that is below all
  while (low < high) {
    const unsigned middle = low + (high - low + 1) / 2;
    if (numberOf(type, middle) <= size)
      low = middle;
    else
      high = middle - 1;
  }
  if (low < type.largest) {
    const double below = size - numberOf(type, low), above = numberOf(type, low + 1) - size;
    low += above < below || (above == below && low % 2 == 1);
  }
  const bool isNegative = std::signbit(value) && (low != 0 || type.hasNegativeZero);
  return low | (isNegative ? signBit(type) : 0);
}

} // namespace cupola::format
