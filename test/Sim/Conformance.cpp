//===- test/Sim/Conformance.cpp - Number formats and comparisons of the conformance cases ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/Conformance.h"

#include <cmath>
#include <limits>

namespace cupola::test {

namespace {

/// The distance between neighbours of the format around `x` (finite), as an exponent of two.
int quantum(const FloatFormat &format, long double x) {
  int exponent = format.lowest;
  if (x != 0)
    exponent = std::max(std::ilogb(x), format.lowest);
  return exponent - format.mantissa;
}

} // namespace

std::vector<ConformanceCase> allConformanceCases() {
  std::vector<ConformanceCase> all;
  for (auto *part : {mathCases, integerCases, castCases, threadCases, memoryCases, matrixCases, byteMatrixCases,
                     float8MatrixCases, clusterCases, tensorCases})
    for (ConformanceCase &c : part()) {
      const size_t at = c.run.text.find(c.run.kernel + "(");
      c.run.text.replace(at, c.run.kernel.size(), "k_" + c.name);
      c.run.kernel = "k_" + c.name;
      all.push_back(std::move(c));
    }
  return all;
}

long double roundTo(const FloatFormat &format, long double x) {
  if (!std::isfinite(x) || x == 0)
    return x;
  const int q = quantum(format, x);
  const long double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -q)), q);
  if (std::fabs(rounded) >= std::ldexp(1.0L, format.highest + 1))
    return std::copysign(std::numeric_limits<long double>::infinity(), x);
  return rounded == 0 ? std::copysign(0.0L, x) : rounded;
}

uint64_t encode(const FloatFormat &format, long double x) {
  const int exponentBits = format.bytes * 8 - 1 - format.mantissa;
  const uint64_t ones = (uint64_t(1) << exponentBits) - 1;
  const uint64_t sign = std::signbit(x) ? uint64_t(1) << (format.bytes * 8 - 1) : 0;
  if (std::isnan(x))
    return ones << format.mantissa | uint64_t(1) << (format.mantissa - 1);
  if (std::isinf(x))
    return sign | ones << format.mantissa;
  if (x == 0)
    return sign;
  const int exponent = std::ilogb(x);
  const auto magnitude = static_cast<uint64_t>(std::ldexp(std::fabs(x), -quantum(format, x)));
  if (exponent < format.lowest)
    return sign | magnitude;
  const auto biased = static_cast<uint64_t>(exponent - format.lowest + 1);
  return sign | biased << format.mantissa | (magnitude & ((uint64_t(1) << format.mantissa) - 1));
}

long double decode(const FloatFormat &format, uint64_t bits) {
  const int exponentBits = format.bytes * 8 - 1 - format.mantissa;
  const uint64_t fraction = bits & ((uint64_t(1) << format.mantissa) - 1);
  const auto biased = static_cast<int>(bits >> format.mantissa & ((uint64_t(1) << exponentBits) - 1));
  const long double sign = bits >> (format.bytes * 8 - 1) & 1 ? -1.0L : 1.0L;
  if (biased == (1 << exponentBits) - 1)
    return fraction ? std::numeric_limits<long double>::quiet_NaN()
                    : sign * std::numeric_limits<long double>::infinity();
  const uint64_t magnitude = biased ? fraction | uint64_t(1) << format.mantissa : fraction;
  return sign *
         std::ldexp(static_cast<long double>(magnitude), std::max(biased - 1, 0) + format.lowest - format.mantissa);
}

std::string encodeAll(const FloatFormat &format, const std::vector<long double> &values) {
  std::string bytes;
  for (long double x : values) {
    const uint64_t bits = encode(format, x);
    bytes.append(reinterpret_cast<const char *>(&bits), static_cast<size_t>(format.bytes));
  }
  return bytes;
}

std::vector<long double> decodeAll(const FloatFormat &format, const std::string &bytes) {
  std::vector<long double> values;
  for (size_t at = 0; at + static_cast<size_t>(format.bytes) <= bytes.size(); at += static_cast<size_t>(format.bytes)) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, static_cast<size_t>(format.bytes));
    values.push_back(decode(format, bits));
  }
  return values;
}

std::string compareFloats(const FloatFormat &format, const std::string &found, const std::vector<long double> &expected,
                          double ulps, double absolute) {
  const std::vector<long double> values = decodeAll(format, found);
  if (values.size() != expected.size())
    return "found " + std::to_string(values.size()) + " elements, expected " + std::to_string(expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const long double x = values[i], y = expected[i];
    if ((std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y)))
      continue;
    const bool finite = std::isfinite(x) && std::isfinite(y);
    if (ulps > 0 && finite &&
        std::fabs(x - y) <= std::ldexp(static_cast<long double>(ulps), quantum(format, y)) + absolute)
      continue;
    char text[160];
    std::snprintf(text, sizeof text, "element %zu: found %.20Lg, expected %.20Lg within %g ulp", i, x, y, ulps);
    return text;
  }
  return "";
}

std::string compareBytes(const std::string &found, const std::string &expected) {
  if (found.size() != expected.size())
    return "found " + std::to_string(found.size()) + " bytes, expected " + std::to_string(expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    if (found[i] != expected[i])
      return "byte " + std::to_string(i) + ": found " + std::to_string(static_cast<uint8_t>(found[i])) + ", expected " +
             std::to_string(static_cast<uint8_t>(expected[i]));
  return "";
}

uint64_t Numbers::next() {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  uint64_t x = state;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  return (x ^ x >> 27) * 0x94d049bb133111ebull;
}

} // namespace cupola::test
