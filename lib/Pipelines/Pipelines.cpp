//===- lib/Pipelines/Pipelines.cpp - the pass order, on one page ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Pipelines/Pipelines.h"

#include "dialects/Graph/Provenance.h"
#include "dialects/Kernel/Variables.h"
#include "lib/Conversion/GraphToKernel/Passes.h"
#include "lib/Pipelines/Instrumentation.h"
#include "lib/Pipelines/ProvenanceAudit.h"
#include "lib/Runtime/Format/Libraries.h"
#include "lib/Target/PassErrors.h"
#include "lib/Target/Target.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Quantized/QuantizedProducts.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace cupola {

std::optional<Phase> parsePhase(StringRef name) {
  static constexpr std::pair<StringRef, Phase> names[] = {{"graph", Phase::Graph},   {"fused", Phase::Fused},
                                                          {"kernel", Phase::Kernel}, {"plan", Phase::Plan},
                                                          {"cuda", Phase::Cuda},     {"package", Phase::Package}};
  for (auto &[text, phase] : names)
    if (text == name)
      return phase;
  return std::nullopt;
}

ArrayRef<OptionalPass> optionalPasses() {
  static constexpr OptionalPass table[] = {
      {"host-steps", "sorts and scatters by functions of the runtime where these are faster than kernels (cpu)"},
      {"fold-constants", "computes what is made of constants alone"},
      {"simplify", "drops what does nothing, merges views, moves ops to where they fuse"},
      {"graph-cse", "computes equal ops once"},
      {"choose-layouts", "makes chains of convolutions channels last where that costs less"},
      {"recognize-gelu", "written-out GELU as one op"},
      {"recognize-silu", "x * sigmoid(x) and hard swish as one op"},
      {"recognize-layer-norm", "written-out layer norm and RMS norm as one op"},
      {"recognize-group-norm", "flattened groups of channels with their own dimensions"},
      {"recognize-softmax", "guarded and written-out softmax as one op"},
      {"fold-scales", "batch normalisation as part of the weights"},
      {"turn-concats", "concats that windows read transposed are written so"},
      {"flatten-matmul", "one contraction for all batches that share a weight"},
      {"pack-weights", "keeps weights of four bits packed, which products take apart as they read them"},
      {"block-products",
       "multiplies rows as bytes by weights of 4 bits, or 8 where a model or --int8-rows permits it (cpu)"},
      {"integer-products", "computes products of quantised operands in integers or float8"},
      {"merge-matmuls", "one contraction for several weights, as of Q, K and V"},
      {"split-norms", "few long rows normalised by the whole GPU (cuda)"},
      {"column-norms", "norms whose rows lie in short pieces, as groups of channels last, by columns (cpu)"},
      {"split-windows", "large windows of pools reduced one dimension after the other (cpu)"},
      {"join-parts", "many computed parts are written where they stand in their concat"},
      {"cut-concats", "a concat of very many parts is written by several kernels of bounded size"},
      {"fuse-attention", "computes both products of an attention, and the softmax between them, in one kernel"},
      {"fuse-few-rows", "computes products of the same few rows in one kernel, and the norm of a single row (cuda)"},
      {"fuse-epilogues", "computes what follows a hero in its kernel"},
      {"fuse-prologues", "computes pointwise producers inside their only reader"},
      {"fold-norms", "norms between products of 16 bits are no kernels (cuda)"},
      {"keep-recurrences", "computes all steps of an LSTM, a GRU or an RNN in one kernel (cuda)"},
      {"cse", "computes equal scalars of a kernel once"},
      {"fuse-horizontal", "launches small kernels that do not depend on each other as one (cuda)"},
  };
  return table;
}

namespace {

/// Stands before another pass and fails where the compilation is to stop.
class CancelPoint : public PassWrapper<CancelPoint, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CancelPoint)
  explicit CancelPoint(CancelPoll poll) : poll(std::move(poll)) {}
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (poll())
      signalPassFailure();
  }

private:
  CancelPoll poll;
};

