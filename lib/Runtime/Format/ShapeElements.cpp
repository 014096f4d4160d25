//===- lib/Runtime/Format/ShapeElements.cpp - elements of inputs as symbols ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/ShapeElements.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace cupola::format {

namespace {

template <typename T> void addInteger(const char *element, std::vector<int64_t> &values) {
  T value;
  std::memcpy(&value, element, sizeof value);
  values.push_back(static_cast<int64_t>(value));
}

/// IEEE binary16.
double valueOfHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 31)
    return mantissa == 0 ? HUGE_VAL : NAN;
  const double size = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
  return bits >> 15 ? -size : size;
}

/// The upper half of a float.
double valueOfBFloat(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return static_cast<double>(value);
}

double valueOfFloat(float value) { return static_cast<double>(value); }
double valueOfDouble(double value) { return value; }

/// `value` as a fraction of a power of two, in lowest terms; 0 / 0 where it is none.
std::pair<int64_t, int64_t> fractionOf(double value) {
  constexpr int most = 62; // bits
  if (!std::isfinite(value))
    return {0, 0};
  int exponent = 0;
  auto numerator = static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent = numerator == 0 ? 0 : exponent - 53;
  for (; numerator != 0 && numerator % 2 == 0; ++exponent)
    numerator /= 2;
  const int64_t largest = (int64_t(1) << most) >> std::min(std::max(exponent, 0), most);
  if (exponent > most || exponent < -most || numerator > largest || numerator < -largest)
    return {0, 0};
  return {exponent > 0 ? numerator * (int64_t(1) << exponent) : numerator, exponent < 0 ? int64_t(1) << -exponent : 1};
}

template <typename T, double (*ValueOf)(T)> void addFloat(const char *element, std::vector<int64_t> &values) {
  T stored;
  std::memcpy(&stored, element, sizeof stored);
  const auto [numerator, denominator] = fractionOf(ValueOf(stored));
  values.push_back(numerator);
  values.push_back(denominator);
}

struct ReadRow {
  DType dtype;
  size_t symbols;
  void (*add)(const char *element, std::vector<int64_t> &values);
};

constexpr ReadRow readRows[] = {
    {DType::I8, 1, addInteger<int8_t>},
    {DType::I16, 1, addInteger<int16_t>},
    {DType::I32, 1, addInteger<int32_t>},
    {DType::I64, 1, addInteger<int64_t>},
    {DType::U8, 1, addInteger<uint8_t>},
    {DType::U16, 1, addInteger<uint16_t>},
    {DType::U32, 1, addInteger<uint32_t>},
    {DType::F16, 2, addFloat<uint16_t, valueOfHalf>},
    {DType::BF16, 2, addFloat<uint16_t, valueOfBFloat>},
    {DType::F32, 2, addFloat<float, valueOfFloat>},
    {DType::F64, 2, addFloat<double, valueOfDouble>},
};

const ReadRow *readRowOf(DType dtype) {
  for (const ReadRow &row : readRows)
    if (row.dtype == dtype)
      return &row;
  return nullptr;
}

} // namespace

size_t symbolsPerElement(DType dtype) {
  const ReadRow *row = readRowOf(dtype);
  return row ? row->symbols : 0;
}

std::optional<std::vector<int64_t>> symbolValues(DType dtype, const void *elements, size_t count) {
  const ReadRow *row = readRowOf(dtype);
  if (!row)
    return std::nullopt;
  std::vector<int64_t> values;
  const auto *bytes = static_cast<const char *>(elements);
  for (size_t i = 0; i < count; ++i)
    row->add(bytes + i * byteSize(dtype), values);
  return values;
}

bool hasValue(DType dtype, const std::vector<int64_t> &values, size_t place) {
  return symbolsPerElement(dtype) == 1 || values[place | 1] != 0; // a denominator stands behind its numerator
}

} // namespace cupola::format
