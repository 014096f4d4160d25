//===- test/Pipelines/LooseAttributesTest.cpp - that the audit finds what is planted ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Pipelines/LooseAttributes.h"

#include "dialects/Graph/Graph.h"
#include "lib/Pipelines/Pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace cupola::test {
namespace {

/// Everything that may hold a text, and a text for people.
constexpr StringLiteral allowed = R"(
graph.provenance nodes [["exp", "Exp"], ["shape", "Shape"]] folded ["shape"]
graph.assume "s0" equal "2" because "a text"
func.func @main(%x: tensor<?xf32, #graph.shape<"s0">> {graph.name = "x"})
    -> (tensor<?xf32, #graph.shape<"s0">> {graph.name = "y"}) {
  %0 = graph.unary exp %x : tensor<?xf32, #graph.shape<"s0">> -> tensor<?xf32, #graph.shape<"s0">>
    loc("exp"("Exp"))
  return %0 : tensor<?xf32, #graph.shape<"s0">>
}
)";

class LooseAttributesTest : public ::testing::Test {
protected:
  LooseAttributesTest() { context.loadDialect<graph::GraphDialect, func::FuncDialect>(); }
  OwningOpRef<ModuleOp> parse(StringRef text) { return parseSourceString<ModuleOp>(text, &context); }

  MLIRContext context;
  LooseAttributes audit;
};

TEST_F(LooseAttributesTest, WhatIsListedIsAllowed) { EXPECT_EQ(audit.find("import", *parse(allowed)), ""); }

TEST_F(LooseAttributesTest, ADiscardableAttributeIsFound) {
  OwningOpRef<ModuleOp> module = parse(allowed);
  module->walk([&](graph::UnaryOp op) { op->setAttr("hint", UnitAttr::get(&context)); });
  EXPECT_EQ(audit.find("planted", *module), "after planted: graph.unary has the discardable attribute hint");
}

TEST_F(LooseAttributesTest, AStringIsFound) {
  EXPECT_EQ(audit.find("planted", *parse("func.func private @f()")),
            "after planted: func.func has a string in sym_visibility");
}

TEST_F(LooseAttributesTest, AStringInAnArgumentsAttributeIsFound) {
  EXPECT_EQ(audit.find("planted", *parse(R"(func.func @f(%x: tensor<2xf32> {func.hint = ["a"]}) { return })")),
            "after planted: func.func has a string in arg_attrs/func.hint");
}

TEST_F(LooseAttributesTest, APipelineNamesThePass) {
  OwningOpRef<ModuleOp> module = parse(allowed);
  PipelineOptions options;
  std::string found;
  options.afterPass = [&](StringRef pass, ModuleOp module) {
    if (pass == "graph-recognize-gelu")
      module->walk([&](graph::UnaryOp op) { op->setAttr("hint", UnitAttr::get(&context)); });
    if (found.empty())
      found = audit.find(pass, module);
  };
  ASSERT_TRUE(runGraphPasses(*module, options).isOk());
  EXPECT_EQ(found, "after graph-recognize-gelu: graph.unary has the discardable attribute hint");
}

} // namespace
} // namespace cupola::test