/// Of a module that does not verify: an expression that is too long is none of the passes' fault.
Status checkLengths(ModuleOp module) {
  std::optional<Location> where;
  module.walk([&](Operation *op) {
    kernel::forEachExpr(op, [&](const Expr &expr) {
      if (expr.overflowed())
        where = op->getLoc();
    });
    return where ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!where)
    return {};
  return Status(Code::Unsupported, nodesText(*where) +
                                       ": an address depends on dimensions by an expression with more than " +
                                       std::to_string(Expr::maxNodes) +
                                       " parts or by numbers that do not fit 64 bits; fewer unknown dimensions "
                                       "(--shape) make it shorter");
}

/// Adds passes to a manager unless they are switched off.
class Builder {
public:
  Builder(ModuleOp module, const PipelineOptions &options)
      : module(module), options(options), manager(module.getContext()) {
    manager.enableVerifier(options.isWatched()); // what it takes is a fifth of a large model's compile
    addInstrumentation(manager, module, options, broken);
  }

  bool isOn(StringRef name) const { return !options.disabled.count(name.str()); }
  void add(std::unique_ptr<Pass> pass) { addTo(manager, std::move(pass)); }
  template <class Op> void addNested(std::unique_ptr<Pass> pass) { addTo(manager.nest<Op>(), std::move(pass)); }
  OpPassManager &main() { return manager.nest<func::FuncOp>(); }

  Status run() {
    const PassErrors errors(module.getContext());
    const bool ran = succeeded(manager.run(module));
    if (!ran)
      CUPOLA_TRY(pollCancel(options.cancelled));
    if (!ran || (!options.isWatched() && failed(verify(module)))) {
      CUPOLA_TRY(checkLengths(module));
      return errors.status("a pass failed");
    }
    if (!options.isWatched() && options.checkProvenance && failed(ProvenanceAudit(module).check(module)))
      return errors.status("the passes broke the provenance");
    return broken.empty() ? Status() : Status::internal(broken);
  }

private:
  void addTo(OpPassManager &place, std::unique_ptr<Pass> pass) {
    if (options.cancelled)
      place.addPass(std::make_unique<CancelPoint>(options.cancelled));
    place.addPass(std::move(pass));
  }

  ModuleOp module;
  const PipelineOptions &options;
  std::string broken; ///< by which pass and how, as instrumentation found
  PassManager manager;
};

} // namespace

Result<OwningOpRef<ModuleOp>> runNamingFaults(llvm::function_ref<Status(ModuleOp, const PipelineOptions &)> passes,
                                              ModuleOp module, const PipelineOptions &options) {
  OwningOpRef<ModuleOp> made = module.clone();
  const Status status = passes(*made, options);
  if (status.isOk())
    return made;
  if (status.code() == Code::Internal && !options.isWatched()) {
    PipelineOptions watched = options;
    watched.afterPass = [](StringRef, ModuleOp) {};
    CUPOLA_TRY(passes(*OwningOpRef<ModuleOp>(module.clone()), watched));
  }
  return status;
}

static PrecisionOptions passOptions(const PrecisionChoice &choice) {
  PrecisionOptions options;
  options.element = choice.element;
  options.keep.assign(choice.keep.begin(), choice.keep.end());
  options.interface = choice.interface;
  return options;
}

static AllowTf32Options tf32Options(const PrecisionChoice &choice) {
  AllowTf32Options options;
  options.three = choice.tf32 == 3;
  options.keep.assign(choice.keep.begin(), choice.keep.end());
  return options;
}

static ChooseLayoutsOptions layoutOptions(const PipelineOptions &options) {
  ChooseLayoutsOptions layouts;
  layouts.targets.assign(options.targets.begin(), options.targets.end());
  return layouts;
}

Status runGraphPasses(ModuleOp module, const PipelineOptions &options) {
  Builder b(module, options);
  auto add = [&](StringRef name, std::unique_ptr<Pass> (*create)()) {
    if (b.isOn(name))
      b.addNested<func::FuncOp>(create());
  };
  auto tidy = [&](bool motion) {
    SimplifyOptions simplify;
    simplify.motion = motion;
    if (b.isOn("simplify"))
      b.addNested<func::FuncOp>(createSimplify(simplify));
    add("graph-cse", createGraphCse);
  };
  auto fold = [&] {
    FoldConstantsOptions kept;
    kept.keepQuantized = b.isOn("integer-products");
    if (b.isOn("fold-constants"))
      b.addNested<func::FuncOp>(createFoldConstants(kept));
  };
  b.addNested<func::FuncOp>(createFoldEmpty());
  PackWeightsOptions packed; // where every target will round rows that meet weights of few bits
  packed.roundedToBytes = options.targets == std::set<std::string>{"cpu"} && b.isOn("block-products") &&
                          options.precision.int8Rows != graph::Int8Rows::Never;
  packed.threads = options.threads;
  if (b.isOn("pack-weights"))
    b.addNested<func::FuncOp>(createPackWeights(packed));
  fold();
  tidy(/*motion=*/false); // what is recognised stands together as it was written
  add("recognize-gelu", createRecognizeGelu);
  add("recognize-silu", createRecognizeSilu);
  add("recognize-layer-norm", createRecognizeLayerNorm);
  add("recognize-group-norm", createRecognizeGroupNorm);
  add("recognize-softmax", createRecognizeSoftmax);
  if (b.isOn("choose-layouts"))
    b.addNested<func::FuncOp>(createChooseLayouts(layoutOptions(options)));
  add("turn-concats", createTurnConcats);
  add("flatten-matmul", createFlattenMatMul);
  add("fold-scales", createFoldScales);
  tidy(/*motion=*/true);
  fold();
  if (b.isOn("merge-matmuls"))
    b.addNested<func::FuncOp>(createMergeMatMuls());
  add("turn-columns", createTurnColumns);
  tidy(/*motion=*/true);
  if (!options.precision.element.empty()) {
    b.addNested<func::FuncOp>(createPrecision(passOptions(options.precision)));
    add("fold-constants", createFoldConstants); // weights get 16 bits now
  }
  if (options.precision.tf32 != 0)
    b.addNested<func::FuncOp>(createAllowTf32(tf32Options(options.precision)));
  if (options.precision.int8Rows)
    b.addNested<func::FuncOp>(createAllowInt8Rows({/*never=*/*options.precision.int8Rows == graph::Int8Rows::Never}));
  return b.run();
}

