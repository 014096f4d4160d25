//===- test/Target/CPU/ScalarsTest.cpp - every kind of scalar function ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CPU/ElementKernels.h"
#include "test/Target/CPU/KernelRunner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

using namespace cupola;
using namespace cupola::test;
using graph::BinaryKind;
using graph::UnaryKind;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class ScalarsTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Levels, ScalarsTest, testing::ValuesIn(runnableLevels()));

//===----------------------------------------------------------------------===//
// Unary functions of floats
//===----------------------------------------------------------------------===//

/// f32 over all exponents and signs, with zeros, denormals, infinities and NaN.
std::vector<float> floatSamples(uint32_t stride) {
  std::vector<float> samples{0.0f, -0.0f, kInfinity, -kInfinity, NAN, 1.0f, -1.0f, 0.5f, -0.5f, 1.5f, 2.5f, -2.5f};
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += stride) {
    float value;
    uint32_t word = static_cast<uint32_t>(bits);
    std::memcpy(&value, &word, 4);
    samples.push_back(value);
  }
  return samples;
}

/// Distance in units of the last place of the exact value; 0 where both are NaN.
double ulps(float got, double exact) {
  float rounded = static_cast<float>(exact);
  if (std::isnan(got) || std::isnan(exact))
    return std::isnan(got) && std::isnan(exact) ? 0 : INFINITY;
  if (got == rounded)
    return 0;
  if (std::isinf(got) || std::isinf(rounded))
    return INFINITY;
  int exponent = std::max(std::ilogb(std::max(std::abs(exact), 1e-45)), -126);
  return std::abs(got - exact) / std::ldexp(1.0, exponent - 23);
}

constexpr double kAlpha = 0.75, kBeta = 0.375;

