//===- lib/Pipelines/Variant.cpp - the phases of one variant ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Pipelines/Variant.h"
#include "lib/Pipelines/ProvenanceAudit.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <chrono>

using namespace mlir;

namespace cupola {

namespace {

/// Adds the time of its life to a phase.
class PhaseTimer {
public:
  PhaseTimer(VariantContext &context, std::string name)
      : context(context), name(std::move(name)), start(std::chrono::steady_clock::now()) {}
  ~PhaseTimer() {
    double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    for (auto &[phase, total] : context.phases)
      if (phase == name) {
        total += ms;
        return;
      }
    context.phases.emplace_back(name, ms);
  }

private:
  VariantContext &context;
  std::string name;
  std::chrono::steady_clock::time_point start;
};

/// The binaries name kernels by their position in the program.
std::vector<uint32_t> allKernels(const format::Program &program) {
  std::vector<uint32_t> indices(program.kernels.size());
  for (size_t i = 0; i < indices.size(); ++i)
    indices[i] = i;
  return indices;
}

} // namespace

/// `shared` at phase kernel.
static Result<OwningOpRef<ModuleOp>> lowered(ModuleOp shared, const VariantSpec &spec, VariantContext &context) {
  OwningOpRef<ModuleOp> module = shared.clone();
  {
    PhaseTimer timer(context, "fusion");
    CUPOLA_TRY(runFusionPasses(*module, spec, context.pipeline));
    if (context.kernelResults)
      returnFusionResults(*module);
  }
  PhaseTimer timer(context, "kernels");
  CUPOLA_TRY(runKernelPasses(*module, spec, context.pipeline));
  return module;
}

/// The same; levels of the CPU, which differ in their code alone, share the work.
static Result<OwningOpRef<ModuleOp>> kernelsOf(ModuleOp shared, const VariantSpec &spec, VariantContext &context) {
  if (spec.target != "cpu")
    return lowered(shared, spec, context);
  if (!context.cpuKernels) {
    Result<OwningOpRef<ModuleOp>> module = lowered(shared, spec, context);
    if (module.failed())
      return module.status();
    context.cpuKernels = module.take();
  }
  return OwningOpRef<ModuleOp>(context.cpuKernels->clone());
}

Result<BuiltVariant> buildVariant(ModuleOp shared, const VariantSpec &spec, ArrayRef<std::string> cubins,
                                  VariantContext &context) {
  BuiltVariant built;
  built.variant.target = spec.target;
  built.variant.arch = spec.arch;
  bool isCuda = spec.target == "cuda";
  Result<OwningOpRef<ModuleOp>> module = kernelsOf(shared, spec, context);
  if (module.failed())
    return module.status();
  built.module = module.take();
  TargetKernels kernels;
  {
    PhaseTimer timer(context, "kernels");
    if (isCuda)
      CUPOLA_TRY(buildCudaKernels(*built.module, spec, kernels, built));
    else
      CUPOLA_TRY(prepareCpuKernels(*built.module, spec, kernels));
    for (auto func : built.module->getOps<kernel::FuncOp>())
      kernels[func.getSymName().str()].record.flops = kernel::operationsOf(func).text();
  }
  {
    PhaseTimer timer(context, "plan");
    plan::ProgramOp program = graphToPlan(*built.module, spec.target, spec.arch, kernels, context.weights);
    planMemory(program);
    if (context.pipeline.checkProvenance)
      CUPOLA_TRY(ProvenanceAudit(*built.module).checkPlan(*built.module, program));
    built.variant.program = planToFormat(program, kernels, context.nodes);
    for (auto &[name, kernel] : kernels)
      built.kernelNames[name] = kernel.record.name;
  }
  PhaseTimer timer(context, isCuda ? "nvrtc" : "llvm");
  if (isCuda)
    CUPOLA_TRY(compileCubins(cubins, built, context));
  else
    CUPOLA_TRY(compileCpuImage(spec, built, context));
  for (format::Binary &binary : built.variant.binaries)
    if (binary.kernels.empty())
      binary.kernels = allKernels(built.variant.program);
  return built;
}

} // namespace cupola
