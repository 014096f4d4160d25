//===- lib/Pipelines/Variant.cpp - the phases of all variants ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Pipelines/Variant.h"

#include "lib/Pipelines/ProvenanceAudit.h"
#include "lib/Runtime/Text.h"

#include <chrono>
#include <numeric>

using namespace mlir;

namespace cupola {

namespace {

using Module = OwningOpRef<ModuleOp>;

/// Adds the time of its life to the phases.
class PhaseTimer {
public:
  PhaseTimer(VariantContext &context, const char *name)
      : context(context), name(name), start(std::chrono::steady_clock::now()) {}
  ~PhaseTimer() {
    double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    context.phases.emplace_back(name, ms);
  }

private:
  VariantContext &context;
  const char *name;
  std::chrono::steady_clock::time_point start;
};

/// Takes all variants through one phase after the other. What variants share, the tables of
/// weights and nodes, is filled by one thread in the order of the variants.
class Build {
public:
  Build(ModuleOp shared, ArrayRef<VariantSpec> specs, VariantContext &context)
      : shared(shared), context(context), variants(specs.size()) {
    for (auto [variant, spec] : llvm::zip(variants, specs)) {
      variant.spec = spec;
      variant.target = findTarget(spec.target);
    }
  }

  Status run(std::vector<BuiltVariant> &built) {
    CUPOLA_TRY(makeKernels());
    CUPOLA_TRY(lowerKernels());
    CUPOLA_TRY(makePlans());
    CUPOLA_TRY(compileCode());
    for (Variant &variant : variants)
      built.push_back(std::move(variant.built));
    return {};
  }

private:
  struct Variant {
    VariantSpec spec;
    const Target *target = nullptr;
    Module kernels;         ///< at phase kernel, of the first variant among those that share them
    Variant *own = nullptr; ///< that variant
    TargetKernels records;
    TargetCode code;
    BuiltVariant built;
  };

  /// Several variants at a time; `inner` threads are left to each.
  Status forEach(llvm::function_ref<Status(Variant &, unsigned inner)> work) {
    // One module at a time is dumped.
    const unsigned threads = context.pipeline.isWatched() ? 1 : std::max(1u, context.services.threads);
    const unsigned outer = std::min<unsigned>(threads, variants.size());
    CodeJobs jobs;
    for (Variant &variant : variants)
      jobs.pieces.push_back([&variant, &work, inner = std::max(1u, threads / outer)] { return work(variant, inner); });
    return runJobs(jobs, {outer, context.services.cancelled});
  }

  /// Fusions and kernels, once for all architectures of a target whose kernels are the same.
  Status makeKernels() {
    const PhaseTimer timer(context, "kernels");
    share();
    CUPOLA_TRY(forEach([&](Variant &variant, unsigned) { return makeKernels(variant); }));
    if (!addForAny())
      return {};
    share();
    return forEach([&](Variant &variant, unsigned) { return makeKernels(variant); });
  }

  void share() {
    for (Variant &variant : variants)
      variant.own = &*llvm::find_if(variants, [&](const Variant &other) {
        return &other == &variant || (other.target == variant.target && variant.target->sharesKernels());
      });
  }

  Status makeKernels(Variant &variant) {
    if (variant.own != &variant || variant.kernels)
      return {};
    auto passes = [&](ModuleOp module, const PipelineOptions &options) -> Status {
      CUPOLA_TRY(runFusionPasses(module, variant.spec, options));
      variant.built.variant.multiprocessors = variant.target->multiprocessorsFor(module, variant.spec.arch);
      if (context.kernelResults)
        returnFusionResults(module);
      return runKernelPasses(module, variant.spec, options);
    };
    CUPOLA_ASSIGN(variant.kernels, runNamingFaults(passes, shared, context.pipeline));
    return {};
  }

  /// Behind each variant that needs many multiprocessors one for any GPU. Where results of kernels are the model's,
  /// too, all variants have the same kernels.
  bool addForAny() {
    const size_t before = variants.size();
    for (size_t i = 0; i < variants.size() && !context.kernelResults; ++i) {
      if (variants[i].built.variant.multiprocessors == 0)
        continue;
      Variant other;
      other.spec = variants[i].spec;
      other.spec.forAny = true;
      other.target = variants[i].target;
      variants.insert(variants.begin() + ++i, std::move(other));
    }
    return variants.size() > before;
  }

  Status lowerKernels() {
    const PhaseTimer timer(context, "text");
    for (Variant &variant : llvm::reverse(variants)) // the first takes what the others have copied
      variant.built.module =
          variant.own == &variant ? std::move(variant.kernels) : Module(variant.own->kernels->clone());
    return forEach([&](Variant &variant, unsigned inner) -> Status {
      CUPOLA_TRY(variant.target->lower(*variant.built.module, variant.spec.arch, context.request,
                                       {inner, context.services.cancelled}, variant.records, variant.code));
      return {};
    });
  }

  Status makePlans() {
    const PhaseTimer timer(context, "plan");
    for (Variant &variant : variants) {
      CUPOLA_TRY(pollCancel(context.services.cancelled));
      if (context.services.warn)
        llvm::for_each(variant.code.warnings, context.services.warn);
      ModuleOp module = *variant.built.module;
      plan::ProgramOp program =
          graphToPlan(module, variant.spec.target, variant.spec.arch, variant.records, context.weights);
      planMemory(program);
      if (context.pipeline.checkProvenance)
        CUPOLA_TRY(ProvenanceAudit(module).checkPlan(module, program));
      variant.built.variant.program = planToFormat(program, variant.records, context.nodes);
      for (auto &[name, kernel] : variant.records)
        variant.built.kernelNames[name] = kernel.record.name;
    }
    return {};
  }

  Status compileCode() {
    const PhaseTimer timer(context, "code");
    std::vector<CodeJobs> jobs;
    for (Variant &variant : variants) {
      const format::Program &program = variant.built.variant.program;
      jobs.push_back(variant.target->compile(*variant.built.module, variant.spec.arch, program, context.request,
                                             context.services, variant.code));
      for (std::function<Status()> &piece : jobs.back().pieces)
        piece = [this, &program, piece = std::move(piece)] {
          return runtime::withKernelNodes(piece(), context.nodes.all(), program);
        };
    }
    CUPOLA_TRY(runJobs(jobs, {context.services.threads, context.services.cancelled}));
    for (Variant &variant : variants)
      take(variant);
    return {};
  }

  /// The code becomes part of the variant.
  static void take(Variant &variant) {
    format::Variant &result = variant.built.variant;
    variant.built.spec = variant.spec;
    result.target = variant.spec.target;
    result.arch = variant.spec.arch;
    result.sources = std::move(variant.code.sources);
    result.binaries = std::move(variant.code.binaries);
    variant.built.resources = std::move(variant.code.resources);
    std::vector<uint32_t> all(result.program.kernels.size());
    std::iota(all.begin(), all.end(), 0); // binaries name kernels by their position in the program
    for (format::Binary &binary : result.binaries)
      if (binary.kernels.empty())
        binary.kernels = all;
  }

  ModuleOp shared;
  VariantContext &context;
  std::vector<Variant> variants;
};

} // namespace

Status buildVariants(ModuleOp shared, ArrayRef<VariantSpec> specs, VariantContext &context,
                     std::vector<BuiltVariant> &built) {
  return Build(shared, specs, context).run(built);
}

} // namespace cupola