Status runPrecisionPass(ModuleOp module, const PipelineOptions &options) {
  Builder b(module, options);
  b.addNested<func::FuncOp>(createPrecision(passOptions(options.precision)));
  return b.run();
}

/// A snippet has no meaning for a target that compiles no CUDA C++.
static Status requireCallable(ModuleOp module, const Target &target) {
  Status status;
  if (!target.callsSnippets())
    module.walk([&](graph::CallOp call) {
      if (call.getSame())
        return WalkResult::advance();
      status = Status::unsupported(graph::displayName(call.getLoc()) +
                                   ": the op library has a snippet for this op and no expression, which target '" +
                                   target.name().str() + "' needs: it compiles no CUDA C++");
      return WalkResult::interrupt();
    });
  return status;
}

static bool hasQuantizedProducts(ModuleOp module) {
  return module
      .walk([](Operation *op) { return quantizedProduct(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

Status runFusionPasses(ModuleOp module, const VariantSpec &variant, const PipelineOptions &options) {
  Builder b(module, options);
  const Target &target = *findTarget(variant.target);
  auto isOn = [&](StringRef name) {
    if (variant.forAny && name == "keep-recurrences")
      return false;
    return format::findLibrary(name) ? options.libraries.count(name.str()) != 0 : b.isOn(name);
  };
  CUPOLA_TRY(requireCallable(module, target));
  b.addNested<func::FuncOp>(createChooseCalls({!target.callsSnippets(), target.isHost() && b.isOn("host-steps")}));
  if (b.isOn("integer-products") && hasQuantizedProducts(module)) {
    b.addNested<func::FuncOp>(
        createIntegerProducts([&](Operation *op) { return target.multipliesIntegers(variant.arch, op); }));
    if (b.isOn("fold-constants"))
      b.addNested<func::FuncOp>(createFoldConstants());
  }
  target.addGraphPasses(b.main(), variant.arch, isOn, options.threads);
  if (b.isOn("join-parts"))
    b.addNested<func::FuncOp>(createJoinParts());
  if (b.isOn("cut-concats"))
    b.addNested<func::FuncOp>(createCutConcats());
  FormFusionsOptions fusion;
  fusion.epilogues = b.isOn("fuse-epilogues");
  fusion.prologues = b.isOn("fuse-prologues");
  fusion.attention = b.isOn("fuse-attention");
  fusion.mostKept = target.mostKept();
  fusion.fewRows = b.isOn("fuse-few-rows") ? target.fewRows() : 0;
  const Target::WindowImages images = target.windowImages();
  fusion.windowBytes = images.mostBytes;
  fusion.windowChannels = images.fewestChannels;
  fusion.shortRuns = images.shortRuns;
  fusion.mixedChannels = target.mixedChannels();
  fusion.mirrored = target.writesMirrored();
  const Target::ByteKeys byteKeys = target.byteKeys(variant.arch);
  fusion.byteKeys = byteKeys != Target::ByteKeys::None;
  fusion.scaledByteKeys = byteKeys == Target::ByteKeys::Computed;
  b.add(createFormFusions(fusion));
  if (!options.precision.element.empty())
    b.addNested<func::FuncOp>(createNarrowStored());
  target.addFusionPasses(b.main(), variant.arch, isOn);
  b.addNested<func::FuncOp>(createOrderExtents());
  return b.run();
}

Status runKernelPasses(ModuleOp module, const VariantSpec &, const PipelineOptions &options) {
  Builder b(module, options);
  b.add(createGraphToKernel());
  if (b.isOn("cse"))
    b.addNested<kernel::FuncOp>(createCSEPass());
  return b.run();
}

} // namespace cupola
