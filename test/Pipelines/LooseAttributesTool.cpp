//===- test/Pipelines/LooseAttributesTool.cpp - the audit over whole pipelines ---===//
// SPDX-License-Identifier: Apache-2.0
//
// cupola-loose-attributes MODEL.onnx..: imports each, runs the passes of both targets up to
// the plan, and audits the module after every one. Prints what is loose and counts models.
//===----------------------------------------------------------------------===//
#include "test/Pipelines/LooseAttributes.h"

#include "lib/Import/Onnx/OnnxImporter.h"
#include "lib/Import/Onnx/OpLibrary/OpLibrary.h"
#include "lib/Import/Onnx/OpTable.h"
#include "lib/Pipelines/Variant.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace cupola;

namespace {

class Auditor {
public:
  /// The first complaint about the model, or why there is none; empty: all is declared.
  std::string run(const std::string &path) {
    DialectRegistry registry;
    registry.insert<func::FuncDialect, graph::GraphDialect, kernel::KernelDialect, plan::PlanDialect>();
    for (const Target *target : targets())
      target->registerDialects(registry);
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    onnx_import::Diagnostics diagnostics;
    auto model = onnx_import::loadModelFile(path, {}, onnx_import::isKnownOp, diagnostics);
    OwningOpRef<ModuleOp> module;
    if (model)
      module = onnx_import::importModel(*model, {}, {}, context, diagnostics, onnx_import::OpLibrary()).module;
    if (!module)
      return "is not imported";
    check("import", *module);
    Status status = runGraphPasses(*module, options());
    for (const VariantSpec &spec : {VariantSpec{"cuda", "sm_80"}, VariantSpec{"cpu", "x86-64-v3"}})
      if (status.isOk())
        status = build(*module, spec);
    return found.empty() ? status.message() : found;
  }

private:
  Status build(ModuleOp shared, const VariantSpec &spec) {
    OwningOpRef<ModuleOp> module = shared.clone();
    CUPOLA_TRY(runFusionPasses(*module, spec, options()));
    CUPOLA_TRY(runKernelPasses(*module, spec, options()));
    TargetKernels kernels;
    TargetCode code;
    CUPOLA_TRY(findTarget(spec.target)->lower(*module, spec.arch, TargetRequest(), Workers(), kernels, code));
    check("kernels of " + spec.target, *module);
    WeightTable weights;
    planMemory(graphToPlan(*module, spec.target, spec.arch, kernels, weights));
    check("plan of " + spec.target, *module);
    return {};
  }

  PipelineOptions options() {
    PipelineOptions options;
    options.afterPass = [this](StringRef pass, ModuleOp module) { check(pass.str(), module); };
    return options;
  }

  void check(const std::string &pass, ModuleOp module) {
    if (found.empty())
      found = audit.find(pass, module);
  }

  test::LooseAttributes audit;
  std::string found;
};

} // namespace

int main(int argc, char **argv) {
  int good = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string complaint = Auditor().run(argv[i]);
    good += complaint.empty();
    if (!complaint.empty())
      llvm::outs() << argv[i] << ": " << complaint << "\n";
  }
  llvm::outs() << good << " of " << argc - 1 << " models hold no loose attribute\n";
  return good == argc - 1 ? 0 : 1;
}
