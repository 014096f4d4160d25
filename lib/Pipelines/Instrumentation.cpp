//===- lib/Pipelines/Instrumentation.cpp - dumps and checks between passes ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Pipelines/Instrumentation.h"

#include "lib/Pipelines/ProvenanceAudit.h"
#include "lib/Target/PassErrors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace cupola {

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
  ProvenanceInstrumentation(ModuleOp module, std::string &broken) : audit(module), broken(broken) {}
  void runAfterPass(Pass *pass, Operation *op) override {
    if (!broken.empty() || !isa<ModuleOp, func::FuncOp>(op)) // a pass over one kernel leaves the graph as it is
      return;
    const PassErrors errors(op->getContext());
    if (failed(audit.check(moduleOf(op))))
      broken = "pass " + optionName(*pass).str() + " broke the provenance: " + errors.text();
  }

private:
  ProvenanceAudit audit;
  std::string &broken;
};

} // namespace

void addInstrumentation(PassManager &manager, ModuleOp module, const PipelineOptions &options, std::string &broken) {
  if (!options.dumpDir.empty())
    manager.addInstrumentation(std::make_unique<DumpInstrumentation>(options.dumpDir));
  if (options.afterPass)
    manager.addInstrumentation(std::make_unique<CallbackInstrumentation>(options));
  if (options.checkProvenance && options.isWatched())
    manager.addInstrumentation(std::make_unique<ProvenanceInstrumentation>(module, broken));
}

} // namespace cupola
