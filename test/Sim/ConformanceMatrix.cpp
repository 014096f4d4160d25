//===- test/Sim/ConformanceMatrix.cpp - ldmatrix and mma.sync ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/Conformance.h"

#include <cmath>

namespace cupola::test {

std::string mmaStoreText(const std::string &type, int mi, int ni) {
  const std::string m = std::to_string(mi), n = std::to_string(ni);
  return "  for (u32 i = 0; i < " + m + "; ++i)\n    for (u32 j = 0; j < " + n +
         "; ++j)\n      for (u32 e = 0; e < 4; ++e)\n        cu_write<" + type +
         ">(bindings, ref2)[(16 * i + mma_row(e)) * " + n + " * 8 + 8 * j + mma_col(e)] = acc[i][j][e];\n";
}

namespace {

/// Four matrices at rows of 16 bytes; the expected fragments are written down from the PTX ISA.
ConformanceCase ldmatrixCase(bool transposed) {
  ConformanceCase c;
  c.name = transposed ? "ldmatrix_x4_trans" : "ldmatrix_x4";
  c.run.kernel = "k_ldmatrix";
  c.run.sharedBytes = 512;
  c.run.text = kernelHead("k_ldmatrix", 32, 2, 0) +
               "  const u32 *const in = cu_read<u32>(bindings, ref0);\n  for (u32 i = cu_tid(); i < 128; i += 32)\n"
               "    cu_shared<u32>(0)[i] = in[i];\n  cu_barrier();\n  u32 r[4];\n  " +
               c.name +
               "(r, cu_shared<u8>(cu_tid() * 16));\n  for (int j = 0; j < 4; ++j)\n"
               "    cu_write<u32>(bindings, ref1)[cu_tid() * 4 + j] = r[j];\n}\n";
  std::vector<uint16_t> in;
  for (uint16_t i = 0; i < 256; ++i)
    in.push_back(static_cast<uint16_t>(i * 257 + 1));
  c.run.buffers = {input(in), output<uint32_t>(128)};
  c.check = [=](const std::vector<std::string> &found) {
    std::vector<uint32_t> expected;
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t matrix = 0; matrix < 4; ++matrix) {
        const auto element = [&](uint32_t row, uint32_t column) {
          return uint32_t(in[matrix * 64 + (transposed ? column * 8 + row : row * 8 + column)]);
        };
        expected.push_back(element(lane / 4, lane % 4 * 2) | element(lane / 4, lane % 4 * 2 + 1) << 16);
      }
    return compareBytes(found[0], toBytes(expected));
  };
  return c;
}

struct MmaShape {
  const char *name;
  int arch, mi, ni, k;
  bool transposedB;
  const char *type = "f16", *call = "warp_mma_tile";
};
const MmaShape kShapes[] = {
    {"mma_k16", 80, 2, 4, 16, false},
    {"mma_k16_transposed", 80, 1, 2, 16, true},
    {"mma_k8", 75, 2, 4, 8, false},
    {"mma_k8_transposed", 75, 4, 4, 8, true},
    {"mma_bf16", 80, 2, 2, 16, false, "bf16", "warp_mma_tile_bf16"},
    {"mma_bf16_transposed", 80, 3, 6, 16, true, "bf16", "warp_mma_tile_bf16"},
    {"mma_k16_halves", 75, 2, 4, 16, false}, // sm_75: two products of half the depth
    {"mma_tf32", 80, 2, 4, 8, false, "f32", "warp_mma_tile_tf32"},
    {"mma_tf32_transposed", 80, 1, 6, 8, true, "f32", "warp_mma_tile_tf32"},
    {"mma_tf32x3", 80, 2, 2, 8, false, "f32", "warp_mma_tile_tf32x3"},
};

std::string mmaText(const MmaShape &s) {
  const std::string type = s.type, m = std::to_string(s.mi), n = std::to_string(s.ni);
  const int words = type == "f32" ? s.k : s.k / 2; // of a row of operands
  const std::string k = std::to_string(s.k), fa = std::to_string(words / 2), fb = std::to_string(words / 4);
  const std::string rows = std::to_string(s.transposedB ? s.ni * 8 : s.k);
  const std::string columns = std::to_string(s.transposedB ? s.k : s.ni * 8);
  const std::string strideB = std::to_string((s.transposedB ? s.k : s.ni * 8) + 8);
  return kernelHead("k_mma", 32, 3, 0) + "  " + type + " *const as = cu_shared<" + type + ">(0);\n  " + type +
         " *const bs = cu_shared<" + type + ">(8192);\n  for (u32 i = cu_tid(); i < 16 * " + m + " * " + k +
         "; i += 32)\n" + "    as[i / " + k + " * (" + k + " + 8) + i % " + k + "] = cu_read<" + type +
         ">(bindings, ref0)[i];\n" + "  for (u32 i = cu_tid(); i < " + rows + " * " + columns +
         "; i += 32)\n    bs[i / " + columns + " * " + strideB + " + i % " + columns + "] = cu_read<" + type +
         ">(bindings, ref1)[i];\n  cu_barrier();\n" + "  f32 acc[" + m + "][" + n +
         "][4];\n  mma_zero(acc);\n  u32 a[" + m + "][" + fa + "], b[" + n + "][" + fb + "];\n" +
         "  mma_load_a(a, as, " + k + " + 8);\n  mma_load_b" + (s.transposedB ? "_transposed" : "") + "(b, bs, " +
         strideB + ");\n" + "  for (int twice = 0; twice < 2; ++twice)\n    " + s.call + "(acc, a, b);\n" +
         mmaStoreText("f32", s.mi, s.ni) + "}\n";
}

/// Small integers, so that every product and sum is exact and the order of the sums does not matter.
ConformanceCase mmaCase(const MmaShape &s) {
  ConformanceCase c;
  c.name = s.name;
  c.minimumArch = s.arch;
  c.run.kernel = "k_mma";
  c.run.sharedBytes = 16384;
  c.run.text = mmaText(s);
  const int m = s.mi * 16, n = s.ni * 8, k = s.k;
  std::vector<long double> a, b;
  Numbers numbers(9);
  for (int i = 0; i < m * k; ++i)
    a.push_back(numbers.small(8));
  for (int i = 0; i < n * k; ++i)
    b.push_back(numbers.small(8));
  const std::string type = s.type;
  const FloatFormat &format = type == "f32" ? kF32 : type == "bf16" ? kBf16 : kF16;
  const std::string aBytes = encodeAll(format, a), bBytes = encodeAll(format, b);
  c.run.buffers = {
      {"r", aBytes.size(), aBytes}, {"r", bBytes.size(), bBytes}, output<float>(static_cast<size_t>(m * n))};
  c.check = [=](const std::vector<std::string> &found) {
    std::vector<long double> expected;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        long double sum = 0;
        for (int p = 0; p < k; ++p)
          sum += a[static_cast<size_t>(i * k + p)] * b[static_cast<size_t>(s.transposedB ? j * k + p : p * n + j)];
        expected.push_back(2 * sum);
      }
    return compareFloats(kF32, found[0], expected, 0, 0);
  };
  return c;
}

