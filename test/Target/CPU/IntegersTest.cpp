//===- test/Target/CPU/IntegersTest.cpp - integers, bools, casts, float pairs ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CPU/ElementKernels.h"
#include "test/Target/CPU/KernelRunner.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

using namespace cupola;
using namespace cupola::test;
using graph::BinaryKind;
using graph::UnaryKind;

namespace {

class IntegersTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Levels, IntegersTest, testing::ValuesIn(runnableLevels()));

using Wide = __int128;
using UnsignedWide = unsigned __int128; // whose products wrap

/// What the kind means, in unbounded integers; the caller wraps.
Wide divide(Wide a, Wide b) { return b == 0 ? 0 : a / b; }
Wide fmodOf(Wide a, Wide b) { return b == 0 ? 0 : a % b; }
Wide modOf(Wide a, Wide b) {
  Wide r = fmodOf(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
uint64_t wrappingPower(uint64_t base, uint64_t exponent) {
  if (exponent == 0)
    return 1;
  return exponent % 2 ? base * wrappingPower(base, exponent - 1) : wrappingPower(base * base, exponent / 2);
}
Wide power(Wide base, Wide exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  return wrappingPower(static_cast<uint64_t>(base), static_cast<uint64_t>(exponent));
}
template <class T> Wide shiftRight(Wide a, Wide count) {
  constexpr int width = sizeof(T) * 8;
  return count < 0 || count >= width ? (a < 0 ? -1 : 0) : a >> static_cast<int>(count);
}
template <class T> Wide shiftLeft(Wide a, Wide count) {
  constexpr int width = sizeof(T) * 8;
  return count < 0 || count >= width ? 0 : a * (Wide(1) << static_cast<int>(count));
}

struct BinaryRow {
  BinaryKind kind;
  std::function<Wide(Wide, Wide)> exact;
};

template <class T> std::vector<BinaryRow> binaryRows() {
  return {{BinaryKind::Add, [](Wide a, Wide b) { return a + b; }},
          {BinaryKind::Sub, [](Wide a, Wide b) { return a - b; }},
          {BinaryKind::Mul, [](Wide a, Wide b) { return Wide(UnsignedWide(a) * UnsignedWide(b)); }},
          {BinaryKind::Div, divide},
          {BinaryKind::Mod, modOf},
          {BinaryKind::Fmod, fmodOf},
          {BinaryKind::Pow, power},
          {BinaryKind::Max, [](Wide a, Wide b) { return std::max(a, b); }},
          {BinaryKind::Min, [](Wide a, Wide b) { return std::min(a, b); }},
          {BinaryKind::Prelu, [](Wide a, Wide b) { return a < 0 ? a * b : a; }},
          {BinaryKind::BitwiseAnd, [](Wide a, Wide b) { return a & b; }},
          {BinaryKind::BitwiseOr, [](Wide a, Wide b) { return a | b; }},
          {BinaryKind::BitwiseXor, [](Wide a, Wide b) { return a ^ b; }},
          {BinaryKind::ShiftLeft, shiftLeft<T>},
          {BinaryKind::ShiftRight, shiftRight<T>},
          {BinaryKind::Equal, [](Wide a, Wide b) { return a == b; }},
          {BinaryKind::Less, [](Wide a, Wide b) { return a < b; }},
          {BinaryKind::LessEqual, [](Wide a, Wide b) { return a <= b; }},
          {BinaryKind::Greater, [](Wide a, Wide b) { return a > b; }},
          {BinaryKind::GreaterEqual, [](Wide a, Wide b) { return a >= b; }}};
}

/// Every pair of the values.
template <class T> void expectBinary(const std::string &type, const std::vector<T> &values, int level) {
  std::vector<BinaryRow> rows = binaryRows<T>();
  std::string text;
  for (const BinaryRow &row : rows)
    text += binaryKernel(row.kind, type);
  KernelRunner runner(text, level);
  std::vector<T> a, b;
  for (T x : values)
    for (T y : values)
      a.push_back(x), b.push_back(y);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<T> o(a.size());
    runner.run(i, {a.data(), b.data(), o.data()}, {static_cast<int64_t>(a.size())});
    bool isBool = graph::isComparison(rows[i].kind);
    for (size_t j = 0; j < a.size(); ++j) {
      T got = isBool ? reinterpret_cast<uint8_t *>(o.data())[j] : o[j];
      ASSERT_EQ(int64_t(got), int64_t(static_cast<T>(rows[i].exact(a[j], b[j]))))
          << type << " " << graph::stringifyBinaryKind(rows[i].kind).str() << " of " << int64_t(a[j]) << " and "
          << int64_t(b[j]);
    }
  }
}

TEST_P(IntegersTest, AllPairsOfBytes) {
  std::vector<int8_t> bytes;
  std::vector<uint8_t> unsignedBytes;
  for (int i = -128; i < 128; i += 3) {
    bytes.push_back(i);
    unsignedBytes.push_back(i + 128);
  }
  for (int edge : {-128, -1, 0, 1, 2, 7, 8, 127})
    bytes.push_back(edge), unsignedBytes.push_back(edge);
  expectBinary<int8_t>("i8", bytes, GetParam());
  expectBinary<uint8_t>("ui8", unsignedBytes, GetParam());
}

TEST_P(IntegersTest, EdgesOfWords) {
  expectBinary<int32_t>("i32", {INT32_MIN, INT32_MIN + 1, -33, -2, -1, 0, 1, 2, 3, 31, 32, 33, 46341, INT32_MAX},
                        GetParam());
  expectBinary<int64_t>("i64", {INT64_MIN, INT64_MIN + 1, -65, -2, -1, 0, 1, 2, 3, 63, 64, 1ll << 40, INT64_MAX},
                        GetParam());
  expectBinary<uint64_t>("ui64", {0, 1, 2, 3, 63, 64, 1ull << 40, 1ull << 63, UINT64_MAX}, GetParam());
}

TEST_P(IntegersTest, Unary) {
  KernelRunner runner(unaryKernel(UnaryKind::Neg, "i32", 0, 0) + unaryKernel(UnaryKind::Abs, "i32", 0, 0) +
                          unaryKernel(UnaryKind::Sign, "i32", 0, 0) + unaryKernel(UnaryKind::Relu, "i32", 0, 0) +
                          unaryKernel(UnaryKind::BitwiseNot, "i32", 0, 0) + unaryKernel(UnaryKind::Not, "i1", 0, 0),
                      GetParam());
  std::vector<int32_t> x{INT32_MIN, -5, 0, 7}, y(4);
  auto run = [&](size_t kernel) {
    runner.run(kernel, {x.data(), y.data()}, {4});
    return y;
  };
  EXPECT_EQ(run(0), (std::vector<int32_t>{INT32_MIN, 5, 0, -7}));
  EXPECT_EQ(run(1), (std::vector<int32_t>{INT32_MIN, 5, 0, 7}));
  EXPECT_EQ(run(2), (std::vector<int32_t>{-1, -1, 0, 1}));
  EXPECT_EQ(run(3), (std::vector<int32_t>{0, 0, 0, 7}));
  EXPECT_EQ(run(4), (std::vector<int32_t>{INT32_MAX, 4, -1, -8}));
  std::vector<uint8_t> bools{0, 1, 1, 0}, negated(4);
  runner.run(5, {bools.data(), negated.data()}, {4});
  EXPECT_EQ(negated, (std::vector<uint8_t>{1, 0, 0, 1}));
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

template <class To, class From> To saturate(From x) {
  if (std::isnan(double(x)))
    return 0;
  long double value = std::trunc(static_cast<long double>(x));
  long double low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
  return value < low ? std::numeric_limits<To>::min() : value > high ? std::numeric_limits<To>::max() : To(value);
}

template <class To> void expectFromFloat(const std::string &to, int level) {
  KernelRunner runner(castKernel("f32", to) + castKernel("f64", to), level);
  std::vector<double> x{0,
                        -0.0,
                        0.9,
                        -0.9,
                        1.5,
                        -1.5,
                        127,
                        128,
                        255,
                        256,
                        -128,
                        -129,
                        32768,
                        65536,
                        2147483520.0,
                        2147483647.0,
                        2147483648.0,
                        4294967295.0,
                        4294967296.0,
                        9223372036854774784.0,
                        9223372036854775808.0,
                        18446744073709551616.0,
                        1e30,
                        -1e30,
                        INFINITY,
                        -INFINITY,
                        NAN};
  std::vector<float> narrow(x.begin(), x.end());
  std::vector<To> y(x.size());
  int64_t n = x.size();
  runner.run(0, {narrow.data(), y.data()}, {n});
  for (int64_t i = 0; i < n; ++i)
    EXPECT_EQ(y[i], saturate<To>(narrow[i])) << to << " of " << narrow[i];
  runner.run(1, {x.data(), y.data()}, {n});
  for (int64_t i = 0; i < n; ++i)
    EXPECT_EQ(y[i], saturate<To>(x[i])) << to << " of " << x[i];
}

TEST_P(IntegersTest, FloatsTruncateAndSaturate) {
  expectFromFloat<int8_t>("i8", GetParam());
  expectFromFloat<uint8_t>("ui8", GetParam());
  expectFromFloat<int16_t>("i16", GetParam());
  expectFromFloat<uint16_t>("ui16", GetParam());
  expectFromFloat<int32_t>("i32", GetParam());
  expectFromFloat<uint32_t>("ui32", GetParam());
  expectFromFloat<int64_t>("i64", GetParam());
  expectFromFloat<uint64_t>("ui64", GetParam());
}

TEST_P(IntegersTest, IntegersToOtherTypes) {
  KernelRunner runner(castKernel("i64", "f32") + castKernel("i64", "i8") + castKernel("i64", "ui32") +
                          castKernel("i64", "i1") + castKernel("i64", "f16") + castKernel("ui8", "i64") +
                          castKernel("i8", "f32") + castKernel("i1", "f32") + castKernel("f32", "i1"),
                      GetParam());
  std::vector<int64_t> x{0, 1, -1, 300, -300, (1ll << 40) + 5, INT64_MIN, INT64_MAX, 65519, 65520, -65520, 2049, 2051};
  int64_t n = x.size();
  std::vector<float> f(n);
  std::vector<int8_t> bytes(n);
  std::vector<uint32_t> words(n);
  std::vector<uint8_t> bools(n);
  std::vector<_Float16> halves(n);
  runner.run(0, {x.data(), f.data()}, {n});
  runner.run(1, {x.data(), bytes.data()}, {n});
  runner.run(2, {x.data(), words.data()}, {n});
  runner.run(3, {x.data(), bools.data()}, {n});
  runner.run(4, {x.data(), halves.data()}, {n});
  for (int64_t i = 0; i < n; ++i) {
    EXPECT_EQ(f[i], float(x[i]));
    EXPECT_EQ(bytes[i], int8_t(x[i]));
    EXPECT_EQ(words[i], uint32_t(x[i]));
    EXPECT_EQ(bools[i], x[i] != 0);
    EXPECT_EQ(float(halves[i]), float(_Float16(double(x[i])))) << x[i];
  }
  std::vector<uint8_t> small{0, 127, 128, 255};
  std::vector<int64_t> wide(4);
  runner.run(5, {small.data(), wide.data()}, {4});
  EXPECT_EQ(wide, (std::vector<int64_t>{0, 127, 128, 255}));
  runner.run(6, {small.data(), f.data()}, {4});
  EXPECT_EQ(f[2], -128.0f);
  std::vector<uint8_t> flags{1, 0, 1, 1};
  runner.run(7, {flags.data(), f.data()}, {4});
  EXPECT_EQ(f[0] + f[1] + f[2] + f[3], 3.0f);
  std::vector<float> values{0.0f, -0.0f, 0.25f, NAN};
  runner.run(8, {values.data(), flags.data()}, {4});
  EXPECT_EQ(flags, (std::vector<uint8_t>{0, 0, 1, 1}));
}

//===----------------------------------------------------------------------===//
// Binary functions of floats
//===----------------------------------------------------------------------===//

float largest(float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); }
float smallest(float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); }
float modFloat(float a, float b) {
  float r = std::fmod(a, b);
  if (r == 0)
    return std::copysign(r, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

struct FloatRow {
  BinaryKind kind;
  std::function<float(float, float)> exact;
};

TEST_P(IntegersTest, PairsOfFloats) {
  const FloatRow rows[] = {{BinaryKind::Add, [](float a, float b) { return a + b; }},
                           {BinaryKind::Sub, [](float a, float b) { return a - b; }},
                           {BinaryKind::Mul, [](float a, float b) { return a * b; }},
                           {BinaryKind::Div, [](float a, float b) { return a / b; }},
                           {BinaryKind::Mod, modFloat},
                           {BinaryKind::Fmod, [](float a, float b) { return std::fmod(a, b); }},
                           {BinaryKind::Pow, [](float a, float b) { return std::pow(a, b); }},
                           {BinaryKind::Max, largest},
                           {BinaryKind::Min, smallest},
                           {BinaryKind::Prelu, [](float a, float b) { return a < 0 ? a * b : a; }},
                           {BinaryKind::Equal, [](float a, float b) { return a == b; }},
                           {BinaryKind::Less, [](float a, float b) { return a < b; }},
                           {BinaryKind::LessEqual, [](float a, float b) { return a <= b; }},
                           {BinaryKind::Greater, [](float a, float b) { return a > b; }},
                           {BinaryKind::GreaterEqual, [](float a, float b) { return a >= b; }}};
  std::string text;
  for (const FloatRow &row : rows)
    text += binaryKernel(row.kind, "f32");
  KernelRunner runner(text, GetParam());
  std::vector<float> a, b;
  for (float x : {0.0f, -0.0f, 1.0f, -1.0f, 2.5f, -3.25f, 1e-40f, 1e30f, -1e30f, INFINITY, -INFINITY, NAN})
    for (float y : {0.0f, 1.0f, -1.0f, 2.0f, -2.0f, 0.5f, 1e-40f, 1e30f, INFINITY, -INFINITY, NAN})
      a.push_back(x), b.push_back(y);
  for (size_t i = 0; i < std::size(rows); ++i) {
    std::vector<float> o(a.size());
    runner.run(i, {a.data(), b.data(), o.data()}, {static_cast<int64_t>(a.size())});
    for (size_t j = 0; j < a.size(); ++j) {
      float got = graph::isComparison(rows[i].kind) ? reinterpret_cast<uint8_t *>(o.data())[j] : o[j];
      float exact = rows[i].exact(a[j], b[j]);
      EXPECT_TRUE(got == exact || (std::isnan(got) && std::isnan(exact)))
          << graph::stringifyBinaryKind(rows[i].kind).str() << " of " << a[j] << " and " << b[j] << " is " << got
          << ", expected " << exact;
      if (rows[i].kind == BinaryKind::Mod && exact == 0) // a zero has the sign of the divisor
        EXPECT_EQ(std::signbit(got), std::signbit(exact)) << a[j] << " mod " << b[j];
    }
  }
}

} // namespace
