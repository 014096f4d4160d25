//===- test/Target/CPU/DotTest.cpp - contractions against plain C++ ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CPU/KernelRunner.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include <functional>

using namespace cupola;
using namespace cupola::test;

namespace {

struct Shape {
  int64_t m, n, k;
};

/// Positions of the three matrices; `column` strides are 1 unless transposed.
struct Layout {
  bool lhsTransposed, rhsTransposed, pack, dynamic;
  bool outTransposed = false;
};

class DotTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Levels, DotTest, testing::ValuesIn(runnableLevels()));

std::string canonical(const std::string &text) {
  std::string error;
  return positionText(*Expr::parse(text, &error));
}

/// No position names an axis of one element.
std::string gemmText(const Shape &s, const Layout &layout) {
  auto extent = [&](const char *slot, int64_t value) {
    return layout.dynamic ? std::string(slot) : std::to_string(value);
  };
  std::string m = extent("n0", s.m), n = extent("n1", s.n), k = extent("n2", s.k);
  return kernelText("gemm", {{"LHS", canonical(layout.lhsTransposed ? "d2*" + m + " + d0" : "d0*" + k + " + d2")},
                             {"RHS", canonical(layout.rhsTransposed ? "d1*" + k + " + d2" : "d2*" + n + " + d1")},
                             {"OUT", canonical(layout.outTransposed ? (m == "1" ? "d4" : "d4*" + m + " + d3")
                                                                    : (n == "1" ? "d3" : "d3*" + n + " + d4"))},
                             {"ROWS", m},
                             {"COLUMNS", n},
                             {"DEPTH", k}});
}

template <class T> std::vector<T> randomNumbers(size_t count, uint32_t seed) {
  const std::vector<float> floats = randomFloats(count, seed);
  return std::vector<T>(floats.begin(), floats.end());
}

template <class T = float>
void expectGemm(KernelRunner &runner, const Shape &s, const Layout &layout, double tolerance = 1e-6) {
  std::vector<T> a = randomNumbers<T>(s.m * s.k, 1), b = randomNumbers<T>(s.k * s.n, 2);
  std::vector<T> bias = randomNumbers<T>(s.n, 3), o(s.m * s.n + 1, -1);
  std::vector<int64_t> scalars{s.m, s.n, s.k};
  void *rhs = b.data();
  std::vector<T> packed;
  if (runner.size() > 1) { // the packer came second
    packed.assign((s.n + 64) * std::max<int64_t>(s.k, 1), NAN);
    runner.run(1, {b.data(), packed.data()}, scalars);
    rhs = packed.data();
  }
  runner.run(0, {a.data(), rhs, bias.data(), o.data()}, scalars);
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t j = 0; j < s.n; ++j) {
      double sum = bias[j], size = std::abs(bias[j]);
      for (int64_t k = 0; k < s.k; ++k) {
        double x = layout.lhsTransposed ? a[k * s.m + i] : a[i * s.k + k];
        double product = x * (layout.rhsTransposed ? b[j * s.k + k] : b[k * s.n + j]);
        sum += product;
        size += std::abs(product);
      }
      ASSERT_NEAR(o[layout.outTransposed ? j * s.m + i : i * s.n + j], std::max(sum, 0.0), tolerance * size)
          << s.m << "x" << s.n << "x" << s.k << " at " << i << ", " << j;
    }
  EXPECT_EQ(o.back(), -1) << "wrote beyond the end";
}

TEST_P(DotTest, StaticShapes) {
  for (Layout layout : {Layout{false, false, false, false},
                        {false, false, true, false},
                        {false, true, false, false},
                        {true, false, false, false},
                        {false, true, true, false},
                        {false, false, true, false, true}})
    for (Shape shape : {Shape{1, 1, 1},
                        {1, 48, 7},
                        {5, 17, 3},
                        {8, 96, 64},
                        {128, 32, 40},
                        {33, 100, 600},
                        {13, 128, 70},
                        {70, 64, 1030},
                        {70, 200, 1},
                        {70, 1, 50}}) {
      KernelRunner runner(gemmText(shape, layout), GetParam(), layout.pack);
      expectGemm(runner, shape, layout);
    }
}