struct UnaryRow {
  UnaryKind kind;
  double bound; ///< ulp
  std::function<double(double)> exact;
  double absolute = 0; ///< error allowed beside the bound, of results near 0
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
double clamp01(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

std::vector<UnaryRow> unaryRows() {
  return {
      {UnaryKind::Neg, 0, [](double x) { return -x; }},
      {UnaryKind::Abs, 0, [](double x) { return std::abs(x); }},
      {UnaryKind::Exp, 2, [](double x) { return std::exp(x); }},
      {UnaryKind::Log, 2, [](double x) { return std::log(x); }},
      {UnaryKind::Sqrt, 0.5, [](double x) { return std::sqrt(x); }},
      {UnaryKind::Rsqrt, 1.5, [](double x) { return 1 / std::sqrt(x); }},
      {UnaryKind::Reciprocal, 0.5, [](double x) { return 1 / x; }},
      {UnaryKind::Floor, 0, [](double x) { return std::floor(x); }},
      {UnaryKind::Ceil, 0, [](double x) { return std::ceil(x); }},
      {UnaryKind::Round, 0, [](double x) { return std::nearbyint(x); }},
      {UnaryKind::Sign, 0, [](double x) { return std::isnan(x) ? x : (x > 0) - (x < 0); }},
      {UnaryKind::Erf, 3, [](double x) { return std::erf(x); }},
      {UnaryKind::Tanh, 3, [](double x) { return std::tanh(x); }},
      {UnaryKind::Sigmoid, 4, sigmoid, 1e-37},
      {UnaryKind::Relu, 0, [](double x) { return x < 0 ? 0 : x; }},
      {UnaryKind::LeakyRelu, 0.5, [](double x) { return x < 0 ? kAlpha * x : x; }},
      {UnaryKind::Elu, 4, [](double x) { return x < 0 ? kAlpha * std::expm1(x) : x; }},
      {UnaryKind::Selu, 5, [](double x) { return kBeta * (x < 0 ? kAlpha * std::expm1(x) : x); }},
      {UnaryKind::Celu, 5, [](double x) { return x < 0 ? kAlpha * std::expm1(x / kAlpha) : x; }},
      {UnaryKind::Softplus, 4, softplus},
      {UnaryKind::Softsign, 1.5, [](double x) { return x / (1 + std::abs(x)); }},
      {UnaryKind::HardSigmoid, 1, [](double x) { return clamp01(kAlpha * x + kBeta); }, 1e-7},
      {UnaryKind::HardSwish, 2, [](double x) { return x * clamp01(x / 6 + 0.5); }, 1e-6},
      {UnaryKind::Mish, 8, [](double x) { return x * std::tanh(softplus(x)); }, 1e-37},
      {UnaryKind::ThresholdedRelu, 0, [](double x) { return x > kAlpha ? x : 0; }},
      {UnaryKind::Shrink, 0.5, [](double x) { return x < -kAlpha  ? x + kBeta
                                                     : x > kAlpha ? x - kBeta
                                                                  : 0; }},
      {UnaryKind::GeluErf, 4, [](double x) { return 0.5 * x * (1 + std::erf(x * M_SQRT1_2)); }, 3e-7},
      {UnaryKind::GeluTanh, 4,
       [](double x) { return 0.5 * x * (1 + std::tanh(0.79788456080286536 * (x + 0.044715 * x * x * x))); }, 3e-7},
      // alpha * x is rounded: its error grows with |x|, and the exponential hands it on.
      {UnaryKind::Silu, 16, [](double x) { return x * sigmoid(kAlpha * x); }, 1e-9},
      {UnaryKind::Sin, 2, [](double x) { return std::sin(x); }},
      {UnaryKind::Cos, 2, [](double x) { return std::cos(x); }},
      {UnaryKind::Tan, 2, [](double x) { return std::tan(x); }},
      {UnaryKind::Asin, 2, [](double x) { return std::asin(x); }},
      {UnaryKind::Acos, 2, [](double x) { return std::acos(x); }},
      {UnaryKind::Atan, 2, [](double x) { return std::atan(x); }},
      {UnaryKind::Sinh, 3, [](double x) { return std::sinh(x); }},
      {UnaryKind::Cosh, 3, [](double x) { return std::cosh(x); }},
      {UnaryKind::Asinh, 3, [](double x) { return std::asinh(x); }},
      {UnaryKind::Acosh, 3, [](double x) { return std::acosh(x); }},
      {UnaryKind::Atanh, 3, [](double x) { return std::atanh(x); }},
      {UnaryKind::IsNaN, 0, [](double x) { return std::isnan(x); }},
      {UnaryKind::IsInf, 0, [](double x) { return std::isinf(x); }},
  };
}

TEST_P(ScalarsTest, UnaryFunctionsStayWithinTheirBounds) {
  std::vector<UnaryRow> rows = unaryRows();
  std::string text;
  for (const UnaryRow &row : rows)
    text += unaryKernel(row.kind, "f32", kAlpha, kBeta);
  KernelRunner runner(text, GetParam());
  std::vector<float> x = floatSamples(40009);
  for (size_t i = 0; i < rows.size(); ++i) {
    bool isPredicate = graph::isPredicate(rows[i].kind);
    std::vector<float> y(x.size());
    runner.run(i, {x.data(), y.data()}, {static_cast<int64_t>(x.size())});
    double worst = 0;
    float at = 0, got = 0;
    for (size_t j = 0; j < x.size(); ++j) {
      float value = isPredicate ? reinterpret_cast<uint8_t *>(y.data())[j] : y[j];
      double exact = rows[i].exact(x[j]);
      double error = std::abs(value - exact) <= rows[i].absolute ? 0 : ulps(value, exact);
      if (error > worst)
        worst = error, at = x[j], got = value;
    }
    EXPECT_LE(worst, rows[i].bound) << graph::stringifyUnaryKind(rows[i].kind).str() << "(" << at << ") = " << got
                                    << ", expected " << rows[i].exact(at);
    RecordProperty("ulp_" + graph::stringifyUnaryKind(rows[i].kind).str(), std::to_string(worst));
  }
}

TEST_P(ScalarsTest, UnaryFunctionsOfDoublesAreTheLibrarys) {
  std::vector<UnaryRow> rows = unaryRows();
  std::string text;
  for (const UnaryRow &row : rows)
    text += unaryKernel(row.kind, "f64", kAlpha, kBeta);
  KernelRunner runner(text, GetParam());
  std::vector<double> x{0.0, -0.0, 1, -1, 0.3, -0.3, 2.5, -2.5, 1e-9, 30, -30, INFINITY, -INFINITY, NAN};
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<double> y(x.size());
    runner.run(i, {x.data(), y.data()}, {static_cast<int64_t>(x.size())});
    for (size_t j = 0; j < x.size(); ++j) {
      double value = graph::isPredicate(rows[i].kind) ? reinterpret_cast<uint8_t *>(y.data())[j] : y[j];
      double exact = rows[i].exact(x[j]);
      if (std::isfinite(exact))
        EXPECT_NEAR(value, exact, 4e-16 * std::abs(exact) + rows[i].absolute * 1e-9) << i << " at " << x[j];
      else
        EXPECT_EQ(std::isnan(value) ? 2 : value, std::isnan(exact) ? 2 : exact) << i << " at " << x[j];
    }
  }
}

//===----------------------------------------------------------------------===//
// Halves: stored in 16 bits, computed in f32
//===----------------------------------------------------------------------===//

float fromBF16(uint16_t bits) {
  uint32_t word = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}

/// Brute force: the nearer neighbour, ties to even.
uint16_t toBF16(double x) {
  if (std::isnan(x))
    return 0x7fc0;
  float near = static_cast<float>(x);
  uint32_t word;
  std::memcpy(&word, &near, 4);
  uint16_t low = word >> 16;
  if (std::isinf(near))
    return low;
  if (std::abs(fromBF16(low)) > std::abs(x))
    --low;
  double below = std::abs(fromBF16(low)), above = std::abs(fromBF16(low + 1));
  if (std::isinf(above))
    above = 2 * below - std::abs(fromBF16(low - 1));
  double left = std::abs(x) - below, right = above - std::abs(x);
  return left < right || (left == right && low % 2 == 0) ? low : low + 1;
}

TEST_P(ScalarsTest, HalvesRoundOnce) {
  KernelRunner runner(castKernel("f16", "f32") + castKernel("f32", "f16") + castKernel("bf16", "f32") +
                          castKernel("f32", "bf16") + castKernel("f64", "f16") + castKernel("f64", "bf16") +
                          binaryKernel(BinaryKind::Add, "f16"),
                      GetParam());
  std::vector<float> x = floatSamples(150001);
  int64_t n = x.size();
  std::vector<double> twice(x.begin(), x.end());
  // Just above and below the middle of two halves, closer than f32 can tell.
  for (double middle : {1 + std::ldexp(1, -11), 1 + 3 * std::ldexp(1, -11), 1 + std::ldexp(1, -8)})
    for (double side : {-1e-12, 0.0, 1e-12})
      twice.push_back(middle + side), twice.push_back(-middle - side);
  std::vector<_Float16> half(twice.size());
  std::vector<uint16_t> brain(twice.size());
  std::vector<float> back(n);
  runner.run(1, {x.data(), half.data()}, {n});
  runner.run(0, {half.data(), back.data()}, {n});
  runner.run(3, {x.data(), brain.data()}, {n});
  for (int64_t i = 0; i < n; ++i) {
    ASSERT_TRUE(half[i] == static_cast<_Float16>(x[i]) || std::isnan(x[i])) << x[i];
    ASSERT_TRUE(back[i] == static_cast<float>(half[i]) || std::isnan(x[i])) << x[i];
    ASSERT_TRUE(brain[i] == toBF16(x[i]) || (std::isnan(x[i]) && std::isnan(fromBF16(brain[i])))) << x[i];
  }
  runner.run(2, {brain.data(), back.data()}, {n});
  for (int64_t i = 0; i < n; ++i)
    ASSERT_TRUE(back[i] == fromBF16(brain[i]) || std::isnan(back[i])) << x[i];
  n = twice.size();
  runner.run(4, {twice.data(), half.data()}, {n});
  runner.run(5, {twice.data(), brain.data()}, {n});
  for (int64_t i = 0; i < n; ++i) {
    ASSERT_TRUE(half[i] == static_cast<_Float16>(twice[i]) || std::isnan(twice[i])) << twice[i];
    ASSERT_TRUE(brain[i] == toBF16(twice[i]) || std::isnan(twice[i])) << twice[i];
  }
  std::vector<_Float16> a{1, 2048, 65504}, b{_Float16(0.00048828125), 1, 65504}, sum(3);
  runner.run(6, {a.data(), b.data(), sum.data()}, {3});
  EXPECT_EQ(float(sum[0]), 1.0f);
  EXPECT_EQ(float(sum[1]), 2048.0f);
  EXPECT_TRUE(std::isinf(float(sum[2])));
}

} // namespace
