//===- test/Sim/ConformanceMath.cpp - Scalar functions of f32, f64, f16, bf16 ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/Conformance.h"

#include <cmath>

namespace cupola::test {

namespace {

using Real = long double;

struct Unary {
  const char *name;
  Real (*exact)(Real);
  double ulps; ///< allowed in f32 and f64; the narrow types add the half of their own rounding
};

Real rsqrtExact(Real x) { return 1 / std::sqrt(x); }
Real signExact(Real x) { return std::isnan(x) ? x : Real((x > 0) - (x < 0)); }
Real negated(Real x) { return -x; }
Real roundEven(Real x) { return std::nearbyint(x); }

const Unary kUnary[] = {
    {"cu_exp", std::exp, 2},     {"cu_exp2", std::exp2, 2},   {"cu_expm1", std::expm1, 2}, {"cu_log", std::log, 2},
    {"cu_log2", std::log2, 2},   {"cu_log1p", std::log1p, 2}, {"cu_sqrt", std::sqrt, 0.5}, {"cu_rsqrt", rsqrtExact, 2},
    {"cu_erf", std::erf, 2},     {"cu_sin", std::sin, 2},     {"cu_cos", std::cos, 2},     {"cu_tan", std::tan, 4},
    {"cu_asin", std::asin, 2},   {"cu_acos", std::acos, 2},   {"cu_atan", std::atan, 2},   {"cu_sinh", std::sinh, 3},
    {"cu_cosh", std::cosh, 2},   {"cu_tanh", std::tanh, 2},   {"cu_asinh", std::asinh, 3}, {"cu_acosh", std::acosh, 4},
    {"cu_atanh", std::atanh, 3}, {"cu_floor", std::floor, 0}, {"cu_ceil", std::ceil, 0},   {"cu_trunc", std::trunc, 0},
    {"cu_round", roundEven, 0},  {"cu_abs", std::fabs, 0},    {"cu_sign", signExact, 0},   {"cu_neg", negated, 0}};

Real maxNan(Real a, Real b) { return std::isnan(a) || a >= b ? a : b; }
Real minNan(Real a, Real b) { return std::isnan(a) || a <= b ? a : b; }
Real add(Real a, Real b) { return a + b; }
Real sub(Real a, Real b) { return a - b; }
Real mul(Real a, Real b) { return a * b; }
Real divide(Real a, Real b) { return a / b; }
Real modulo(Real a, Real b) {
  const Real r = std::fmod(a, b);
  if (r == 0)
    return std::copysign(r, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

// Of two zeros any.
Real absMaxNan(Real a, Real b) { return std::fabs(maxNan(a, b)); }
Real absMinNan(Real a, Real b) { return std::fabs(minNan(a, b)); }

struct Binary {
  const char *expression;
  Real (*exact)(Real, Real);
  double ulps;
};

const Binary kBinary[] = {{"cu_pow(a, b)", std::pow, 8},
                          {"cu_atan2(a, b)", std::atan2, 3},
                          {"cu_fmod(a, b)", std::fmod, 0},
                          {"cu_copysign(a, b)", std::copysign, 0},
                          {"cu_max(a, b)", maxNan, 0},
                          {"cu_min(a, b)", minNan, 0},
                          {"cu_abs(cu_larger(a, b))", absMaxNan, 0},
                          {"cu_abs(cu_smaller(a, b))", absMinNan, 0},
                          {"cu_add(a, b)", add, 0},
                          {"cu_sub(a, b)", sub, 0},
                          {"cu_mul(a, b)", mul, 0},
                          {"a / b", divide, 0.5},
                          {"cu_mod(a, b)", modulo, 0.5}};

const Real kInfinity = std::numeric_limits<Real>::infinity(), kNan = std::numeric_limits<Real>::quiet_NaN();

/// Special values, then values of all sizes at which sine and exponential mean something.
std::vector<Real> testValues(const FloatFormat &format) {
  std::vector<Real> values = {0.0L, -0.0L,     1,      -1,   0.5L, -0.5L,     1.5L,       2.5L,          -2.5L,
                              3,    -3.25L,    0.1L,   0.7L, kNan, kInfinity, -kInfinity, 0x1p-14L,      -0x1p-20L,
                              0.9L, 10,        -10,    30,   7.5L, 1e-3L,     88,         -0.000123456L, 65504,
                              1e6,  -0x1.8p31, 3.57e21};
  Numbers numbers(1);
  while (values.size() < 96)
    values.push_back(std::ldexp(static_cast<Real>(numbers.small(1 << 24)), numbers.small(9) - 24));
  for (Real &x : values)
    x = roundTo(format, x);
  return values;
}

ConformanceCase unaryCase(const FloatFormat &format) {
  ConformanceCase c;
  const std::vector<Real> values = testValues(format);
  const std::string type = format.name;
  c.name = "unary_" + type;
  c.run.kernel = "k_unary";
  c.run.threads = 96;
  c.run.text = kernelHead("k_unary", 96, 2, 0) + "  const " + type + " x = cu_read<" + type +
               ">(bindings, ref0)[cu_tid()];\n  " + type + " *out = cu_write<" + type +
               ">(bindings, ref1) + cu_tid();\n";
  for (const Unary &f : kUnary)
    c.run.text += "  *out = " + std::string(f.name) + "(x);\n  out += 96;\n";
  c.run.text += "}\n";
  const size_t bytes = 96 * static_cast<size_t>(format.bytes);
  c.run.buffers = {{"r", bytes, encodeAll(format, values)}, {"w", bytes * std::size(kUnary), ""}};
  c.check = [format, values, bytes](const std::vector<std::string> &found) -> std::string {
    for (size_t i = 0; i < std::size(kUnary); ++i) {
      std::vector<Real> expected;
      for (Real x : values)
        expected.push_back(roundTo(format, kUnary[i].exact(x)));
      const double ulps = format.bytes == 2 && kUnary[i].ulps > 0 ? 1 : kUnary[i].ulps;
      const std::string wrong = compareFloats(format, found[0].substr(i * bytes, bytes), expected, ulps, 0x1p-140);
      if (!wrong.empty())
        return std::string(kUnary[i].name) + ": " + wrong;
    }
    return "";
  };
  return c;
}

/// Exponents as softmax has them.
ConformanceCase coarseExpCase() {
  constexpr unsigned count = 128;
  std::vector<Real> values = {0.0L, -0.0L, kNan, -kInfinity, kInfinity, -87, -88, -104, 1, 88};
  Numbers numbers(2);
  while (values.size() < count)
    values.push_back(roundTo(kF32, -std::fabs(std::ldexp(static_cast<Real>(numbers.small(1 << 24)), -18))));
  ConformanceCase c;
  c.name = "exp_coarse_f32";
  c.run.kernel = "k_exp";
  c.run.threads = count;
  c.run.text =
      kernelHead("k_exp", count, 2, 0) +
      "  cu_write<f32>(bindings, ref1)[cu_tid()] = cu_exp_coarse(cu_read<f32>(bindings, ref0)[cu_tid()]);\n}\n";
  c.run.buffers = {{"r", count * 4, encodeAll(kF32, values)}, {"w", count * 4, ""}};
  c.check = [values](const std::vector<std::string> &found) -> std::string {
    for (size_t i = 0; i < values.size(); ++i) {
      const Real x = values[i];
      const double ulps = std::isfinite(x) ? 4 * (1 + static_cast<double>(std::fabs(x))) : 0;
      const std::string wrong = compareFloats(kF32, found[0].substr(i * 4, 4), {std::exp(x)}, ulps, 0x1p-126);
      if (!wrong.empty())
        return "element " + std::to_string(i) + ": " + wrong;
    }
    return "";
  };
  return c;
}

ConformanceCase binaryCase(const FloatFormat &format) {
  ConformanceCase c;
  const std::vector<Real> values = testValues(format);
  const std::string type = format.name;
  c.name = "binary_" + type;
  c.run.kernel = "k_binary";
  c.run.threads = 96;
  c.run.grid = 96;
  c.run.text = kernelHead("k_binary", 96, 2, 0) + "  const " + type + " a = cu_read<" + type +
               ">(bindings, ref0)[cu_block()];\n  const " + type + " b = cu_read<" + type +
               ">(bindings, ref0)[cu_tid()];\n  " + type + " *out = cu_write<" + type +
               ">(bindings, ref1) + cu_block() * 96 + cu_tid();\n";
  for (const Binary &f : kBinary)
    c.run.text += "  *out = " + std::string(f.expression) + ";\n  out += 9216;\n";
  c.run.text += "}\n";
  const size_t bytes = 96 * 96 * static_cast<size_t>(format.bytes);
  c.run.buffers = {{"r", 96 * static_cast<size_t>(format.bytes), encodeAll(format, values)},
                   {"w", bytes * std::size(kBinary), ""}};
  c.check = [format, values, bytes](const std::vector<std::string> &found) -> std::string {
    for (size_t i = 0; i < std::size(kBinary); ++i) {
      std::vector<Real> expected;
      for (Real a : values)
        for (Real b : values)
          expected.push_back(roundTo(format, kBinary[i].exact(a, b)));
      double ulps = format.bytes == 2 && kBinary[i].ulps > 0.5 ? 1 : kBinary[i].ulps;
      if (format.bytes == 8 && i >= std::size(kBinary) - 4)
        ulps = 1; // the expected value was rounded twice, by long double and by roundTo
      const std::string wrong = compareFloats(format, found[0].substr(i * bytes, bytes), expected, ulps, 0x1p-140);
      if (!wrong.empty())
        return std::string(kBinary[i].expression) + ": " + wrong;
    }
    return "";
  };
  return c;
}

/// Constants by their bits, classification and comparison, as bools.
ConformanceCase classifyCase(const FloatFormat &format) {
  ConformanceCase c;
  const std::vector<Real> values = testValues(format);
  const std::string type = format.name;
  c.name = "classify_" + type;
  c.run.kernel = "k_classify";
  c.run.threads = 96;
  const std::string infinity = std::to_string(encode(format, kInfinity)) + (format.bytes == 8 ? "ull" : "u");
  c.run.text = kernelHead("k_classify", 96, 2, 0) + "  const " + type + " x = cu_read<" + type +
               ">(bindings, ref0)[cu_tid()];\n  bool *const out = cu_write<bool>(bindings, ref1) + cu_tid();\n"
               "  out[0] = cu_is_nan(x);\n  out[96] = cu_is_inf(x);\n  out[192] = x == " +
               type + "_bits(" + infinity + ");\n  out[288] = x < cu_cast<" + type +
               ">(0.5f);\n  out[384] = x >= cu_lowest<" + type + ">();\n  out[480] = x != cu_highest<" + type +
               ">();\n}\n";
  c.run.buffers = {{"r", 96 * static_cast<size_t>(format.bytes), encodeAll(format, values)}, {"w", 576, ""}};
  c.check = [values](const std::vector<std::string> &found) {
    std::string expected(576, '\0');
    for (size_t i = 0; i < 96; ++i) {
      const Real x = values[i];
      const bool row[] = {std::isnan(x), std::isinf(x), x == kInfinity, x < 0.5L, x >= -kInfinity, x != kInfinity};
      for (size_t j = 0; j < 6; ++j)
        expected[j * 96 + i] = static_cast<char>(row[j]);
    }
    return compareBytes(found[0], expected);
  };
  return c;
}

/// cu_fma rounds once: with operands whose product needs twice the bits.
ConformanceCase fmaCase(const FloatFormat &format) {
  ConformanceCase c;
  const std::string type = format.name;
  c.name = "fma_" + type;
  c.run.kernel = "k_fma";
  c.run.text = kernelHead("k_fma", 32, 2, 0) + "  const " + type + " x = cu_read<" + type +
               ">(bindings, ref0)[cu_tid()];\n  cu_write<" + type +
               ">(bindings, ref1)[cu_tid()] = cu_fma(x, x, -(x * x));\n}\n";
  std::vector<Real> values;
  Numbers numbers(2);
  for (int i = 0; i < 32; ++i)
    values.push_back(roundTo(format, std::ldexp(static_cast<Real>(numbers.next()), -60)));
  const size_t bytes = 32 * static_cast<size_t>(format.bytes);
  c.run.buffers = {{"r", bytes, encodeAll(format, values)}, {"w", bytes, ""}};
  c.check = [format, values](const std::vector<std::string> &found) {
    std::vector<Real> expected;
    for (Real x : values) {
      // x*x as the sum of its rounded value and the rest, which the format holds exactly: split x in two halves.
      const int half = (format.mantissa + 1) / 2;
      const int q = std::ilogb(x) - half;
      const Real high = std::ldexp(std::nearbyint(std::ldexp(x, -q)), q), low = x - high;
      const Real product = roundTo(format, x * x);
      expected.push_back(((high * high - product) + 2 * high * low) + low * low);
    }
    return compareFloats(format, found[0], expected, 0);
  };
  return c;
}

} // namespace

std::vector<ConformanceCase> mathCases() {
  std::vector<ConformanceCase> cases;
  for (const FloatFormat &format : {kF32, kF64, kF16, kBf16}) {
    cases.push_back(unaryCase(format));
    cases.push_back(binaryCase(format));
    cases.push_back(classifyCase(format));
  }
  cases.push_back(fmaCase(kF32));
  cases.push_back(coarseExpCase());
  return cases;
}

} // namespace cupola::test
