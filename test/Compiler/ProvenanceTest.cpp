//===- test/Compiler/ProvenanceTest.cpp - no node of the model gets lost ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Pipelines/Pipelines.h"
#include "lib/Pipelines/ProvenanceAudit.h"

#include "dialects/Graph/Graph.h"
#include "dialects/Graph/Provenance.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace cupola {
namespace {

/// "exp" is computed, "size" folded, "copy" dead.
constexpr StringLiteral text = R"(
graph.provenance nodes [["size", "Shape"], ["copy", "Identity"], ["exp", "Exp"]] folded ["size"] dead ["copy"]
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.unary exp %x : tensor<2xf32> -> tensor<2xf32> loc(#exp)
  %1 = graph.unary neg %0 : tensor<2xf32> -> tensor<2xf32> loc(#exp)
  return %1 : tensor<2xf32>
}
#exp = loc("exp"("Exp"))
)";

class Provenance : public ::testing::Test {
protected:
  Provenance() : handler(&context, [this](Diagnostic &diagnostic) { return error = diagnostic.str(), success(); }) {
    context.loadDialect<graph::GraphDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
  }
  /// The nodes of all ops become those of `name`.
  void rename(StringRef name, StringRef op) {
    module->walk([&](graph::UnaryOp unary) { unary->setLoc(graph::nodeLocation(&context, name, op)); });
  }

  void forgetGone() { forgetGone(*module); }
  static void forgetGone(ModuleOp module) {
    graph::ProvenanceOp record = graph::provenanceOf(module);
    record.setFoldedAttr(ArrayAttr::get(module.getContext(), {}));
    record.setDeadAttr(ArrayAttr::get(module.getContext(), {}));
  }

  MLIRContext context;
  std::string error;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
};

TEST_F(Provenance, EveryNodeIsComputedFoldedOrDead) {
  EXPECT_TRUE(succeeded(ProvenanceAudit(*module).check(*module))) << error;
}

TEST_F(Provenance, ALostNodeIsFound) {
  rename("size", "Shape");
  EXPECT_TRUE(failed(ProvenanceAudit(*module).check(*module)));
  EXPECT_EQ(error, "node 'exp' of the model is neither computed nor folded nor dead");
}

TEST_F(Provenance, ANodeThatNoOneDeclaredGoneIsFound) {
  forgetGone();
  EXPECT_TRUE(failed(ProvenanceAudit(*module).check(*module)));
  EXPECT_EQ(error, "node 'size' of the model is neither computed nor folded nor dead");
}

TEST_F(Provenance, AnUnknownNodeIsFound) {
  rename("other", "Exp");
  EXPECT_TRUE(failed(ProvenanceAudit(*module).check(*module)));
  EXPECT_EQ(error, "names the node \"other\", which the model does not have");
}

TEST_F(Provenance, AnInitializerIsNoNode) {
  module->walk([&](graph::UnaryOp unary) {
    const Location weight = NameLoc::get(StringAttr::get(&context, "weight"));
    unary->setLoc(FusedLoc::get(&context, {unary.getLoc(), weight}));
  });
  EXPECT_TRUE(succeeded(ProvenanceAudit(*module).check(*module))) << error;
}

TEST_F(Provenance, OnlyWhatIsNotNamedAnyMoreIsGone) {
  Operation *main = module->lookupSymbol("main");
  graph::NodeNames before = graph::namedNodes(main);
  EXPECT_EQ(before.size(), 1u);
  graph::recordGone(main, before, graph::Fate::Dead);
  EXPECT_EQ(graph::goneNodes(*module, graph::Fate::Dead).size(), 1u); // "copy" alone
  rename("size", "Shape");
  graph::recordGone(main, before, graph::Fate::Dead);
  EXPECT_EQ(graph::goneNodes(*module, graph::Fate::Dead).size(), 2u);
  EXPECT_TRUE(succeeded(ProvenanceAudit(*module).check(*module))) << error;
}

/// What a pass of the pipeline finds broken is an error of that pass, by the name that --disable-pass takes.
TEST_F(Provenance, APipelineNamesNodeAndPass) {
  PipelineOptions options;
  options.afterPass = [&](llvm::StringRef pass, mlir::ModuleOp) { // what the next pass is blamed for
    if (pass == "graph-fold-empty")
      forgetGone();
  };
  const Status status = runGraphPasses(*module, options);
  EXPECT_EQ(status.code(), Code::Internal);
  EXPECT_EQ(
      status.message().find("pass pack-weights broke the provenance: node 'size' of the model is neither computed "
                            "nor folded nor dead"),
      0u)
      << status.message();
}

/// Nobody watches at first: what is found at the end is looked for again.
TEST_F(Provenance, AFaultIsFoundAgainByItsPass) {
  unsigned runs = 0;
  auto breaking = [&](ModuleOp graph, const PipelineOptions &options) {
    ++runs;
    forgetGone(graph);
    return runGraphPasses(graph, options);
  };
  const Status status = runNamingFaults(breaking, *module, {}).status();
  EXPECT_EQ(status.message().find("pass graph-fold-empty broke the provenance: node 'size'"), 0u) << status.message();
  EXPECT_EQ(runs, 2u);
  EXPECT_TRUE(runNamingFaults(runGraphPasses, *module, {}).isOk());
}

} // namespace
} // namespace cupola