/// Reads a matrix to shared memory, rows eight elements longer than it is wide.
std::string shareText(const std::string &type, const char *name, int offset, int reference, int rows, int columns) {
  const std::string at = std::to_string(reference), width = std::to_string(columns);
  return "  " + type + " *const " + name + " = cu_shared<" + type + ">(" + std::to_string(offset) +
         ");\n  for (u32 i = cu_tid(); i < " + std::to_string(rows * columns) + "; i += 32)\n    " + name + "[i / " +
         width + " * (" + width + " + 8) + i % " + width + "] = cu_read<" + type + ">(bindings, ref" + at + ")[i];\n";
}

std::string writeText(const std::string &acc, int reference, int mi, int ni) {
  const std::string at = std::to_string(reference), n = std::to_string(ni);
  return "  for (u32 i = 0; i < " + std::to_string(mi) + "; ++i)\n    for (u32 j = 0; j < " + n +
         "; ++j)\n      for (u32 e = 0; e < 4; ++e)\n        cu_write<f32>(bindings, ref" + at +
         ")[(16 * i + mma_row(e)) * " + n + " * 8 + 8 * j + mma_col(e)] = " + acc + "[i][j][e];\n";
}

using Matrix = std::vector<long double>;

Matrix randomMatrix(int elements, int limit, uint64_t seed) {
  Matrix matrix;
  Numbers numbers(seed);
  for (int i = 0; i < elements; ++i)
    matrix.push_back(numbers.small(limit));
  return matrix;
}

Matrix product(const Matrix &a, const Matrix &b, int m, int n, int k) {
  Matrix sums;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      long double sum = 0;
      for (int p = 0; p < k; ++p)
        sum += a[static_cast<size_t>(i * k + p)] * b[static_cast<size_t>(p * n + j)];
      sums.push_back(sum);
    }
  return sums;
}

KernelBuffer matrixInput(const FloatFormat &format, const Matrix &matrix) {
  const std::string bytes = encodeAll(format, matrix);
  return {"r", bytes.size(), bytes};
}

