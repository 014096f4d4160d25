//===- lib/Pipelines/Instrumentation.cpp - dumps and checks between passes ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Pipelines/Instrumentation.h"

#include "dialects/Graph/Graph.h"
#include "dialects/Graph/Provenance.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace cupola {

/// The first node of the model that is not named and neither folded nor dead; empty: none.
static std::string lostNode(ModuleOp module, const graph::NodeNames &named) {
  auto all = module->getAttrOfType<ArrayAttr>("graph.nodes");
  Operation *main = module.lookupSymbol("main");
  if (!all || !main)
    return {}; // not imported from a model (hand-written IR of tests)
  const graph::NodeNames folded = graph::goneNodes(main, graph::Fate::Folded),
                         dead = graph::goneNodes(main, graph::Fate::Dead);
  for (auto node : all.getAsRange<ArrayAttr>()) {
    auto name = cast<StringAttr>(node[0]);
    if (!named.contains(name) && !folded.contains(name) && !dead.contains(name))
      return "node '" + name.str() + "' of the model is neither computed nor folded nor dead";
  }
  return {};
}

LogicalResult checkProvenance(ModuleOp module) {
  auto all = module->getAttrOfType<ArrayAttr>("graph.nodes");
  if (!all)
    return success(); // not imported from a model (hand-written IR of tests)
  llvm::StringSet<> known;
  for (auto node : all.getAsRange<ArrayAttr>()) // [name, op]
    known.insert(cast<StringAttr>(node[0]).getValue());
  WalkResult walk = module.walk([&](graph::ClassInterface op) {
    bool isConstant = op.getFusionClass() == graph::FusionClass::Constant;
    SmallVector<graph::NodeRef> nodes = graph::nodesOf(op->getLoc());
    if (nodes.empty() && !isConstant) {
      op->emitError("computes no node of the model: a pass lost its location");
      return WalkResult::interrupt();
    }
    for (const graph::NodeRef &node : nodes)
      if (!known.contains(node.name.getValue()) && !isConstant) {
        op->emitError() << "names the node " << node.name << ", which the model does not have";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  const std::string lost = lostNode(module, graph::namedNodes(module));
  return lost.empty() ? success() : module.emitError(lost);
}

Status checkPlanProvenance(ModuleOp module, plan::ProgramOp program) {
  graph::NodeNames named = graph::namedNodes(program);
  module.walk([&](graph::ConstantOp op) {
    const graph::NodeNames nodes = graph::namedNodes(op);
    named.insert(nodes.begin(), nodes.end());
  });
  const std::string lost = lostNode(module, named);
  return lost.empty() ? Status() : Status::internal("the plan: " + lost);
}

void dumpModule(ModuleOp module, const std::string &dir, StringRef name) {
  llvm::sys::fs::create_directories(dir);
  unsigned count = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(dir, error), end; it != end && !error; it.increment(error))
    count += llvm::sys::path::extension(it->path()) == ".mlir";
  SmallString<128> path(dir);
  std::string number = (count < 10 ? "0" : "") + std::to_string(count);
  llvm::sys::path::append(path, number + "-" + name + ".mlir");
  llvm::raw_fd_ostream stream(path, error);
  if (!error)
    module->print(stream, OpPrintingFlags().elideLargeElementsAttrs(16).elideLargeResourceString(16));
}

namespace {

ModuleOp moduleOf(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  return module ? module : op->getParentOfType<ModuleOp>();
}

class DumpInstrumentation : public PassInstrumentation {
public:
  explicit DumpInstrumentation(std::string dir) : dir(std::move(dir)) {}
  void runAfterPass(Pass *pass, Operation *op) override {
    if (!pass->getArgument().empty())
      dumpModule(moduleOf(op), dir, pass->getArgument());
  }

private:
  std::string dir;
};

class CallbackInstrumentation : public PassInstrumentation {
public:
  explicit CallbackInstrumentation(const PipelineOptions &options) : options(options) {}
  void runAfterPass(Pass *pass, Operation *op) override {
    if (!pass->getArgument().empty())
      options.afterPass(pass->getArgument(), moduleOf(op));
  }

private:
  const PipelineOptions &options;
};

/// As --disable-pass spells it; passes that have a namesake in MLIR bear a prefix.
StringRef optionName(const Pass &pass) {
  const StringRef name = pass.getArgument().empty() ? pass.getName() : pass.getArgument();
  StringRef bare = name;
  bare.consume_front("graph-");
  return llvm::any_of(optionalPasses(), [&](const OptionalPass &row) { return row.name == bare; }) &&
                 llvm::none_of(optionalPasses(), [&](const OptionalPass &row) { return row.name == name; })
             ? bare
             : name;
}

class ProvenanceInstrumentation : public PassInstrumentation {
public:
  explicit ProvenanceInstrumentation(std::string &broken) : broken(broken) {}
  void runAfterPass(Pass *pass, Operation *op) override {
    if (!broken.empty() || !isa<ModuleOp, func::FuncOp>(op)) // a pass over one kernel leaves the graph as it is
      return;
    std::string why;
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diagnostic) {
      why = diagnostic.str();
      return success();
    });
    if (failed(checkProvenance(moduleOf(op))))
      broken = ("pass " + optionName(*pass) + " broke the provenance: " + why).str();
  }

private:
  std::string &broken;
};

} // namespace

void addInstrumentation(PassManager &manager, const PipelineOptions &options, std::string &broken) {
  // One module at a time is dumped and checked, whatever the passes are nested in.
  manager.getContext()->disableMultithreading();
  if (!options.dumpDir.empty())
    manager.addInstrumentation(std::make_unique<DumpInstrumentation>(options.dumpDir));
  if (options.afterPass)
    manager.addInstrumentation(std::make_unique<CallbackInstrumentation>(options));
  if (options.checkProvenance)
    manager.addInstrumentation(std::make_unique<ProvenanceInstrumentation>(broken));
}

} // namespace cupola
