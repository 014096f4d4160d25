//===- test/Import/Onnx/OpLibraryTest.cpp - what a file of ops may not say ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/OpLibrary/OpLibrary.h"

#include <gtest/gtest.h>

namespace cupola::onnx_import {
namespace {

std::string problemOf(const std::string &text) {
  OpLibrary library;
  return library.addText(text, "ops.yaml", false).message();
}

/// An op with these lines, indented by four, after its name and domain.
std::string problemIn(const std::string &lines) { return problemOf("ops:\n  - op: F\n    domain: my.ops\n" + lines); }

std::string ofExpression(const std::string &expression) {
  return problemIn("    inputs: [x]\n    outputs:\n      - {name: y, expression: '" + expression + "'}\n");
}

TEST(OpLibrary, FindsTheNewestOpThatIsNotTooNew) {
  OpLibrary library;
  const char *text = R"(ops:
  - {op: F, domain: my.ops, inputs: [x], outputs: [{name: y, expression: x}]}
  - {op: F, domain: my.ops, since: 3, inputs: [x, "a = 2"], outputs: [{name: y, expression: x * a}]}
)";
  ASSERT_EQ(library.addText(text, "ops.yaml", false).message(), "");
  EXPECT_EQ(library.find("my.ops", "F", 2)->since, 1);
  EXPECT_EQ(library.find("my.ops", "F", 4)->since, 3);
  EXPECT_EQ(library.find("my.ops", "F", 4)->leastInputs(), 1u);
  EXPECT_EQ(library.find("my.ops", "F", 0), nullptr);
  EXPECT_EQ(library.find("my.ops", "G", 1), nullptr);
  EXPECT_EQ(library.find("", "F", 1), nullptr);
  EXPECT_TRUE(library.hasOpsOf("my.ops"));
  EXPECT_NE(library.addText(text, "again.yaml", false).message().find("'F' is defined twice"), std::string::npos);
}

TEST(OpLibrary, SaysWhichLineIsNoDefinition) {
  EXPECT_EQ(problemOf("ops:\n  - op: F\n    inputs: [x]\n").substr(0, 15), "ops.yaml: line ");
  EXPECT_NE(problemOf("ops:\n  - op: F\n    domain: my.ops\n    inputs: [x]\n    output: y\n").find("output"),
            std::string::npos);
  EXPECT_EQ(problemOf("hello"), "ops.yaml: line 1: not a mapping");
  EXPECT_FALSE(problemOf("").empty());
  EXPECT_FALSE(problemOf("ops: [").empty());
  EXPECT_EQ(problemOf("ops: " + std::string(200000, '[')), "ops.yaml: its brackets nest deeper than 100");
}

TEST(OpLibrary, RefusesWhatMakesNoSense) {
  const std::string outputs = "    outputs:\n      - {name: y, expression: x}\n";
  EXPECT_EQ(problemIn("    inputs: []\n" + outputs),
            "ops.yaml: op 'F': has 0 inputs and 1 outputs, expected one of each at least");
  EXPECT_EQ(problemIn("    since: 0\n    inputs: [x]\n" + outputs), "ops.yaml: op 'F': since is 0, expected 1 or more");
  EXPECT_EQ(problemIn("    inputs: ['x y']\n" + outputs),
            "ops.yaml: op 'F': input 'x y' has not the form NAME, NAME[DIM, ..] or NAME[DIM, ..] = NUMBER");
  EXPECT_EQ(
      problemIn("    inputs: ['x[n, +]']\n" + outputs),
      "ops.yaml: op 'F': input 'x' has the dimension '+', expected a name, a number, '*', or '...' as the first one");
  EXPECT_EQ(problemIn("    inputs: ['x = 1', b]\n" + outputs),
            "ops.yaml: op 'F': input 'b' has no number for nodes without it, the one before it has");
  EXPECT_EQ(problemIn("    inputs: [x, 'w[x]']\n" + outputs),
            "ops.yaml: op 'F': two of its inputs, attributes and dimensions are called 'x'");
  EXPECT_EQ(
      problemIn("    inputs: [x]\n    attributes: {a: fast}\n" + outputs),
      "ops.yaml: op 'F': attribute 'a' is 'fast', expected 'float', 'int' or the number that it is where a node has "
      "none");
  EXPECT_EQ(problemIn("    inputs: [x]\n    outputs:\n      - {name: y}\n"),
            "ops.yaml: op 'F': output 'y': has no expression and no snippet");
  EXPECT_EQ(problemIn("    inputs: ['x[n]']\n    outputs:\n      - {name: y, shape: '[n, m]', expression: x}\n"),
            "ops.yaml: op 'F': output 'y': extent 'm' uses 'm', which is no dimension of an input");
  EXPECT_EQ(
      problemIn("    inputs: [x]\n    outputs:\n      - {name: y, type: float3, expression: x}\n"),
      "ops.yaml: op 'F': output 'y': 'float3' is none of its inputs, broadcast or a list of extents, nor an element "
      "type");
  EXPECT_EQ(problemIn("    inputs: [x, 'b = 0']\n    outputs:\n      - {name: y, shape: b, expression: x}\n"),
            "ops.yaml: op 'F': output 'y': it is to be like 'b', which a node may lack");
  EXPECT_EQ(
      problemIn("    inputs: [x]\n    outputs:\n      - {name: y, expression: x + z}\n"),
      "ops.yaml: op 'F': output 'y': the expression uses 'z', which is no input, attribute or dimension of the op");
  EXPECT_EQ(
      problemOf("ops:\n  - {op: Relu, domain: com.microsoft, inputs: [x], outputs: [{name: y, expression: x}]}\n"),
      "ops.yaml: op 'Relu': the domain 'com.microsoft' has ops of its own, expected a domain that Cupola knows "
      "nothing of");
  EXPECT_NE(
      problemOf("ops:\n  - {op: Mine, domain: '', inputs: [x], outputs: [{name: y, expression: x}]}\n").find("ai.onnx"),
      std::string::npos);
}

TEST(OpLibrary, SaysWhereAnExpressionIsWrong) {
  const std::string head = "ops.yaml: op 'F': the expression of output 'y': ";
  EXPECT_EQ(ofExpression("x * (x + 1.5e-3)"), "");
  EXPECT_EQ(ofExpression("x *"), head + "character 4 is the end, expected a number, a name or '('");
  EXPECT_EQ(ofExpression("(x + 1"), head + "character 7 is the end, expected ')'");
  EXPECT_EQ(ofExpression("x ? 1"), head + "character 6 is the end, expected ':'");
  EXPECT_EQ(ofExpression("x x"), head + "character 3 is 'x', expected the end");
  EXPECT_EQ(ofExpression("max(x)"), head + "max() has 1 operands, expected 2");
  EXPECT_NE(ofExpression("expo(x)").find("there is no function 'expo'; there are: abs, acos,"), std::string::npos);
  EXPECT_EQ(ofExpression(std::string(200, '(') + "x"), head + "nested deeper than 100");
  EXPECT_EQ(ofExpression(std::string(200, '-') + "x"), head + "nested deeper than 100");
  EXPECT_EQ(ofExpression(std::string(200, '(') + "x" + std::string(200, ')')), head + "nested deeper than 100");
}

} // namespace
} // namespace cupola::onnx_import