/// Columns 16 .. 31 of 48 once and 32 .. 47 twice; nothing else changes.
ConformanceCase columnsCase(const FloatFormat &format) {
  const bool bf16 = format.mantissa == kBf16.mantissa;
  const std::string type = format.name,
                    call = bf16 ? "  warp_mma_columns_bf16(acc, a, b, " : "  warp_mma_columns(acc, a, b, ";
  ConformanceCase c;
  c.name = "mma_columns_" + type;
  c.minimumArch = bf16 ? 80 : 75;
  c.run.kernel = "k_columns";
  c.run.sharedBytes = 16384;
  c.run.text = kernelHead("k_columns", 32, 3, 0) + shareText(type, "as", 0, 0, 32, 16) +
               shareText(type, "bs", 8192, 1, 16, 48) +
               "  cu_barrier();\n  f32 acc[2][6][4];\n  mma_zero(acc);\n  u32 a[2][4], b[2][2];\n"
               "  mma_load_a(a, as, 24);\n  mma_load_b(b, bs + 16, 56);\n" +
               call + "2);\n  mma_load_b(b, bs + 32, 56);\n" + call + "4);\n" + call + "4);\n" +
               writeText("acc", 2, 2, 6) + "}\n";
  const Matrix a = randomMatrix(32 * 16, 8, 10), b = randomMatrix(16 * 48, 8, 11);
  c.run.buffers = {matrixInput(format, a), matrixInput(format, b), output<float>(32 * 48)};
  c.check = [=](const std::vector<std::string> &found) {
    Matrix expected = product(a, b, 32, 48, 16);
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] = i % 48 / 16 == 0 ? 0 : expected[i] * static_cast<long double>(i % 48 / 16);
    return compareFloats(kF32, found[0], expected, 0, 0);
  };
  return c;
}

/// (A B) rounded, times C; what is packed for K = 8 is put together to fragments for K = 16, which both types have.
ConformanceCase packCase(const FloatFormat &format, bool halves) {
  const std::string type = format.name, bf16 = format.mantissa == kBf16.mantissa ? "_bf16" : "";
  ConformanceCase c;
  c.name = "mma_pack_a_" + type + (halves ? "_k8" : "_k16");
  c.minimumArch = bf16.empty() ? 75 : 80;
  c.run.kernel = "k_pack";
  c.run.sharedBytes = 16384;
  const std::string pack =
      halves
          ? "    u32 low[2][2], high[2][2];\n    mma_pack_a<" + type + ">(low, acc, 2 * step);\n    mma_pack_a<" +
                type +
                ">(high, acc, 2 * step + 1);\n    CUPOLA_UNROLL\n    for (u32 i = 0; i < 4; ++i) {\n"
                "      a[i / 2][i % 2] = low[i / 2][i % 2];\n      a[i / 2][2 + i % 2] = high[i / 2][i % 2];\n    }\n"
          : "    mma_pack_a<" + type + ">(a, acc, step);\n";
  c.run.text = kernelHead("k_pack", 32, 4, 0) + shareText(type, "as", 0, 0, 32, 16) +
               shareText(type, "bs", 4096, 1, 16, 32) + shareText(type, "cs", 8192, 2, 32, 16) +
               "  cu_barrier();\n  f32 acc[2][4][4], out[2][2][4];\n  mma_zero(acc);\n  mma_zero(out);\n"
               "  u32 a[2][4], b[4][2], c[2][2];\n  mma_load_a(a, as, 24);\n  mma_load_b(b, bs, 40);\n  warp_mma_tile" +
               bf16 + "(acc, a, b);\n  CUPOLA_UNROLL\n  for (u32 step = 0; step < 2; ++step) {\n" + pack +
               "    mma_load_b(c, cs + step * 16 * 24, 24);\n    warp_mma_tile" + bf16 + "(out, a, c);\n  }\n" +
               writeText("out", 3, 2, 2) + "}\n";
  // Sums of some thousands, which neither type holds exactly; what follows is exact.
  const Matrix a = randomMatrix(32 * 16, 64, 12), b = randomMatrix(16 * 32, 64, 13), d = randomMatrix(32 * 16, 8, 14);
  c.run.buffers = {matrixInput(format, a), matrixInput(format, b), matrixInput(format, d), output<float>(32 * 16)};
  c.check = [=](const std::vector<std::string> &found) {
    Matrix rounded = product(a, b, 32, 32, 16);
    for (long double &x : rounded)
      x = roundTo(format, x);
    return compareFloats(kF32, found[0], product(rounded, d, 32, 16, 32), 0, 0);
  };
  return c;
}

