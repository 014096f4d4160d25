//===- lib/Compiler/Diagnose.cpp - the model's answer, stage by stage ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/CompilationImpl.h"
#include "lib/Compiler/PassAudit.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cupola::compiler {

/// The inputs in the order of the model.
static Result<std::vector<reference::Tensor>> inOrder(ModuleOp module, const std::vector<npz::Array> &inputs) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  std::vector<reference::Tensor> tensors;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    const std::string name = main.getArgAttrOfType<StringAttr>(i, "graph.name").str();
    auto input = llvm::find_if(inputs, [&](const npz::Array &array) { return array.name == name; });
    if (input == inputs.end())
      return Status::usage("no value for input '" + name + "'");
    tensors.push_back(reference::Tensor::borrow(input->dtype, input->shape, input->bytes.data()));
  }
  return tensors;
}

/// The results of `module` under their names.
static std::vector<npz::Array> arraysOf(ModuleOp module, ArrayRef<reference::Tensor> results) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  std::vector<npz::Array> arrays;
  for (auto [i, result] : llvm::enumerate(results)) {
    npz::Array array;
    array.name = main.getResultAttrOfType<StringAttr>(i, "graph.name").str();
    array.dtype = result.dtype();
    array.shape = result.shape();
    array.bytes.assign(result.data(), result.data() + result.bytes());
    arrays.push_back(std::move(array));
  }
  return arrays;
}

/// The passes once more, watched.
static Status findWrongPass(Compilation::Impl &impl, ArrayRef<reference::Tensor> inputs, const VariantSpec &spec,
                            double tolerance, Diagnosis &diagnosis) {
  PassAudit audit(inputs, tolerance);
  CUPOLA_TRY(audit.begin(*impl.imported));
  PipelineOptions watched = impl.variantContext.pipeline;
  watched.dumpDir.clear();
  watched.afterPass = [&](StringRef pass, ModuleOp module) { audit.afterPass(pass, module); };
  OwningOpRef<ModuleOp> module = impl.imported->clone();
  CUPOLA_TRY(impl.declareAliases(*module));
  CUPOLA_TRY(runGraphPasses(*module, watched));
  CUPOLA_TRY(runFusionPasses(*module, spec, watched));
  diagnosis.wrongPass = audit.pass;
  diagnosis.wrongNode = audit.node;
  return {};
}

Result<std::vector<npz::Array>> Compilation::reference(const std::vector<npz::Array> &inputs) {
  auto tensors = inOrder(*state->imported, inputs);
  if (tensors.failed())
    return tensors.status();
  auto results = reference::interpret(*state->imported, *tensors);
  if (results.failed())
    return results.status();
  return arraysOf(*state->imported, *results);
}

/// The outputs of the graph that became kernels; those that were added stand behind.
static Result<std::vector<reference::Tensor>> interpretFused(Compilation::Impl &impl,
                                                             ArrayRef<reference::Tensor> inputs,
                                                             const VariantSpec &spec, std::vector<npz::Array> &arrays) {
  OwningOpRef<ModuleOp> fused = impl.module->clone();
  PipelineOptions quiet = impl.variantContext.pipeline;
  quiet.dumpDir.clear();
  CUPOLA_TRY(runFusionPasses(*fused, spec, quiet));
  if (impl.options.kernelResults)
    returnFusionResults(*fused);
  auto results = reference::interpret(*fused, inputs);
  if (results.isOk())
    arrays = arraysOf(*fused, *results);
  return results;
}

Result<Diagnosis> Compilation::diagnose(const std::vector<npz::Array> &inputs, const std::string &target,
                                        const std::string &arch, double tolerance) {
  auto tensors = inOrder(*state->imported, inputs);
  if (tensors.failed())
    return tensors.status();
  const VariantSpec spec{target, arch};
  Diagnosis diagnosis;
  auto imported = reference::interpret(*state->imported, *tensors);
  if (imported.failed())
    return imported.status();
  diagnosis.imported = arraysOf(*state->imported, *imported);
  auto fused = interpretFused(*state, *tensors, spec, diagnosis.fused);
  if (fused.failed())
    return fused.status();
  bool isSame = true;
  for (auto [before, after] : llvm::zip(*imported, *fused))
    isSame &= agree(elementsOf(after), elementsOf(before), tolerance);
  if (!isSame)
    CUPOLA_TRY(findWrongPass(*state, *tensors, spec, tolerance, diagnosis));
  return diagnosis;
}

} // namespace cupola::compiler