/// Pieces of an image call each other's micro-kernels.
TEST_P(DotTest, ManyKernelsShareMicroKernels) {
  const int64_t count = 15; // more than two pieces
  std::string text;
  for (int64_t k = 1; k <= count; ++k) {
    std::string one = gemmText({9, 20, 200 + k}, {false, false, false, false});
    one.replace(one.find("@"), 1, "@k" + std::to_string(k) + "_");
    text += one;
  }
  KernelRunner runner(text, GetParam());
  ASSERT_GT(runner.codeGenerations(), 2u);
  for (int64_t k = 1; k <= count; ++k) {
    std::vector<float> a(9 * (200 + k), 1), b((200 + k) * 20, 2), bias(20, 3), o(9 * 20);
    runner.run(k - 1, {a.data(), b.data(), bias.data(), o.data()}, {9, 20, 200 + k});
    EXPECT_EQ(o, std::vector<float>(9 * 20, 3.0f + 2 * (200 + k)));
  }
}

/// Depths that a micro-kernel is made for, and those beside them.
TEST_P(DotTest, ShortDepths) {
  for (int64_t k : {2, 31, 32, 127, 128, 129}) {
    KernelRunner runner(gemmText({13, 50, k}, {false, false, false, false}), GetParam());
    expectGemm(runner, {13, 50, k}, {false, false, false, false});
  }
}

/// Few columns, packed and copied: depths of a part of a vector, of whole ones, of several blocks; tiles of fewer rows.
TEST_P(DotTest, FewColumnsLieAlongTheDepth) {
  for (Shape shape : {Shape{37, 1, 70},
                      {5, 3, 64},
                      {64, 4, 1000},
                      {9, 8, 600},
                      {1, 2, 33},
                      {100, 2, 8},
                      {33, 3, 1031},
                      {66, 1, 1024},
                      {7, 5, 200},
                      {70, 7, 515}})
    for (Layout layout : {Layout{false, false, true, false},
                          {true, true, true, false},
                          {false, false, true, false, true},
                          {false, false, false, false},
                          {true, true, false, false}}) {
      KernelRunner runner(gemmText(shape, layout), GetParam(), layout.pack);
      expectGemm(runner, shape, layout);
    }
}

/// Weights of four bits, [outer, depth] with a scale for 32 of the depth: two neighbours of a byte, or the first and
/// the second 16 of 32.
struct Nibbles {
  Nibbles(int64_t outer, int64_t depth, bool inHalves)
      : depth(depth), inHalves(inHalves), bytes(outer * rowBytes()), scales(randomFloats(outer * blocks(), 1)) {
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<uint8_t>(i * 37 + i / 11);
  }
  int64_t rowBytes() const { return (depth + 1) / 2; }
  int64_t blocks() const { return (depth + 31) / 32; }
  double at(int64_t row, int64_t k) const {
    const int64_t place = inHalves ? k / 32 * 16 + k % 16 : k / 2, half = inHalves ? k / 16 % 2 : k % 2;
    return (bytes[row * rowBytes() + place] >> 4 * half & 15) * double(scales[row * blocks() + k / 32]);
  }
  std::string text(const std::string &name, int64_t rows, int64_t columns) const {
    return kernelText(name, {{"ROWS", std::to_string(rows)},
                             {"COLUMNS", std::to_string(columns)},
                             {"DEPTH", std::to_string(depth)},
                             {"BYTES", std::to_string(rowBytes())},
                             {"BLOCKS", std::to_string(blocks())},
                             {"PLACE", inHalves ? "16*floordiv(%k, 32) + mod(%k, 16)" : "floordiv(%k, 2)"},
                             {"HALF", inHalves ? "mod(floordiv(%k, 16), 2)" : "mod(%k, 2)"}});
  }

