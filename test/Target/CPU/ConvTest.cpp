//===- test/Target/CPU/ConvTest.cpp - convolutions as contractions against plain C++ ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/DepthPieces.h"
#include "test/Target/CPU/KernelRunner.h"

#include "mlir/Parser/Parser.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace cupola;
using namespace cupola::test;

namespace {

/// Channels last, one image, square windows and images.
struct Conv {
  int64_t size, channels, columns, window, stride = 1, dilation = 1, pad = 0;
  int64_t piece = 0; ///< expected with 16 lanes

  int64_t places() const { return (size + 2 * pad - (window - 1) * dilation - 1) / stride + 1; }
  int64_t depth() const { return window * window * channels; }
};

const Conv convs[] = {
    {7, 16, 20, 3, 1, 1, 1, 16},   // a vector per place of the window
    {9, 3, 50, 7, 2, 1, 3, 21},    // rows of the window, conditions by element
    {8, 3, 16, 4, 4, 1, 0, 12},    // patches: rows of the window
    {6, 40, 33, 3, 2, 1, 1, 40},   // pieces of no whole vectors
    {9, 5, 8, 3, 1, 2, 2, 5},      // dilated: no rows
    {4, 1040, 9, 1, 2, 1, 0, 0},   // no window: the position does not divide the depth
    {3, 1030, 9, 2, 1, 1, 1, 206}, // a piece is a fifth of the channels
    {7, 64, 20, 3, 1, 5, 5, 64},   // places far from each other: tiles of which none is inside
    {4, 64, 50, 3, 1, 2, 6, 64},   // rows of which none is
    {9, 80, 33, 2, 2, 3, 0, 80},   // all are
};

class ConvTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Levels, ConvTest, testing::ValuesIn(runnableLevels()));

/// Types of the image, the weights and the sums, and what stands around the image.
struct Types {
  const char *left, *right, *sum, *border;
};
const Types floats{"f32", "f32", "f32", "0.0"}, bytes{"ui8", "i8", "i32", "7"};

std::string convText(const Conv &v, const Types &types) {
  Expr m = Expr::symbol("d0"), k = Expr::symbol("d2");
  Ranges ranges{{"d0", {Expr(0), Expr(v.places() * v.places() - 1)}}, {"d2", {Expr(0), Expr(v.depth() - 1)}}};
  Expr y = floorDiv(m, v.places()) * v.stride + floorDiv(k, v.window * v.channels) * v.dilation - v.pad;
  Expr x = mod(m, v.places()) * v.stride + mod(floorDiv(k, v.channels), v.window) * v.dilation - v.pad;
  std::string masks;
  for (const Expr &e : {y, Expr(v.size - 1) - y, x, Expr(v.size - 1) - x})
    masks += (masks.empty() ? "" : ", ") + positionText(simplify(e, ranges));
  Expr input = simplify((y * v.size + x) * v.channels + mod(k, v.channels), ranges);
  return kernelText("conv", {{"INPUT", positionText(input)},
                             {"MASK", v.pad ? "mask [" + masks + "] else %border : " + types.left : ""},
                             {"BORDER", types.border},
                             {"LEFT", types.left},
                             {"RIGHT", types.right},
                             {"SUM", types.sum},
                             {"WEIGHT", positionText(k * v.columns + Expr::symbol("d1"))},
                             {"OUT", positionText(Expr::symbol("d3") * v.columns + Expr::symbol("d4"))},
                             {"ROWS", std::to_string(v.places() * v.places())},
                             {"COLUMNS", std::to_string(v.columns)},
                             {"DEPTH", std::to_string(v.depth())}});
}

/// The sum at an output place, and the sum of its magnitudes.
template <class Left, class Right>
std::pair<double, double> convAt(const Conv &v, const std::vector<Left> &x, const std::vector<Right> &w, int64_t row,
                                 int64_t column, double border = 0) {
  double sum = 0, magnitude = 0;
  for (int64_t k = 0; k < v.depth(); ++k) {
    int64_t i = row / v.places() * v.stride + k / (v.window * v.channels) * v.dilation - v.pad;
    int64_t j = row % v.places() * v.stride + k / v.channels % v.window * v.dilation - v.pad;
    const bool isInside = i >= 0 && j >= 0 && i < v.size && j < v.size;
    double product =
        (isInside ? x[(i * v.size + j) * v.channels + k % v.channels] : border) * w[k * v.columns + column];
    sum += product;
    magnitude += std::abs(product);
  }
  return {sum, magnitude};
}