/// The 11 bits of TF32, ties away from zero.
long double roundToTf32(float x) {
  int exponent;
  const long double mantissa = std::frexp(static_cast<long double>(x), &exponent);
  return std::ldexp(std::round(std::ldexp(mantissa, 11)), exponent - 11);
}

/// f32 numbers times the unit matrix: what the units read of them, to the bit where it is one product.
ConformanceCase tf32Case(bool threeProducts) {
  ConformanceCase c;
  c.name = threeProducts ? "tf32x3_reads_22_bits" : "tf32_rounds_to_11_bits";
  c.minimumArch = 80;
  c.run.kernel = "k_tf32";
  c.run.sharedBytes = 16384;
  c.run.text = kernelHead("k_tf32", 32, 3, 0) + shareText("f32", "as", 0, 0, 16, 8) +
               shareText("f32", "bs", 8192, 1, 8, 8) +
               "  cu_barrier();\n  f32 acc[1][1][4];\n  mma_zero(acc);\n  u32 a[1][4], b[1][2];\n"
               "  mma_load_a(a, as, 16);\n  mma_load_b(b, bs, 16);\n  warp_mma_tile_tf32" +
               (threeProducts ? "x3" : "") + "(acc, a, b);\n" + writeText("acc", 2, 1, 1) + "}\n";
  std::vector<float> a;
  Numbers numbers(15);
  for (uint32_t i = 0; i < 128; ++i) // a tie, what lies around it, and any bits
    a.push_back(
        static_cast<float>(1 + (i < 3 ? 0x1p-11L + (int(i) - 1) * 0x1p-23L : numbers.small(8000000) * 0x1p-23L)));
  std::vector<float> unit(64);
  for (size_t i = 0; i < 8; ++i)
    unit[i * 9] = 1;
  c.run.buffers = {input(a), input(unit), output<float>(128)};
  c.check = [=](const std::vector<std::string> &found) {
    Matrix expected;
    for (float x : a)
      expected.push_back(threeProducts ? static_cast<long double>(x) : roundToTf32(x));
    return compareFloats(kF32, found[0], expected, threeProducts ? 4 : 0);
  };
  return c;
}

/// Left fragments for 32 k of 16 rows, as the PTX ISA has them.
ConformanceCase alongKCase() {
  constexpr uint32_t k = 32, pitch = 40;
  ConformanceCase c;
  c.name = "mma_load_a_along_k";
  c.run.kernel = "k_along_k";
  c.run.sharedBytes = 16 * pitch * 2;
  c.run.text = kernelHead("k_along_k", 32, 2, 0) +
               "  const u32 *const in = cu_read<u32>(bindings, ref0);\n  for (u32 i = cu_tid(); i < 16 * 16; i += 32)\n"
               "    cu_shared<u32>(0)[i / 16 * 20 + i % 16] = in[i];\n  cu_barrier();\n  u32 a[2][4];\n"
               "  mma_load_a_along_k(a, cu_shared<f16>(0), 40);\n  for (int i = 0; i < 8; ++i)\n"
               "    cu_write<u32>(bindings, ref1)[cu_tid() * 8 + i] = a[i / 4][i % 4];\n}\n";
  std::vector<uint16_t> in;
  for (uint16_t i = 0; i < 16 * k; ++i)
    in.push_back(static_cast<uint16_t>(i * 3 + 1));
  c.run.buffers = {input(in), output<uint32_t>(256)};
  c.check = [=](const std::vector<std::string> &found) {
    std::vector<uint32_t> expected;
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t i = 0; i < 8; ++i) {
        const size_t at = (lane / 4 + i % 2 * 8) * k + i / 4 * 16 + i % 4 / 2 * 8 + lane % 4 * 2;
        expected.push_back(in[at] | uint32_t(in[at + 1]) << 16);
      }
    return compareBytes(found[0], toBytes(expected));
  };
  return c;
}

} // namespace

std::vector<ConformanceCase> matrixCases() {
  std::vector<ConformanceCase> cases = {ldmatrixCase(false), ldmatrixCase(true), alongKCase()};
  for (const MmaShape &shape : kShapes)
    cases.push_back(mmaCase(shape));
  for (const FloatFormat &format : {kF16, kBf16}) {
    cases.push_back(columnsCase(format));
    for (bool halves : {false, true})
      cases.push_back(packCase(format, halves));
  }
  for (bool threeProducts : {false, true})
    cases.push_back(tf32Case(threeProducts));
  return cases;
}

} // namespace cupola::test