  int64_t depth;
  bool inHalves;
  std::vector<uint8_t> bytes;
  std::vector<float> scales;
};

/// Rows of which no copy is made, in parts of a vector, of a tile and of a block. With many columns squares of the copy
/// are turned.
TEST_P(DotTest, RowsThatVectorsCompute) {
  for (Shape shape : {Shape{1, 1, 32},
                      {37, 1, 70},
                      {5, 3, 64},
                      {64, 4, 1000},
                      {9, 8, 608},
                      {70, 5, 34},
                      {130, 2, 1024},
                      {40, 100, 70}}) {
    Nibbles w(shape.m, shape.k, /*inHalves=*/shape.k % 32 == 0);
    KernelRunner runner(w.text("gemm_nibbles", shape.m, shape.n), GetParam());
    std::vector<float> b = randomFloats(shape.n * shape.k, 2), o(shape.m * shape.n + 1, -1);
    runner.run(0, {w.bytes.data(), w.scales.data(), b.data(), o.data()}, {});
    for (int64_t i = 0; i < shape.m; ++i)
      for (int64_t j = 0; j < shape.n; ++j) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < shape.k; ++k)
          sum += w.at(i, k) * b[j * shape.k + k], size += std::abs(w.at(i, k) * b[j * shape.k + k]);
        ASSERT_NEAR(o[i * shape.n + j], sum, 1e-6 * size) << shape.m << " " << shape.n << " " << shape.k;
      }
    EXPECT_EQ(o.back(), -1) << "wrote beyond the end";
  }
}

/// One kernel for any number of rows: few need no copy of the weights; depths of parts of a vector and of several
/// blocks.
TEST_P(DotTest, RowsByWeightsOfFourBits) {
  for (bool inHalves : {false, true})
    for (auto [columns, depth] : std::vector<std::pair<int64_t, int64_t>>{
             {33, 64}, {100, 1056}, {200, 32}, {48, 1536}, {130, inHalves ? 96 : 70}, {50, inHalves ? 32 : 7}}) {
      Nibbles w(columns, depth, inHalves);
      KernelRunner runner(w.text("gemm_by_nibbles", 0, columns), GetParam(), /*pack=*/true);
      EXPECT_EQ(runner.size(), 1u) << "weights of four bits become panels of floats";
      for (int64_t m : {0, 1, 2, 3, 4, 5, 8, 17, 130}) {
        std::vector<float> a = randomFloats(m * depth + 1, 2), c = randomFloats(columns, 3), o(m * columns + 1, -1);
        runner.run(0, {a.data(), w.bytes.data(), w.scales.data(), c.data(), o.data()}, {m});
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < columns; ++j) {
            double sum = c[j], size = std::abs(c[j]);
            for (int64_t k = 0; k < depth; ++k)
              sum += w.at(j, k) * a[i * depth + k], size += std::abs(w.at(j, k) * a[i * depth + k]);
            ASSERT_NEAR(o[i * columns + j], sum, 1e-6 * size)
                << m << " " << columns << " " << depth << " at " << i << ", " << j;
          }
        EXPECT_EQ(o.back(), -1) << "wrote beyond the end";
      }
    }
}

/// A right operand that lies in columns changes places with few rows.
TEST_P(DotTest, FewRowsBecomeColumns) {
  for (Shape shape :
       {Shape{1, 37, 70}, {1, 130, 16}, {2, 9, 33}, {3, 65, 64}, {4, 100, 1000}, {5, 7, 200}, {8, 33, 600}})
    for (Layout layout :
         {Layout{false, true, false, false}, {true, true, false, false}, {false, true, false, false, true}}) {
      KernelRunner runner(gemmText(shape, layout), GetParam());
      expectGemm(runner, shape, layout);
    }
}