void expectConv(const Conv &v, int level, bool pack) {
  KernelRunner runner(convText(v, floats), level, pack);
  std::vector<float> x = randomFloats(v.size * v.size * v.channels, 1), w = randomFloats(v.depth() * v.columns, 2);
  std::vector<float> packed, o(v.places() * v.places() * v.columns + 1, -1);
  if (pack) {
    packed.assign(runner.packedBytes.at(0).evaluate({}).value() / 4, NAN);
    runner.run(1, {w.data(), packed.data()}, {});
  }
  runner.run(0, {x.data(), pack ? packed.data() : w.data(), o.data()}, {});
  for (size_t i = 0; i + 1 < o.size(); ++i) {
    auto [sum, magnitude] = convAt(v, x, w, i / v.columns, i % v.columns);
    ASSERT_NEAR(o[i], sum, 1e-6 * magnitude) << v.channels << " channels, window " << v.window << ", at " << i;
  }
  EXPECT_EQ(o.back(), -1) << "wrote beyond the end";
}

TEST_P(ConvTest, AgreesOverWindowsStridesAndBorders) {
  for (const Conv &v : convs)
    expectConv(v, GetParam(), /*pack=*/false);
}

/// Rows in runs, and of channels that are no whole vectors; all rows at a border, or none.
TEST_P(ConvTest, FewColumnsReadRuns) {
  for (const Conv &v : {Conv{7, 16, 3, 3, 1, 1, 1},
                        {9, 48, 1, 3, 1, 1, 0},
                        {11, 32, 4, 5, 2, 1, 2},
                        {8, 16, 2, 3, 1, 2, 2},
                        {9, 5, 3, 3, 1, 1, 1},
                        {12, 32, 3, 9, 1, 1, 4},
                        {3, 64, 5, 3, 1, 1, 1},
                        {6, 20, 1, 3, 3, 1, 1}})
    expectConv(v, GetParam(), /*pack=*/true);
}

/// More short pieces than are written out, in one block of the depth and in several; channels of less than a vector, of
/// one and of several; columns of less than a vector and of one and a half.
TEST_P(ConvTest, ShortPiecesAreGroups) {
  for (const Conv &v : {Conv{10, 8, 8, 7, 1, 1, 3},
                        {12, 8, 7, 9, 1, 1, 4},
                        {13, 16, 24, 7, 2, 1, 3},
                        {9, 4, 9, 7, 1, 1, 3},
                        {14, 24, 12, 6, 1, 2, 5}})
    for (bool pack : {false, true})
      expectConv(v, GetParam(), pack);
}

/// Pieces of whole registers of bytes, of parts of one and of no whole vectors; more of them than are copied one by
/// one.
TEST_P(ConvTest, BytesAreCopiedByRegisters) {
  for (const Conv &v : {Conv{7, 64, 64, 3, 1, 1, 1},
                        {9, 80, 33, 2, 2, 3, 0},
                        {5, 128, 20, 3, 1, 1, 1},
                        {6, 96, 33, 3, 2, 1, 1},
                        {9, 3, 64, 7, 2, 1, 3},
                        {6, 16, 48, 3, 1, 1, 1},
                        {9, 5, 16, 7, 1, 2, 6},
                        {4, 600, 8, 3, 1, 1, 1}}) {
    KernelRunner runner(convText(v, bytes), GetParam());
    std::vector<uint8_t> x(v.size * v.size * v.channels);
    std::vector<int8_t> w(v.depth() * v.columns);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<uint8_t>(i * 37 + i / 11);
    for (size_t i = 0; i < w.size(); ++i)
      w[i] = static_cast<int8_t>(i * 53 + i / 7);
    std::vector<int32_t> o(v.places() * v.places() * v.columns + 1, -1);
    runner.run(0, {x.data(), w.data(), o.data()}, {});
    for (size_t i = 0; i + 1 < o.size(); ++i)
      ASSERT_EQ(o[i], convAt(v, x, w, i / v.columns, i % v.columns, 7).first)
          << v.channels << " channels, window " << v.window << ", at " << i;
    EXPECT_EQ(o.back(), -1) << "wrote beyond the end";
  }
}

/// Square images, a filter of 3x3 per channel.
double depthwiseAt(const std::vector<float> &x, const std::vector<float> &w, int64_t size, int64_t channels,
                   int64_t at) {
  int64_t channel = at % channels, column = at / channels % size, row = at / channels / size;
  double sum = 0;
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 3; ++j) {
      int64_t y = row + i - 1, z = column + j - 1;
      if (y >= 0 && y < size && z >= 0 && z < size)
        sum += double(x[(y * size + z) * channels + channel]) * w[(i * 3 + j) * channels + channel];
    }
  return sum;
}

