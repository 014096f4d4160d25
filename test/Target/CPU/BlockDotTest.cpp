//===- test/Target/CPU/BlockDotTest.cpp - products with scales of blocks against plain C++ ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/CPU/CpuFeatures.h"
#include "test/Target/CPU/KernelRunner.h"

#include <gtest/gtest.h>
#include <random>

using namespace cupola;
using namespace cupola::test;

namespace {

/// Rows are a scalar of the kernel.
struct Shape {
  int64_t n, k, block;
};

struct Form {
  bool isSigned = false, pack = true, nibbles = false; ///< of the right operand; nibbles: it has four bits
};

class BlockDotTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Levels, BlockDotTest, testing::ValuesIn(runnableLevels()));

std::string position(const std::string &row, int64_t stride, const std::string &column) {
  const Expr index = stride == 1 ? Expr::symbol(row) : Expr::symbol(row) * stride + Expr::symbol(column);
  return positionText(index);
}

std::string textOf(const Shape &s, const Form &form) {
  const int64_t blocks = s.k / s.block;
  return kernelText(form.nibbles ? "gemm_block_nibbles" : "gemm_blocks", {{"RIGHT", form.isSigned ? "i8" : "ui8"},
                                                                          {"COLUMNS", std::to_string(s.n)},
                                                                          {"DEPTH", std::to_string(s.k)},
                                                                          {"SIZE", std::to_string(s.block)},
                                                                          {"LHS", position("d0", s.k, "d2")},
                                                                          {"RHS", position("d2", s.n, "d1")},
                                                                          {"STARTS", position("d0", blocks, "d5")},
                                                                          {"ROWS", position("d0", blocks, "d5")},
                                                                          {"SCALES", position("d5", s.n, "d1")},
                                                                          {"OUT", position("d3", s.n, "d4")}});
}

template <class T> std::vector<T> integers(size_t count, uint32_t seed, int64_t least, int64_t largest) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int64_t> numbers(least, largest);
  std::vector<T> values(count);
  for (T &value : values)
    value = static_cast<T>(numbers(random));
  return values;
}

/// Of eight rows the first four in the low bits, the others in the high ones.
std::vector<uint8_t> inHalves(const std::vector<uint8_t> &numbers, const Shape &s) {
  std::vector<uint8_t> bytes(s.k / 2 * s.n + 1);
  for (int64_t k = 0; k < s.k; ++k)
    for (int64_t j = 0; j < s.n; ++j)
      bytes[(k / 8 * 4 + k % 4) * s.n + j] |= numbers[k * s.n + j] << (k / 4 % 2 * 4);
  return bytes;
}

/// Sums of blocks are exact; what scales them is rounded as floats are.
template <class Right> void expectProductOf(KernelRunner &runner, int64_t m, const Shape &s, bool nibbles) {
  const int64_t blocks = s.k / s.block, low = std::is_signed_v<Right> ? -128 : 0;
  const auto left = integers<int8_t>(m * s.k + 1, 1, -128, 127);
  const auto right = integers<Right>(s.k * s.n + 1, 2, low, nibbles ? 15 : low + 255);
  const auto halves = nibbles ? inHalves({right.begin(), right.end()}, s) : std::vector<uint8_t>();
  const auto start = integers<int32_t>(m * blocks + 1, 3, -100000, 100000);
  const std::vector<float> rows = randomFloats(m * blocks + 1, 4), columns = randomFloats(blocks * s.n + 1, 5);
  std::vector<float> o(m * s.n + 1, -1);
  std::vector<int32_t> packed;
  std::vector<float> packedScales;
  const auto pointer = [](const auto &values) { return const_cast<void *>(static_cast<const void *>(values.data())); };
  void *rhs = nibbles ? pointer(halves) : pointer(right), *scales = pointer(columns);
  if (runner.size() > 1) {
    packed.assign(*runner.packedBytes.at(0).evaluate({}) / 4, 0x7f7f7f7f);
    runner.run(1, {rhs, packed.data()}, {m});
    rhs = packed.data();
    packedScales.assign(*runner.packedBytes.at(1).evaluate({}) / 4, std::nanf(""));
    runner.run(2, {scales, packedScales.data()}, {m});
    scales = packedScales.data();
  }
  runner.run(0, {pointer(left), rhs, pointer(start), pointer(rows), scales, o.data()}, {m});
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < s.n; ++j) {
      double total = 0, magnitude = 0;
      for (int64_t b = 0; b < blocks; ++b) {
        int64_t sum = start[i * blocks + b];
        for (int64_t k = b * s.block; k < (b + 1) * s.block; ++k)
          sum += int64_t(left[i * s.k + k]) * right[k * s.n + j];
        const double part = double(rows[i * blocks + b]) * columns[b * s.n + j] * 2 * sum;
        total += part;
        magnitude += std::abs(part);
      }
      ASSERT_NEAR(o[i * s.n + j], total, magnitude * 1e-6 + 1e-30)
          << m << " rows of " << s.n << "x" << s.k << " at " << i << ", " << j;
    }
  EXPECT_EQ(o.back(), -1) << "wrote beyond the end";
}

void expectProducts(const Shape &shape, const Form &form, int level) {
  KernelRunner runner(textOf(shape, form), level, form.pack);
  const bool hasWords = !form.isSigned && shape.block % 4 == 0;
  for (uint32_t bits : {0u, hasWords ? runtime::hostExtensions() : 0u}) {
    if (hasWords)
      runner.setExtensions(bits);
    for (int64_t m : {0, 1, 5, 8, 17, 70})
      form.isSigned ? expectProductOf<int8_t>(runner, m, shape, form.nibbles)
                    : expectProductOf<uint8_t>(runner, m, shape, form.nibbles);
  }
}

/// Depths of one block, of several, and of more than a block of the schedule; columns of one, of parts of a panel, and
/// of several panels; sizes of blocks that are whole words of bytes, or are not.
TEST_P(BlockDotTest, Shapes) {
  for (Shape shape : {Shape{1, 32, 32}, {17, 64, 32}, {48, 96, 16}, {100, 1536, 128}, {200, 640, 32}, {33, 30, 10}})
    expectProducts(shape, {}, GetParam());
}

TEST_P(BlockDotTest, SignedColumnsAndOperandsThatAreNotPacked) {
  for (Form form : {Form{true, true}, {true, false}, {false, false}})
    for (Shape shape : {Shape{17, 64, 32}, {100, 1056, 16}, {50, 36, 6}})
      expectProducts(shape, form, GetParam());
}

/// Panels have half as many bytes; what is not packed, or has no words of bytes, is computed.
TEST_P(BlockDotTest, NumbersOfFourBits) {
  for (Form form : {Form{false, true, true}, {false, false, true}})
    for (Shape shape :
         {Shape{1, 32, 32}, {17, 64, 32}, {48, 96, 16}, {100, 1536, 128}, {200, 640, 32}, {33, 48, 24}, {20, 24, 12}})
      expectProducts(shape, form, GetParam());
  const Shape shape{100, 1536, 128};
  const auto bytesOf = [&](bool nibbles) {
    KernelRunner runner(textOf(shape, {false, true, nibbles}), GetParam(), /*pack=*/true);
    return *runner.packedBytes.at(0).evaluate({});
  };
  EXPECT_EQ(bytesOf(true) * 2, bytesOf(false));
}

TEST_P(BlockDotTest, NoDepth) { expectProducts({20, 0, 32}, {false, false}, GetParam()); }

} // namespace
