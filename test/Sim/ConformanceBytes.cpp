//===- test/Sim/ConformanceBytes.cpp - mma.sync of bytes ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/Conformance.h"

namespace cupola::test {

namespace {

struct ByteShape {
  const char *name;
  int arch, mi, ni;
  const char *left = "i8", *right = "i8";
};
const ByteShape kByteShapes[] = {
    {"mma_i8", 80, 2, 4},
    {"mma_u8", 80, 1, 2, "u8", "u8"},
    {"mma_u8_i8", 80, 3, 6, "u8", "i8"},
    {"mma_i8_u8", 80, 2, 2, "i8", "u8"},
    {"mma_i8_pieces", 75, 2, 4}, // sm_75: four products
    {"mma_u8_pieces", 75, 2, 2, "u8", "u8"},
    {"mma_u8_i8_pieces", 75, 1, 4, "u8", "i8"},
    {"mma_i8_u8_pieces", 75, 2, 2, "i8", "u8"},
};

/// Rows of 48 bytes in shared memory, an odd number of 16.
std::string byteText(const ByteShape &s) {
  const std::string m = std::to_string(s.mi), n = std::to_string(s.ni);
  const auto share = [](const std::string &type, const char *name, int offset, const char *reference, int rows) {
    return "  " + type + " *const " + name + " = cu_shared<" + type + ">(" + std::to_string(offset) +
           ");\n  for (u32 i = cu_tid(); i < " + std::to_string(rows * 32) + "; i += 32)\n    " + name +
           "[i / 32 * 48 + i % 32] = cu_read<" + type + ">(bindings, " + reference + ")[i];\n";
  };
  return kernelHead("k_bytes", 32, 3, 0) + share(s.left, "as", 0, "ref0", s.mi * 16) +
         share(s.right, "bs", 8192, "ref1", s.ni * 8) + "  cu_barrier();\n  i32 acc[" + m + "][" + n +
         "][4];\n  mma_zero(acc);\n  u32 a[" + m + "][4], b[" + n +
         "][2];\n  mma_load_a(a, as, 48);\n  mma_load_b_transposed(b, bs, 48);\n"
         "  for (int twice = 0; twice < 2; ++twice)\n    warp_mma_tile_bytes<" +
         s.left + ", " + s.right + ">(acc, a, b);\n" + mmaStoreText("i32", s.mi, s.ni) + "}\n";
}

/// All numbers that a byte has, so that a wrong sign shows.
ConformanceCase byteCase(const ByteShape &s) {
  ConformanceCase c;
  c.name = s.name;
  c.minimumArch = s.arch;
  c.run.kernel = "k_bytes";
  c.run.sharedBytes = 16384;
  c.run.text = byteText(s);
  const int m = s.mi * 16, n = s.ni * 8, k = 32;
  std::vector<uint8_t> a, b;
  Numbers numbers(10);
  for (int i = 0; i < m * k; ++i)
    a.push_back(static_cast<uint8_t>(numbers.small(127)));
  for (int i = 0; i < n * k; ++i)
    b.push_back(static_cast<uint8_t>(numbers.small(127)));
  c.run.buffers = {input(a), input(b), output<int32_t>(static_cast<size_t>(m * n))};
  const auto number = [](uint8_t byte, const std::string &type) {
    return type == "i8" ? int32_t(static_cast<int8_t>(byte)) : int32_t(byte);
  };
  c.check = [=](const std::vector<std::string> &found) {
    std::vector<int32_t> expected;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        int32_t sum = 0;
        for (int p = 0; p < k; ++p)
          sum += number(a[static_cast<size_t>(i * k + p)], s.left) * number(b[static_cast<size_t>(j * k + p)], s.right);
        expected.push_back(2 * sum);
      }
    return compareBytes(found[0], toBytes(expected));
  };
  return c;
}

} // namespace

std::vector<ConformanceCase> byteMatrixCases() {
  std::vector<ConformanceCase> cases;
  for (const ByteShape &shape : kByteShapes)
    cases.push_back(byteCase(shape));
  return cases;
}

} // namespace cupola::test