/// What a single tile of rows reads comes row by row, and sums wait in tiles.
TEST_P(DotTest, RowsThatAreReadOnce) {
  for (Shape shape : {Shape{1, 400, 31}, {1, 1000, 100}, {4, 193, 500}, {6, 500, 65}, {8, 64, 33}}) {
    KernelRunner runner(gemmText(shape, {false, false, false, false}), GetParam());
    expectGemm(runner, shape, {false, false, false, false});
  }
}

/// Panels of eight-byte numbers are half vectors of the loops around them.
TEST_P(DotTest, EightBytes) {
  for (bool pack : {false, true})
    for (Shape s :
         {Shape{9, 48, 20}, {33, 80, 64}, {7, 16, 600}, {5, 25, 9}, {40, 144, 33}, {17, 4, 100}, {17, 3, 200}}) {
      std::string text = gemmText(s, {false, false, pack, false});
      for (size_t at; (at = text.find("f32")) != std::string::npos;)
        text.replace(at, 3, "f64");
      KernelRunner runner(text, GetParam(), pack);
      expectGemm<double>(runner, s, {false, false, pack, false}, 1e-14);
    }
}

TEST_P(DotTest, OneKernelForDynamicShapes) {
  for (Layout layout : {Layout{false, false, false, true},
                        {false, false, true, true},
                        {true, true, false, true},
                        {false, false, true, true, true}}) {
    KernelRunner runner(gemmText({}, layout), GetParam(), layout.pack);
    for (Shape shape : {Shape{0, 5, 3},
                        {3, 0, 3},
                        {3, 5, 0},
                        {1, 1, 1},
                        {7, 33, 15},
                        {65, 193, 513},
                        {64, 192, 512},
                        {200, 48, 1030}})
      expectGemm(runner, shape, layout);
  }
}

TEST_P(DotTest, ComputedPrologueInBatches) {
  KernelRunner runner(kernelText("gemm_half"), GetParam());
  const int64_t batch = 3, m = 19, n = 35, k = 70;
  std::vector<_Float16> a(batch * m * k), b(batch * k * n);
  std::vector<float> x = randomFloats(a.size(), 1), y = randomFloats(b.size(), 2);
  std::copy(x.begin(), x.end(), a.begin());
  std::copy(y.begin(), y.end(), b.begin());
  std::vector<float> o(batch * m * n);
  runner.run(0, {a.data(), b.data(), o.data()}, {batch}, 5);
  for (int64_t g = 0; g < batch; ++g)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0, size = 0;
        for (int64_t p = 0; p < k; ++p) {
          double product = std::exp(double(a[(g * m + i) * k + p])) * b[(g * k + p) * n + j];
          sum += product;
          size += std::abs(product);
        }
        ASSERT_NEAR(o[(g * m + i) * n + j], sum, 1e-6 * size) << g << ", " << i << ", " << j;
      }
}

/// The grid is of outer x batch products of 5 x 33 by 33 x 70 elements.
struct Batches {
  static constexpr int64_t outer = 4, batch = 3, m = 5, n = 70, k = 33;

  /// Packs the right operands of `sources` and multiplies; `right(g, p, j)` is what they are.
  static void expectProducts(KernelRunner &runner, const std::vector<void *> &sources,
                             const std::function<double(int64_t, int64_t, int64_t)> &right) {
    ASSERT_EQ(runner.size(), 2u);
    const std::vector<float> a = randomFloats(outer * batch * m * k, 1);
    std::vector<float> packed(runner.packedBytes.at(0).evaluate({}).value() / 4, NAN), o(outer * batch * m * n);
    std::vector<void *> packing = sources, buffers = sources;
    packing.push_back(packed.data());
    runner.run(1, packing, {outer});
    buffers.front() = packed.data();
    buffers.insert(buffers.begin(), const_cast<float *>(a.data()));
    buffers.push_back(o.data());
    runner.run(0, buffers, {outer}, 5);
    for (int64_t at = 0; at < static_cast<int64_t>(o.size()); ++at) {
      const int64_t row = at / n, j = at % n, g = row / m % batch;
      double sum = 0, size = 0;
      for (int64_t p = 0; p < k; ++p) {
        const double product = double(a[row * k + p]) * right(g, p, j);
        sum += product;
        size += std::abs(product);
      }
      ASSERT_NEAR(o[at], sum, 1e-6 * size) << row << ", " << j;
    }
  }
};

