//===- lib/Reference/Number.cpp - exact conversions ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Reference/Number.h"

namespace cupola::reference {

namespace {

double magnitudeToOdd(uint64_t value) {
  if (value >> 53 == 0)
    return static_cast<double>(value);
  // Twelve bits go; whether any was set stays visible in the lowest one that is kept.
  return static_cast<double>((value & ~0xfffull) | ((value & 0xfffull) ? 0x1000ull : 0));
}

} // namespace

double largeToOdd(uint64_t value) { return magnitudeToOdd(value); }
double largeToOdd(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  return value < 0 ? -magnitudeToOdd(0 - bits) : magnitudeToOdd(bits);
}

} // namespace cupola::reference
