//===- test/Sim/ConformanceFloat8.cpp - mma.sync of float8 ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/Conformance.h"

#include <cmath>
#include <limits>

namespace cupola::test {

namespace {

struct Float8 {
  const char *type;
  int mantissa, bias;
  bool hasInfinity;

  long double numberOf(uint8_t bits) const {
    const int exponent = (bits & 127) >> mantissa, fraction = bits & ((1 << mantissa) - 1);
    long double number = std::ldexp((exponent ? 1 << mantissa : 0) + fraction, std::max(exponent, 1) - bias - mantissa);
    const bool isLast = hasInfinity ? exponent == 31 : (bits & 127) == 127;
    if (isLast)
      number = hasInfinity && fraction == 0 ? std::numeric_limits<long double>::infinity() : std::nanl("");
    return bits & 128 ? -number : number;
  }
  uint8_t bitsOf(long double number) const {
    uint8_t bits = 0;
    while (numberOf(bits) != number)
      ++bits;
    return bits;
  }
};
const Float8 kE4M3 = {"f8e4m3fn", 3, 7, false}, kE5M2 = {"f8e5m2", 2, 15, true};

struct Float8Shape {
  const char *name;
  int arch, mi, ni;
  const Float8 &left, &right;
};
const Float8Shape kFloat8Shapes[] = {
    {"mma_e4m3", 89, 2, 4, kE4M3, kE4M3},
    {"mma_e5m2", 89, 1, 2, kE5M2, kE5M2},
    {"mma_e4m3_e5m2", 89, 3, 6, kE4M3, kE5M2},
    {"mma_e5m2_e4m3", 89, 2, 2, kE5M2, kE4M3},
    {"mma_e4m3_converted", 90, 1, 4, kE4M3, kE5M2}, // to f16, by an instruction
    {"mma_e4m3_halves", 80, 2, 4, kE4M3, kE4M3},
    {"mma_e5m2_halves", 80, 2, 2, kE5M2, kE5M2}, // as f16
    {"mma_e4m3_e5m2_pieces", 75, 1, 4, kE4M3, kE5M2},
    {"mma_e5m2_e4m3_pieces", 75, 2, 2, kE5M2, kE4M3},
};

/// Rows of 48 bytes in shared memory, an odd number of 16.
std::string float8Text(const Float8Shape &s) {
  const std::string m = std::to_string(s.mi), n = std::to_string(s.ni), left = s.left.type, right = s.right.type;
  const auto share = [](const std::string &type, const char *name, int offset, const char *reference, int rows) {
    return "  " + type + " *const " + name + " = cu_shared<" + type + ">(" + std::to_string(offset) +
           ");\n  for (u32 i = cu_tid(); i < " + std::to_string(rows * 32) + "; i += 32)\n    " + name +
           "[i / 32 * 48 + i % 32] = cu_read<" + type + ">(bindings, " + reference + ")[i];\n";
  };
  return kernelHead("k_float8", 32, 3, 0) + share(left, "as", 0, "ref0", s.mi * 16) +
         share(right, "bs", 8192, "ref1", s.ni * 8) + "  cu_barrier();\n  f32 acc[" + m + "][" + n +
         "][4];\n  mma_zero(acc);\n  u32 a[" + m + "][4], b[" + n +
         "][2];\n  mma_load_a(a, as, 48);\n  mma_load_b_transposed(b, bs, 48);\n"
         "  for (int twice = 0; twice < 2; ++twice)\n    warp_mma_tile_float8<" +
         left + ", " + right + ">(acc, a, b);\n" + mmaStoreText("f32", s.mi, s.ni) + "}\n";
}

ConformanceCase float8Case(const Float8Shape &s, const std::string &what, const std::vector<uint8_t> &a,
                           const std::vector<uint8_t> &b) {
  ConformanceCase c;
  c.name = s.name + what;
  c.minimumArch = s.arch;
  c.run.kernel = "k_float8";
  c.run.sharedBytes = 16384;
  c.run.text = float8Text(s);
  const int m = s.mi * 16, n = s.ni * 8, k = 32;
  c.run.buffers = {input(a), input(b), output<float>(static_cast<size_t>(m * n))};
  c.check = [=, &s](const std::vector<std::string> &found) {
    std::vector<long double> expected;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        long double sum = 0;
        for (int p = 0; p < k; ++p)
          sum +=
              s.left.numberOf(a[static_cast<size_t>(i * k + p)]) * s.right.numberOf(b[static_cast<size_t>(j * k + p)]);
        expected.push_back(2 * sum);
      }
    return compareFloats(kF32, found[0], expected, 0, 0);
  };
  return c;
}

/// Small integers, so that every sum is exact in any order.
ConformanceCase integersCase(const Float8Shape &s) {
  std::vector<uint8_t> a, b;
  Numbers numbers(12);
  for (int i = 0; i < s.mi * 16 * 32; ++i)
    a.push_back(s.left.bitsOf(numbers.small(8)));
  for (int i = 0; i < s.ni * 8 * 32; ++i)
    b.push_back(s.right.bitsOf(numbers.small(8)));
  return float8Case(s, "", a, b);
}

/// Every bit pattern on one side; on the other each row or column has one number, so that there is nothing to sum.
/// Infinities and NaN are left to rows of their own.
ConformanceCase patternsCase(const Float8Shape &s, bool onLeft) {
  const Float8 &all = onLeft ? s.left : s.right, &other = onLeft ? s.right : s.left;
  std::vector<uint8_t> patterns, ones;
  const int rows = onLeft ? s.mi * 16 : s.ni * 8, others = onLeft ? s.ni * 8 : s.mi * 16;
  for (int i = 0; i < rows * 32; ++i) {
    const auto bits = static_cast<uint8_t>(i * 37 + i / 256);
    patterns.push_back(std::isfinite(all.numberOf(bits)) || i / 32 == 3 ? bits : uint8_t(0));
  }
  for (int i = 0; i < others * 32; ++i)
    ones.push_back(i % 32 == i / 32 * 5 % 32 ? other.bitsOf(-0.5) : uint8_t(0));
  return onLeft ? float8Case(s, "_patterns_left", patterns, ones) : float8Case(s, "_patterns_right", ones, patterns);
}

/// The cast to f32 of every bit pattern, from some architecture on by an instruction.
ConformanceCase castCase(const Float8 &from, int arch) {
  ConformanceCase c;
  c.name = std::string("cast_") + from.type + "_" + std::to_string(arch);
  c.minimumArch = arch;
  c.run.kernel = "k_float8_cast";
  c.run.text = kernelHead("k_float8_cast", 32, 2, 0) +
               "  for (u32 i = cu_tid(); i < 256; i += 32)\n    cu_write<f32>(" +
               "bindings, ref1)[i] = cu_cast<f32>(cu_bitcast<" + from.type + ">(static_cast<u8>(i)));\n}\n";
  c.run.buffers = {input(std::vector<uint8_t>(1)), output<float>(256)};
  c.check = [&from](const std::vector<std::string> &found) {
    std::vector<long double> expected;
    for (int i = 0; i < 256; ++i)
      expected.push_back(from.numberOf(static_cast<uint8_t>(i)));
    return compareFloats(kF32, found[0], expected, 0, 0);
  };
  return c;
}

} // namespace

std::vector<ConformanceCase> float8MatrixCases() {
  std::vector<ConformanceCase> cases = {castCase(kE4M3, 75), castCase(kE4M3, 89), castCase(kE5M2, 75)};
  for (const Float8Shape &shape : kFloat8Shapes) {
    cases.push_back(integersCase(shape));
    cases.push_back(patternsCase(shape, /*onLeft=*/true));
    cases.push_back(patternsCase(shape, /*onLeft=*/false));
  }
  return cases;
}

} // namespace cupola::test
