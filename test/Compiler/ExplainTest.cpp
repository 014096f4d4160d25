//===- test/Compiler/ExplainTest.cpp - the figures of a report, against what a person counts ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Compiler/Compilation.h"
#include "test/Compiler/Layers.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cupola::compiler {

using test::need;

static nlohmann::json explain(const onnx::ModelProto &model, std::vector<ShapeSetting> shapes = {}) {
  const onnx_import::ScratchFolder folder;
  Options options;
  options.targets = {"cuda"};
  options.archs = {"sm_80"};
  options.sourceOnly = true;
  options.cacheDir = "none";
  options.shapes = std::move(shapes);
  auto compilation = need(Compilation::load(folder.write("m.onnx", model.SerializeAsString()), options));
  return nlohmann::json::parse(need(compilation->explain()));
}

TEST(Explain, TrafficAndArithmeticOfAllLaunches) {
  const nlohmann::json kernels = explain(test::layers())["kernels"];
  ASSERT_EQ(kernels.size(), 2u);
  // x: n rows of 8, w: 8 x 8, y: n rows of 8, in f32; two launches of the first.
  EXPECT_EQ(kernels[0]["launches"], 2);
  EXPECT_EQ(kernels[0]["bytes"], "128*s0 + 512");
  EXPECT_EQ(kernels[0]["flops"], "272*s0"); // 2 * (2 * n * 8 * 8 + n * 8)
  EXPECT_EQ(kernels[1]["launches"], 1);
  EXPECT_EQ(kernels[1]["bytes"], "64*s0 + 256");
  EXPECT_EQ(kernels[1]["flops"], "136*s0");
}

TEST(Explain, NumbersWhereShapesAreFixed) {
  const nlohmann::json kernels = explain(test::layers(), {{"n", {10}}})["kernels"];
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0]["bytes"], 1792);
  EXPECT_EQ(kernels[0]["flops"], 2720);
}

TEST(Explain, OfWhatIsGatheredOrCutOutOnlyThePartThatIsRead) {
  const nlohmann::json kernels =
      explain(onnx_import::modelOf(R"(parts (float[100, 8] table, int64[3] ids, float[50, 8] x)
      => (float[3, 8] y) <int64[1] from = {10}, int64[1] to = {13}> {
    rows = Gather(table, ids)
    part = Slice(x, from, to)
    y = Add(rows, part)
  })"))["kernels"];
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0]["bytes"], 3 * 32 + 3 * 8 + 3 * 32 + 3 * 32);
}

TEST(Explain, LayoutsOfChainsWithWhatTheyCost) {
  const nlohmann::json layouts =
      explain(onnx_import::modelOf(R"(chain (float[1, 8, 6, 6] x, float[8, 8, 3, 3] w) => (float[1, 8, 2, 2] y) {
    a = Conv(x, w)
    b = Relu(a)
    y = Conv(b, w)
  })"))["layouts"];
  ASSERT_EQ(layouts.size(), 1u);
  EXPECT_EQ(layouts[0]["layout"], "channels_last");
  EXPECT_EQ(layouts[0]["nodes"].size(), 2u);
  const nlohmann::json &candidates = layouts[0]["candidates"];
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_EQ(candidates[0]["layout"], "channels_last");
  EXPECT_EQ(candidates[0]["transposes"], 2);
  EXPECT_EQ(candidates[0]["bytes"], 8 * 36 * 4 + 8 * 4 * 4);
  EXPECT_EQ(candidates[1]["layout"], "channels_first");
  EXPECT_EQ(candidates[1]["transposes"], 0);
  EXPECT_LT(candidates[0]["cost"], candidates[1]["cost"]);
}

TEST(Explain, AnInitializerIsNoNode) {
  const nlohmann::json kernels = explain(onnx_import::modelOf(R"(shift (float[4] x) => (float[4] y)
      <float[1] half = {0.5}> {
    y = Add(x, half)
  })"))["kernels"];
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0]["nodes"].size(), 1u) << kernels[0]["nodes"].dump();
}

TEST(Explain, ARefusalBehindViewsIsShownForTheOpsThatCompute) {
  const nlohmann::json report =
      explain(onnx_import::modelOf(R"(heads (float[4, 6] x, float[4, 5] w) => (float[6, 5] y) {
    p = Softmax(x)
    t = Transpose(p)
    y = MatMul(t, w)
  })"));
  for (const nlohmann::json &edge : report["edges"])
    if (!edge["views"].empty()) {
      EXPECT_FALSE(edge["fused"]);
      EXPECT_EQ(edge["rule"], "hero");
      EXPECT_NE(edge["producer"].get<std::string>().find("Softmax"), std::string::npos);
      EXPECT_NE(edge["consumer"].get<std::string>().find("MatMul"), std::string::npos);
      EXPECT_EQ(edge["views"].size(), 1u);
      return;
    }
  FAIL() << report["edges"].dump(1);
}

} // namespace cupola::compiler