/// Each point of the grid's second dimension has a right operand of its own, which those of the first one share.
TEST_P(DotTest, PackedMatricesOfAGrid) {
  using B = Batches;
  KernelRunner runner(kernelText("gemm_batched"), GetParam(), /*pack=*/true);
  std::vector<float> b = randomFloats(B::batch * B::k * B::n, 2);
  B::expectProducts(runner, {b.data()}, [&](int64_t g, int64_t p, int64_t j) { return b[(g * B::k + p) * B::n + j]; });
}

/// What several parameters make is computed once, by the packer.
TEST_P(DotTest, PackedMatricesThatAreComputed) {
  using B = Batches;
  KernelRunner runner(kernelText("gemm_computed"), GetParam(), /*pack=*/true);
  std::vector<uint8_t> bytes(B::batch * B::n * B::k);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(i * 37);
  std::vector<float> scales = randomFloats(B::batch * B::n, 2);
  B::expectProducts(runner, {bytes.data(), scales.data()}, [&](int64_t g, int64_t p, int64_t j) {
    return (bytes[(g * B::n + j) * B::k + p] + double(p - 16)) * scales[g * B::n + j];
  });
}

/// Images of `places` each, whose columns are planes: lanes along the places, however these meet blocks of rows.
TEST_P(DotTest, ResultsThatArePlanes) {
  const int64_t depth = 5;
  for (bool isOpen : {false, true})
    for (int64_t columns : {2, 16, 50})
      for (auto [images, places] :
           std::vector<std::pair<int64_t, int64_t>>{{1, 64}, {3, 49}, {2, 100}, {9, 16}, {40, 1}, {30, 3}, {2, 31}}) {
        const std::string p = isOpen ? "n1" : std::to_string(places), n = std::to_string(columns);
        const std::string place = p == "1" ? "" : " + mod(d3, " + p + ")";
        KernelRunner runner(
            kernelText("gemm", {{"LHS", canonical("5*d0 + d2")},
                                {"RHS", canonical("d2*" + n + " + d1")},
                                {"OUT", canonical("floordiv(d3, " + p + ")*" + n + "*" + p + " + d4*" + p + place)},
                                {"ROWS", canonical("n0*" + p)},
                                {"COLUMNS", n},
                                {"DEPTH", "5"}}),
            GetParam());
        const int64_t rows = images * places;
        std::vector<float> a = randomFloats(rows * depth, 1), b = randomFloats(depth * columns, 2),
                           bias = randomFloats(columns, 3), o(rows * columns + 1, -1);
        runner.run(0, {a.data(), b.data(), bias.data(), o.data()}, {images, places, 0});
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t j = 0; j < columns; ++j) {
            double sum = bias[j];
            for (int64_t k = 0; k < depth; ++k)
              sum += double(a[i * depth + k]) * b[k * columns + j];
            ASSERT_NEAR(o[(i / places * columns + j) * places + i % places], std::max(sum, 0.0), 1e-5)
                << images << " images of " << places << ", " << columns << " columns at " << i << ", " << j;
          }
        EXPECT_EQ(o.back(), -1) << "wrote beyond the end";
      }
}

TEST_P(DotTest, PackedSizeIsStated) {
  Shape shape{8, 100, 30};
  KernelRunner runner(gemmText(shape, {false, false, true, false}), GetParam(), true);
  ASSERT_EQ(runner.size(), 2u);
  int64_t panel = GetParam() == 3 ? 16 : 48;
  EXPECT_EQ(runner.packedBytes.at(0).evaluate({}), (100 + panel - 1) / panel * panel * 30 * 4);
}

} // namespace
