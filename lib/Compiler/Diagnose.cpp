//===- lib/Compiler/Diagnose.cpp - the model's answer, stage by stage ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/Arrays.h"
#include "lib/Compiler/CompilationImpl.h"
#include "lib/Compiler/PassAudit.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cupola::compiler {

/// The passes once more, watched.
static Status findWrongPass(Compilation::Impl &impl, ArrayRef<reference::Tensor> inputs, const VariantSpec &spec,
                            double tolerance, reference::Strings &strings, Diagnosis &diagnosis) {
  PassAudit audit(inputs, strings, tolerance);
  CUPOLA_TRY(audit.begin(*impl.imported));
  PipelineOptions watched = impl.variantContext.pipeline;
  watched.dumpDir.clear();
  watched.afterPass = [&](StringRef pass, ModuleOp module) { audit.afterPass(pass, module); };
  CUPOLA_ASSIGN(OwningOpRef<ModuleOp> module, impl.makeGraph(watched));
  CUPOLA_TRY(runFusionPasses(*module, spec, watched));
  diagnosis.wrongPass = audit.pass;
  diagnosis.wrongNode = audit.node;
  return {};
}

Result<std::vector<npz::Array>> Compilation::reference(const std::vector<npz::Array> &inputs) {
  reference::Strings strings(*state->imported);
  CUPOLA_ASSIGN(auto tensors, tensorsOf(*state->imported, inputs, strings));
  CUPOLA_ASSIGN(auto results, reference::interpret(*state->imported, tensors, nullptr, &strings));
  return arraysOf(*state->imported, results, strings);
}

/// The outputs of the graph that became kernels; those that were added stand behind.
static Result<std::vector<reference::Tensor>> interpretFused(Compilation::Impl &impl,
                                                             ArrayRef<reference::Tensor> inputs,
                                                             const VariantSpec &spec, reference::Strings &strings,
                                                             std::vector<npz::Array> &arrays) {
  OwningOpRef<ModuleOp> fused = impl.module->clone();
  PipelineOptions quiet = impl.variantContext.pipeline;
  quiet.dumpDir.clear();
  CUPOLA_TRY(runFusionPasses(*fused, spec, quiet));
  if (impl.options.kernelResults)
    returnFusionResults(*fused);
  auto results = reference::interpret(*fused, inputs, nullptr, &strings);
  if (results.isOk()) {
    CUPOLA_ASSIGN(arrays, arraysOf(*fused, *results, strings));
  }
  return results;
}

Result<Diagnosis> Compilation::diagnose(const std::vector<npz::Array> &inputs, const std::string &target,
                                        const std::string &arch, double tolerance) {
  reference::Strings strings(*state->imported);
  CUPOLA_ASSIGN(auto tensors, tensorsOf(*state->imported, inputs, strings));
  const VariantSpec spec{target, arch};
  if (llvm::none_of(state->specs, [&](const VariantSpec &s) { return s.target == target && s.arch == arch; }))
    return Status::usage("the compilation has no variant " + target + " " + arch);
  Diagnosis diagnosis;
  CUPOLA_ASSIGN(auto imported, reference::interpret(*state->imported, tensors, nullptr, &strings));
  CUPOLA_ASSIGN(diagnosis.imported, arraysOf(*state->imported, imported, strings));
  CUPOLA_ASSIGN(auto fused, interpretFused(*state, tensors, spec, strings, diagnosis.fused));
  bool isSame = true;
  for (auto [before, after] : llvm::zip(imported, fused))
    isSame &= agree(elementsOf(after), elementsOf(before), tolerance);
  if (!isSame)
    CUPOLA_TRY(findWrongPass(*state, tensors, spec, tolerance, strings, diagnosis));
  return diagnosis;
}

} // namespace cupola::compiler
