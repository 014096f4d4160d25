//===- test/Compiler/PassAuditTest.cpp - a wrong pass is found and named ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Compiler/PassAudit.h"

#include "dialects/Graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace cupola::compiler {

namespace {

/// y = neg((x + sqrt([16, 25])) * 2), with `sum` for the addition and its constant.
std::string graphText(const std::string &sum) {
  return R"(
func.func @main(%x: tensor<2xf32> {graph.name = "x"}) -> (tensor<2xf32> {graph.name = "y"}) {
)" + sum +
         R"(
  %two = graph.constant dense<2.0> : tensor<2xf32> : tensor<2xf32> loc("two"("Constant"))
  %3 = graph.binary mul %2, %two : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32> loc("double"("Mul"))
  %4 = graph.unary neg %3 : tensor<2xf32> -> tensor<2xf32> loc("flip"("Neg"))
  return %4 : tensor<2xf32>
}
)";
}

const char *const written = R"(
  %0 = graph.constant dense<[16.0, 25.0]> : tensor<2xf32> : tensor<2xf32> loc("squares"("Constant"))
  %1 = graph.unary sqrt %0 : tensor<2xf32> -> tensor<2xf32> loc("root"("Sqrt"))
  %2 = graph.binary add %x, %1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32> loc("sum"("Add")))";

std::string folded(const std::string &values) {
  return "  %1 = graph.constant dense<[" + values + R"(]> : tensor<2xf32> : tensor<2xf32> loc("root"("Sqrt"))
  %2 = graph.binary add %x, %1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32> loc("sum"("Add")))";
}

class PassAuditTest : public ::testing::Test {
protected:
  PassAuditTest() { context.loadDialect<mlir::func::FuncDialect, graph::GraphDialect>(); }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  void begin(PassAudit &audit) { ASSERT_TRUE(audit.begin(*parse(graphText(written))).isOk()); }

  mlir::MLIRContext context;
  const float x[2] = {1, -3};
  std::vector<reference::Tensor> inputs{reference::Tensor::borrow(format::DType::F32, {2}, x)};
};

} // namespace

TEST_F(PassAuditTest, PassesThatKeepTheAnswerAreNotNamed) {
  reference::Strings strings(*parse("module {}"));
  PassAudit audit(inputs, strings, 1e-6);
  begin(audit);
  audit.afterPass("fold-constants", *parse(graphText(folded("4.0, 5.0"))));
  EXPECT_EQ(audit.pass, "");
}

TEST_F(PassAuditTest, AWrongFoldIsNamedWithItsNode) {
  reference::Strings strings(*parse("module {}"));
  PassAudit audit(inputs, strings, 1e-6);
  begin(audit);
  audit.afterPass("simplify", *parse(graphText(written)));
  audit.afterPass("fold-constants", *parse(graphText(folded("4.0, 6.0"))));
  audit.afterPass("simplify", *parse(graphText(folded("4.0, 6.0")))); // as wrong as the one before
  EXPECT_EQ(audit.pass, "fold-constants");
  EXPECT_EQ(audit.node, "root");
}

TEST_F(PassAuditTest, AViewOfTheSameElementsIsNoDifference) {
  const std::string reshaped = R"(
func.func @main(%x: tensor<2xf32> {graph.name = "x"}) -> (tensor<2xf32> {graph.name = "y"}) {
  %r = graph.reshape %x : tensor<2xf32> -> tensor<1x2xf32> loc("sum"("Add"))
  %c = graph.constant dense<[[4.0, 5.0]]> : tensor<1x2xf32> : tensor<1x2xf32> loc("root"("Sqrt"))
  %s = graph.binary add %r, %c : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32> loc("sum"("Add"))
  %two = graph.constant dense<3.0> : tensor<1x2xf32> : tensor<1x2xf32> loc("two"("Constant"))
  %d = graph.binary mul %s, %two : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32> loc("double"("Mul"))
  %v = graph.reshape %d : tensor<1x2xf32> -> tensor<2xf32> loc("double"("Mul"))
  %n = graph.unary neg %v : tensor<2xf32> -> tensor<2xf32> loc("flip"("Neg"))
  return %n : tensor<2xf32>
})";
  reference::Strings strings(*parse("module {}"));
  PassAudit audit(inputs, strings, 1e-6);
  begin(audit);
  audit.afterPass("motion", *parse(reshaped));
  EXPECT_EQ(audit.pass, "motion");
  EXPECT_EQ(audit.node, "two"); // the factor changed, not the values before it
}

} // namespace cupola::compiler