void expectDepthwise(KernelRunner &runner, int64_t size, int64_t channels) {
  const int64_t count = size * size * channels;
  std::vector<float> x = randomFloats(count, 1), w = randomFloats(9 * channels, 2), o(count + 1, -1);
  runner.run(0, {x.data(), w.data(), o.data()}, {size});
  for (int64_t i = 0; i < count; ++i)
    ASSERT_NEAR(o[i], depthwiseAt(x, w, size, channels, i), 1e-5)
        << size << " places, " << channels << " channels, at " << i;
  EXPECT_EQ(o.back(), -1) << "wrote beyond the end";
}

/// `size`: a number, or n0.
std::string depthwiseText(const Expr &size, int64_t channels) {
  Expr d0 = Expr::symbol("d0"), d1 = Expr::symbol("d1"), g0 = Expr::symbol("g0"), g1 = Expr::symbol("g1"),
       g2 = Expr::symbol("g2");
  Expr input = ((d0 + g0 - 1) * size + d1 + g1 - 1) * channels + g2;
  return kernelText("depthwise", {{"CHANNELS", std::to_string(channels)},
                                  {"SIZE", size.text()},
                                  {"SCALARS", size.constant() ? "" : "#kernel.scalar<0, 0, 1>"},
                                  {"INPUT", positionText(input)},
                                  {"WEIGHT", positionText((d0 * 3 + d1) * channels + g2)},
                                  {"OUT", positionText((g0 * size + g1) * channels + g2)}});
}

void expectDepthwise(int64_t size, int64_t channels, int level) {
  KernelRunner runner(depthwiseText(size, channels), level);
  expectDepthwise(runner, size, channels);
}

TEST_P(ConvTest, DepthwiseOverWholeAndRaggedVectors) {
  for (int64_t channels : {1, 16, 24, 40, 64, 72, 200})
    expectDepthwise(6, channels, GetParam());
}

/// Eight places or four of a line are one, and what is left of a line.
TEST_P(ConvTest, DepthwisePlacesAreJammed) {
  for (int64_t size : {8, 9, 10, 11, 13, 14})
    for (int64_t channels : {16, 24, 40})
      expectDepthwise(size, channels, GetParam());
}

/// It is not known which border comes first, or whether there is something between them.
TEST_P(ConvTest, DepthwiseOfOpenImages) {
  for (int64_t channels : {16, 24}) {
    KernelRunner runner(depthwiseText(Expr::symbol("n0"), channels), GetParam());
    for (int64_t size : {1, 2, 3, 4, 5, 9, 35})
      expectDepthwise(runner, size, channels);
  }
}

TEST(DepthPiecesTest, AreRowsOfTheWindowOrItsChannels) {
  mlir::MLIRContext context;
  context.loadDialect<kernel::KernelDialect, graph::GraphDialect>();
  for (const Conv &v : convs) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(convText(v, floats), &context);
    ASSERT_TRUE(module);
    kernel::DotOp dot;
    module->walk([&](kernel::DotOp op) { dot = op; });
    kernel::Variables vars(dot->getParentOp());
    EXPECT_EQ(cpu::DepthPieces::of(vars, dot, dot.getLhs(), 512, 16).size, v.piece)
        << v.channels << " channels, window " << v.window;
  }
}

TEST(DepthPiecesTest, GroupsFitRowsOfTheWindow) {
  mlir::MLIRContext context;
  context.loadDialect<kernel::KernelDialect, graph::GraphDialect>();
  const std::pair<Conv, int64_t> cases[] = {{{9, 8, 8, 3, 1, 1, 1}, 9},    // all
                                            {{9, 8, 8, 7, 1, 1, 3}, 7},    // a row
                                            {{9, 8, 8, 8, 1, 1, 3}, 32},   // four rows
                                            {{9, 8, 8, 11, 1, 1, 5}, 11},  // a row of the 121
                                            {{50, 8, 8, 37, 1, 1, 5}, 1}}; // no part of a row
  for (const auto &[v, group] : cases) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(convText(v, floats), &context);
    ASSERT_TRUE(module);
    kernel::DotOp dot;
    module->walk([&](kernel::DotOp op) { dot = op; });
    kernel::Variables vars(dot->getParentOp());
    const auto pieces = cpu::DepthPieces::ofSize(vars, dot, dot.getLhs(), v.channels);
    ASSERT_TRUE(pieces);
    EXPECT_EQ(pieces->groupOf(v.depth() / v.channels), group) << "window " << v.window;
  }
}

} // namespace
