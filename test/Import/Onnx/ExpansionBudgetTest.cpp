//===- test/Import/Onnx/ExpansionBudgetTest.cpp - calls inside calls -------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ExpansionBudget.h"

#include "test/Import/Onnx/TestModels.h"

namespace cupola::onnx_import {
namespace {

constexpr const char *header = "<ir_version: 8, opset_import: [\"\" : 17, \"f\" : 1]>";
constexpr const char *functionHeader = "<domain: \"f\", opset_import: [\"\" : 17, \"f\" : 1]>";

/// Functions F0 ... F<last>; each but the last calls the next `calls` times.
onnx::ModelProto chain(int last, int calls) {
  std::string text = std::string(header) + "g (float[2] x) => (float[2] y) { y = f.F0(x) }";
  for (int i = 0; i <= last; ++i) {
    const std::string self = "F" + std::to_string(i), next = "F" + std::to_string(i + 1);
    text += functionHeader + self + " (v0) => (v" + std::to_string(i == last ? 1 : calls) + ") {";
    for (int k = 0; k < (i == last ? 1 : calls); ++k)
      text += " v" + std::to_string(k + 1) + " = " + (i == last ? std::string("Relu") : "f." + next) + "(v" +
              std::to_string(k) + ")";
    text += " }\n";
  }
  return modelOf(text);
}

struct Outcome {
  int code;
  std::string text;
};

Outcome check(const onnx::ModelProto &model, const Limits &limits = {}) {
  Diagnostics diagnostics;
  EXPECT_EQ(checkExpansion(model, limits, diagnostics), !diagnostics.failed());
  return {diagnostics.exitCode(), firstError(diagnostics)};
}

TEST(ExpansionBudget, CountsNodesAfterInlining) {
  // Main calls F0; F0 calls F1 3 times, F1 F2 3 times: calls 1 + 3 + 9, Relu 9.
  Limits limits;
  limits.nodes = 22;
  EXPECT_EQ(check(chain(2, 3), limits).text, "no error");
  limits.nodes = 21;
  EXPECT_CONTAINS(check(chain(2, 3), limits).text, "would make 22 nodes, which exceeds the limit nodes=21");
}

TEST(ExpansionBudget, BombsAreLimitsNotHangs) {
  const Outcome bomb = check(chain(40, 2));
  EXPECT_EQ(bomb.code, 5);
  const Outcome overflow = check(chain(90, 2));
  EXPECT_EQ(overflow.code, 5);
  EXPECT_CONTAINS(overflow.text, "over 2^63 nodes");
}

TEST(ExpansionBudget, DeepChainsAreLimited) {
  EXPECT_EQ(check(chain(99, 1)).text, "no error");
  const Outcome outcome = check(chain(3000, 1));
  EXPECT_EQ(outcome.code, 5);
  EXPECT_CONTAINS(outcome.text, "limit function-depth=100");
}

TEST(ExpansionBudget, RecursionIsAnErrorWithItsPath) {
  const std::string head = std::string(header) + "g (float[2] x) => (float[2] y) { y = Relu(x) }";
  const auto with = [&](const std::string &functions) { return check(modelOf(head + functions)); };
  const std::string f = functionHeader;
  const Outcome direct = with(f + "F (a) => (b) { b = f.F(a) }");
  EXPECT_EQ(direct.code, 3);
  EXPECT_CONTAINS(direct.text, "functions call each other in a circle: 'F' -> 'F'");
  EXPECT_CONTAINS(with(f + "F (a) => (b) { b = f.G(a) }" + f + "G (a) => (b) { b = f.F(a) }").text,
                  "'F' -> 'G' -> 'F'");
  EXPECT_CONTAINS(with(f + "F (c, a) => (b) { b = If(c) <then_branch = t () => (float[2] p) "
                           "{ p = f.F(c, a) }, else_branch = e () => (float[2] q) { q = Relu(a) }> }")
                      .text,
                  "'F' -> 'F'");
}

} // namespace
} // namespace cupola::onnx_import
