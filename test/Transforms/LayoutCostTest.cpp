//===- test/Transforms/LayoutCostTest.cpp - what layouts cost, against what a person counts ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Transforms/Layout/Cost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace cupola::layout {
namespace {

const TargetRow &row(StringRef target) {
  return *llvm::find_if(targetRows(), [&](const TargetRow &row) { return row.target == target; });
}

class LayoutCostTest : public ::testing::Test {
protected:
  LayoutCostTest() { context.loadDialect<graph::GraphDialect, func::FuncDialect>(); }

  /// The chains of a function with a convolution of `channels` channels to as many, of one tap, over `places` (two
  /// extents, as types have them), and of `element`.
  std::vector<Chain> convolution(int64_t channels, StringRef places, StringRef element, StringRef encoding = "") {
    const std::string c = std::to_string(channels);
    const std::string x = ("tensor<1x" + c + "x" + places + "x" + element + encoding + ">").str();
    const std::string w = ("tensor<" + c + "x" + c + "x1x1x" + element + ">").str();
    module = parseSourceString<ModuleOp>("func.func @main(%x: " + x + ", %w: " + w + ") -> " + x + R"( {
      %0 = graph.conv %x, %w layout channels_first strides [1, 1] dilations [1, 1] groups 1 : )" +
                                             x + ", " + w + " -> " + x + "\n return %0 : " + x + "\n}",
                                         &context);
    return chainsOf(cast<func::FuncOp>(module->lookupSymbol("main")).getBody().front());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(LayoutCostTest, OneConvolutionCostsTheSameEitherWay) {
  const auto chains = convolution(16, "10x10", "f32");
  ASSERT_EQ(chains.size(), 1u);
  const auto found = candidatesOf(chains.front(), {"cpu"});
  ASSERT_EQ(found.size(), 2u);
  const TargetRow &cpu = row("cpu");
  EXPECT_EQ(found[0].layout, graph::ConvLayout::ChannelsLast);
  EXPECT_EQ(found[0].transposes, 2);
  EXPECT_EQ(found[0].bytes, 2 * 1600 * 4);
  EXPECT_EQ(found[0].cost, std::llround(1600 * 4 * (cpu.read + cpu.write)));
  EXPECT_EQ(found[1].layout, graph::ConvLayout::ChannelsFirst);
  EXPECT_EQ(found[1].transposes, 0);
  EXPECT_EQ(found[1].bytes, 0);
  EXPECT_EQ(found[1].cost, found[0].cost);
}

TEST_F(LayoutCostTest, HalvesAreHalfTheBytes) {
  const auto chains = convolution(16, "10x10", "f16");
  EXPECT_EQ(candidatesOf(chains.front(), {"cuda"})[0].bytes, 2 * 1600 * 2);
}

/// Two convolutions of 3x3 taps and what stands between them and around.
constexpr StringRef twoConvolutions = R"(
func.func @main(%x: tensor<1x8x6x6xf32>, %w: tensor<8x8x3x3xf32>, %z: tensor<1x8x4x4xf32>) -> tensor<1x8x2x2xf32> {
  %0 = graph.conv %x, %w layout channels_first strides [1, 1] dilations [1, 1] groups 1
      : tensor<1x8x6x6xf32>, tensor<8x8x3x3xf32> -> tensor<1x8x4x4xf32>
  %1 = graph.binary add %0, %z : tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32> -> tensor<1x8x4x4xf32>
  %2 = graph.conv %1, %w layout channels_first strides [1, 1] dilations [1, 1] groups 1
      : tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32> -> tensor<1x8x2x2xf32>
  return %2 : tensor<1x8x2x2xf32>
})";

TEST_F(LayoutCostTest, EveryTapReads) {
  module = parseSourceString<ModuleOp>(twoConvolutions, &context);
  const auto chains = chainsOf(cast<func::FuncOp>(module->lookupSymbol("main")).getBody().front());
  ASSERT_EQ(chains.size(), 1u);
  EXPECT_EQ(chains.front().convolutions.size(), 2u);
  const auto found = candidatesOf(chains.front(), {"cpu"});
  const TargetRow &cpu = row("cpu");
  const double x = 8 * 36 * 4, z = 8 * 16 * 4, y = 8 * 4 * 4;
  EXPECT_EQ(found[0].transposes, 3);
  EXPECT_EQ(found[0].bytes, x + z + y);
  EXPECT_EQ(found[0].cost, std::llround(x * cpu.most + z * cpu.read + y * cpu.write)) << "an image is written first";
  EXPECT_EQ(found[1].cost, std::llround(9 * x * cpu.read + z * cpu.write + 9 * z * cpu.read + y * cpu.write));
}

TEST_F(LayoutCostTest, CostsOfTargetsAreSummed) {
  const auto chains = convolution(16, "10x10", "f32");
  for (size_t i : {0, 1}) {
    const int64_t cpu = candidatesOf(chains.front(), {"cpu"})[i].cost,
                  cuda = candidatesOf(chains.front(), {"cuda"})[i].cost;
    EXPECT_NEAR(candidatesOf(chains.front(), {"cpu", "cuda"})[i].cost, cpu + cuda, 1);
    EXPECT_EQ(candidatesOf(chains.front(), {})[i].cost, candidatesOf(chains.front(), {"cpu", "cuda"})[i].cost);
  }
}

TEST_F(LayoutCostTest, UnknownExtentsCountAs64) {
  const auto chains = convolution(16, "?x10", "f32", R"(, #graph.shape<"1", "16", "s0", "10">)");
  EXPECT_EQ(candidatesOf(chains.front(), {"cpu"})[0].bytes, 2 * 16 * 64 * 10 * 4);
}

TEST_F(LayoutCostTest, HugeExtentsStayNumbers) {
  const auto chains = convolution(16, "1000000000x1000000", "f32");
  const auto found = candidatesOf(chains.front(), {"cpu"});
  EXPECT_GT(found[0].cost, 0);
  EXPECT_GT(found[1].cost, 0);
}

TEST(LayoutCost, TheFirstOfEqualCandidatesIsChosen) {
  const Candidate equal[] = {{graph::ConvLayout::ChannelsLast, 2, 8, 16}, {graph::ConvLayout::ChannelsFirst, 0, 0, 16}};
  EXPECT_EQ(cheapest(equal).layout, graph::ConvLayout::ChannelsLast);
  const Candidate cheaper[] = {{graph::ConvLayout::ChannelsLast, 2, 8, 16},
                               {graph::ConvLayout::ChannelsFirst, 0, 0, 15}};
  EXPECT_EQ(cheapest(cheaper).layout, graph::ConvLayout::ChannelsFirst);
}

} // namespace
} // namespace cupola::layout
