//===- lib/Runtime/Tools/Compare.cpp - outputs against references ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Tools/Compare.h"

#include "lib/Runtime/Format/NarrowFloats.h"
#include "lib/Runtime/ShapeBinding.h"
#include "lib/Runtime/Text.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace cupola::runtime {

using format::DType;

namespace {

bool isReal(DType dtype) { return format::isFloat(dtype) || format::narrowFloatOf(dtype); }

/// An element of any float type as double; exact.
double readFloat(DType dtype, const uint8_t *bytes, uint64_t i) {
  if (const format::NarrowFloat *type = format::narrowFloatOf(dtype))
    return format::decoded(*type, bytes[i]);
  if (dtype == DType::F64) {
    double value;
    std::memcpy(&value, bytes + 8 * i, 8);
    return value;
  }
  if (dtype == DType::F32) {
    float value;
    std::memcpy(&value, bytes + 4 * i, 4);
    return value;
  }
  uint16_t half;
  std::memcpy(&half, bytes + 2 * i, 2);
  if (dtype == DType::BF16) {
    uint32_t bits = static_cast<uint32_t>(half) << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  int exponent = half >> 10 & 31, fraction = half & 1023;
  double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                     : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                    : std::ldexp(fraction, -24);
  return half & 0x8000 ? -magnitude : magnitude;
}

void compareFloats(const npz::Array &value, const npz::Array &reference, double tolerance, Difference &difference) {
  double largest = 0;
  for (uint64_t i = 0; i < difference.elements; ++i) {
    double b = std::fabs(readFloat(reference.dtype, reference.bytes.data(), i));
    if (std::isfinite(b))
      largest = std::max(largest, b);
  }
  difference.pass = true;
  double worst = -1;
  for (uint64_t i = 0; i < difference.elements; ++i) {
    double a = readFloat(value.dtype, value.bytes.data(), i);
    double b = readFloat(reference.dtype, reference.bytes.data(), i);
    if (!std::isfinite(a) || !std::isfinite(b)) {
      bool same = (std::isnan(a) && std::isnan(b)) || a == b;
      if (!same && difference.problem.empty()) {
        difference.problem = "found " + std::to_string(a) + ", expected " + std::to_string(b);
        difference.index = i;
        difference.pass = false;
      }
      continue;
    }
    double error = std::fabs(a - b), scale = largest + std::fabs(b);
    if (error > tolerance * scale)
      difference.pass = false;
    if (error > worst && difference.problem.empty()) {
      worst = error;
      difference.index = i;
    }
    difference.maxAbs = std::max(difference.maxAbs, error);
    if (scale > 0)
      difference.maxRel = std::max(difference.maxRel, error / scale);
  }
}

bool isSame(const npz::Array &value, const npz::Array &reference, uint64_t i) {
  if (value.dtype == DType::String)
    return value.texts[i] == reference.texts[i];
  const size_t size = format::byteSize(value.dtype);
  return std::memcmp(value.bytes.data() + i * size, reference.bytes.data() + i * size, size) == 0;
}

/// An integer or bool; exact.
long double readInteger(const npz::Array &array, uint64_t i) {
  const size_t size = format::byteSize(array.dtype);
  uint64_t bits = 0;
  std::memcpy(&bits, array.bytes.data() + i * size, size); // the low bytes come first
  if (format::rowOf(array.dtype).number != format::NumberClass::Int)
    return static_cast<long double>(bits);
  const unsigned unused = 64 - 8 * static_cast<unsigned>(size);
  return static_cast<long double>(static_cast<int64_t>(bits << unused) >> unused);
}

/// How far those are apart that are not equal.
void measureIntegers(const npz::Array &value, const npz::Array &reference, Difference &difference) {
  long double largest = 0;
  for (uint64_t i = 0; i < difference.elements; ++i)
    largest = std::max(largest, std::fabs(readInteger(reference, i)));
  for (uint64_t i = 0; i < difference.elements; ++i) {
    const long double b = readInteger(reference, i), error = std::fabs(readInteger(value, i) - b);
    if (static_cast<double>(error) > difference.maxAbs) {
      difference.maxAbs = static_cast<double>(error);
      difference.index = i;
    }
    if (const long double scale = largest + std::fabs(b); scale > 0)
      difference.maxRel = std::max(difference.maxRel, static_cast<double>(error / scale));
  }
}

void compareExactly(const npz::Array &value, const npz::Array &reference, Difference &difference) {
  uint64_t wrong = 0;
  for (uint64_t i = difference.elements; i-- > 0;)
    if (!isSame(value, reference, i)) {
      ++wrong;
      difference.index = i;
    }
  difference.pass = wrong == 0;
  if (wrong == 0)
    return;
  difference.problem = std::to_string(wrong) + (wrong == 1 ? " element is" : " elements are") + " not equal";
  if (value.dtype != DType::String)
    measureIntegers(value, reference, difference);
}

} // namespace

Difference compare(const npz::Array &value, const npz::Array &reference, double tolerance) {
  Difference difference;
  difference.name = reference.name;
  difference.elements = value.count();
  bool bothFloat = isReal(value.dtype) && isReal(reference.dtype);
  if (value.shape != reference.shape)
    difference.problem = "has shape " + shapeText(value.shape) + ", expected " + shapeText(reference.shape);
  else if (!bothFloat && value.dtype != reference.dtype)
    difference.problem =
        std::string("has type ") + format::dtypeName(value.dtype) + ", expected " + format::dtypeName(reference.dtype);
  else if (bothFloat)
    compareFloats(value, reference, tolerance, difference);
  else
    compareExactly(value, reference, difference);
  return difference;
}

std::string differenceText(const std::string &name, const Difference &difference) {
  char numbers[128];
  std::snprintf(numbers, sizeof(numbers), ": max abs %.3g, max rel %.3g, worst at %llu", difference.maxAbs,
                difference.maxRel, static_cast<unsigned long long>(difference.index));
  return (difference.pass ? "pass " : "FAIL ") + name + numbers + (difference.problem.empty() ? "" : ": ") +
         difference.problem + "\n";
}

} // namespace cupola::runtime
