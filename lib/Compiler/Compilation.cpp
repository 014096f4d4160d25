//===- lib/Compiler/Compilation.cpp - a model on its way to a package ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/CompilationImpl.h"

#include "dialects/Graph/Provenance.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Plan/Plan.h"
#include "lib/Runtime/Format/PackageWriter.h"
#include "lib/Transforms/DeclareAliases.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/ThreadPool.h"

using namespace mlir;

namespace cupola::compiler {

namespace {

DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registry.insert<func::FuncDialect, graph::GraphDialect, kernel::KernelDialect, plan::PlanDialect>();
  for (const Target *target : targets())
    target->registerDialects(registry);
  return registry;
}

/// Runs what it is given at once: passes have one thread, the phases of a compilation share them out
/// (Variant.cpp). A context without a pool would not lock what its threads share.
class CallersThread : public llvm::ThreadPoolInterface {
public:
  void wait() override {}
  void wait(llvm::ThreadPoolTaskGroup &) override {}
  unsigned getMaxConcurrency() const override { return 1; }

private:
  void asyncEnqueue(llvm::unique_function<void()> task, llvm::ThreadPoolTaskGroup *) override { task(); }
};

} // namespace

/// Once asked to stop, a compilation stays stopped: what a pass left out is missing for good.
static CancelPoll latched(std::function<bool()> cancelled) {
  if (!cancelled)
    return nullptr;
  return [cancelled = std::move(cancelled), isLatched = std::make_shared<std::atomic<bool>>(false)] {
    if (!*isLatched && cancelled())
      *isLatched = true;
    return isLatched->load();
  };
}

Tell inTurn(Tell tell, std::shared_ptr<std::mutex> turn) {
  if (!tell)
    return nullptr;
  return [tell = std::move(tell), turn = std::move(turn)](const std::string &what) {
    const std::lock_guard lock(*turn);
    tell(what);
  };
}

Compilation::Impl::Impl(Options opts)
    : options(std::move(opts)), context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
  static CallersThread pool;
  if (options.threads > 1)
    context.setThreadPool(pool);
  variantContext.pipeline.dumpDir = options.dumpIrDir;
  variantContext.pipeline.disabled.insert(options.disabledPasses.begin(), options.disabledPasses.end());
  variantContext.pipeline.libraries = options.libraries;
  variantContext.kernelResults = options.kernelResults;
  variantContext.request = {options.archs, options.sourceOnly, options.cpuLevels};
  variantContext.request.fuseHorizontally = !variantContext.pipeline.disabled.count("fuse-horizontal");
  TargetServices &services = variantContext.services;
  services.threads = variantContext.pipeline.threads = options.threads;
  auto turn = std::make_shared<std::mutex>();
  services.progress = inTurn(options.progress, turn);
  services.cancelled = latched(options.cancelled);
  variantContext.pipeline.cancelled = services.cancelled;
  services.warn = inTurn(
      [this](const std::string &text) {
        warnings.push_back(text);
        if (options.warn)
          options.warn(text);
      },
      turn);
  if (!options.cache)
    options.cache = std::make_shared<runtime::ByteCache>(options.cacheDir, inTurn(options.warn, turn));
  services.cache = options.cache;
  services.nvrtc = std::make_shared<runtime::cuda::CubinCache>(services.cache);
}

Status Compilation::Impl::begin(const std::string &phase) const {
  const TargetServices &services = variantContext.services;
  CUPOLA_TRY(pollCancel(services.cancelled));
  if (services.progress)
    services.progress(phase);
  return {};
}

static std::string optionalPassNames() {
  auto names = llvm::map_range(optionalPasses(), [](const OptionalPass &pass) { return pass.name; });
  return llvm::join(names, ", ");
}

static std::string targetNames() {
  return llvm::join(llvm::map_range(targets(), [](const Target *target) { return target->name().str(); }), ", ");
}

Status Compilation::Impl::chooseVariants() {
  for (const std::string &name : options.disabledPasses)
    if (llvm::none_of(optionalPasses(), [&](const OptionalPass &pass) { return pass.name == name; }))
      return Status::usage("no optional pass is called '" + name + "'; there are: " + optionalPassNames());
  for (const std::string &name : options.targets)
    if (!findTarget(name))
      return Status::usage("no target is called '" + name + "'; there are: " + targetNames());
  for (const Target *target : targets()) {
    if (!llvm::is_contained(options.targets, target->name().str()))
      continue;
    std::vector<std::string> archs;
    CUPOLA_TRY(target->chooseArchitectures(variantContext.request, archs));
    for (std::string &arch : archs)
      specs.push_back({target->name().str(), std::move(arch)});
    variantContext.pipeline.targets.insert(target->name().str());
  }
  return specs.empty() ? Status::usage("no target was asked for; there are: " + targetNames()) : Status();
}

Status Compilation::Impl::choosePrecision() {
  static const std::map<std::string, std::string> elements = {{"fp32", ""}, {"fp16", "f16"}, {"bf16", "bf16"}};
  const auto element = elements.find(options.precision);
  if (element == elements.end())
    return Status::usage("precision is '" + options.precision + "', expected fp32, fp16 or bf16");
  if (!options.io.empty() && (options.io != options.precision || options.precision == "fp32"))
    return Status::usage("io is '" + options.io + "' where the precision is " + options.precision +
                         ": inputs and outputs can only have the 16-bit type of the precision");
  static const std::map<std::string, int> products = {{"", 0}, {"x1", 1}, {"x3", 3}};
  const auto tf32 = products.find(options.tf32);
  if (tf32 == products.end())
    return Status::usage("tf32 is '" + options.tf32 + "', expected x1 or x3");
  if (tf32->second != 0 && options.precision != "fp32")
    return Status::usage("the precision is " + options.precision + ", but products of tf32 are for those of fp32");
  if (!options.keepFp32.empty() && options.precision == "fp32" && tf32->second == 0)
    return Status::usage("nodes are to be kept in fp32, but the precision is fp32: choose fp16 or bf16, or tf32");
  const std::optional<graph::Int8Rows> int8Rows = graph::symbolizeInt8Rows(options.int8Rows);
  if (!int8Rows && options.int8Rows != "auto")
    return Status::usage("int8_rows is '" + options.int8Rows + "', expected auto, always or never");
  variantContext.pipeline.precision = {element->second, options.keepFp32, !options.io.empty(), tf32->second, int8Rows};
  return {};
}

Status Compilation::Impl::readTuning() {
  TargetRequest &request = variantContext.request;
  request.shippedTuning = options.tuning != "none";
  if (options.tuning.empty() || !request.shippedTuning)
    return {};
  CUPOLA_ASSIGN(TuningTable table, TuningTable::read(options.tuning));
  request.tuning = std::make_shared<const TuningTable>(std::move(table));
  return {};
}

Status Compilation::Impl::checkKeptNodes() const {
  graph::ProvenanceOp provenance = graph::provenanceOf(*module);
  for (const std::string &text : options.keepFp32) {
    llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(text);
    if (!pattern)
      return Status::usage("'" + text + "' is no pattern of node names: " + llvm::toString(pattern.takeError()));
    if (provenance && llvm::none_of(provenance.getNodes().getAsRange<ArrayAttr>(), [&](ArrayAttr node) {
          return pattern->match(cast<StringAttr>(node[0]).getValue());
        }))
      return Status::usage("no node is called '" + text + "', which is to be kept in fp32");
  }
  return {};
}

Status Compilation::Impl::load(const ModelSource &source, std::vector<Problem> *problems) {
  CUPOLA_TRY(chooseVariants());
  CUPOLA_TRY(choosePrecision());
  CUPOLA_TRY(readTuning());
  CUPOLA_TRY(begin("import"));
  CUPOLA_TRY(importFrom(source, problems));
  CUPOLA_TRY(checkKeptNodes());
  imported = std::move(module);
  if (options.everyValue) {
    module = imported->clone();
    return {};
  }
  CUPOLA_TRY(begin("graph"));
  CUPOLA_ASSIGN(module, makeGraph(variantContext.pipeline));
  return {};
}

Result<OwningOpRef<ModuleOp>> Compilation::Impl::makeGraph(const PipelineOptions &pipeline) const {
  auto passes = [&](ModuleOp graph, const PipelineOptions &options) -> Status {
    for (const AliasSetting &alias : this->options.aliases)
      CUPOLA_TRY(declareAliases(graph, alias.input, alias.output));
    return runGraphPasses(graph, options);
  };
  return runNamingFaults(passes, *imported, pipeline);
}

Status Compilation::Impl::build() {
  if (!variants.empty())
    return {};
  CUPOLA_TRY(begin("kernels"));
  return buildVariants(*module, specs, variantContext, variants);
}

static void printModule(ModuleOp module, llvm::raw_ostream &stream) {
  module->print(stream, OpPrintingFlags().elideLargeElementsAttrs(16).elideLargeResourceString(16));
}

Status Compilation::Impl::emitBuilt(Phase phase, llvm::raw_ostream &stream) {
  CUPOLA_TRY(build());
  for (const BuiltVariant &built : variants) {
    stream << "// variant " << nameOf(built.variant) << "\n";
    if (phase == Phase::Plan)
      printModule(*built.module, stream);
    else
      for (const format::Source &source : built.variant.sources)
        stream << "// " << source.name << "\n" << source.text;
  }
  return {};
}

Status Compilation::Impl::emit(Phase phase, std::string &text) {
  llvm::raw_string_ostream stream(text);
  if (phase == Phase::Graph) {
    printModule(*module, stream);
    return {};
  }
  if (phase == Phase::Plan || phase == Phase::Cuda)
    return emitBuilt(phase, stream);
  for (const VariantSpec &spec : specs) {
    stream << "// variant " << spec.target << " " << spec.arch << "\n";
    OwningOpRef<ModuleOp> copy = module->clone();
    CUPOLA_TRY(runFusionPasses(*copy, spec, variantContext.pipeline));
    if (phase == Phase::Kernel)
      CUPOLA_TRY(runKernelPasses(*copy, spec, variantContext.pipeline));
    printModule(*copy, stream);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The public face
//===----------------------------------------------------------------------===//

Compilation::Compilation(std::unique_ptr<Impl> state) : state(std::move(state)) {}
Compilation::~Compilation() = default;

Result<std::unique_ptr<Compilation>> Compilation::load(const ModelSource &source, Options options) {
  auto state = std::make_unique<Impl>(std::move(options));
  CUPOLA_TRY(state->load(source));
  return std::unique_ptr<Compilation>(new Compilation(std::move(state)));
}

Status Compilation::check(const ModelSource &source, Options options, std::vector<Problem> &problems) {
  Status status = Impl(std::move(options)).load(source, &problems);
  if (status.failed() && problems.empty())
    problems.push_back({status.code(), "", "", 0, status.message(), status.message(), {}});
  return status;
}

Status Compilation::build() { return state->build(); }

Result<std::string> Compilation::emit(const std::string &phase) {
  std::optional<Phase> parsed = parsePhase(phase);
  if (!parsed || *parsed == Phase::Package)
    return Status::usage("cannot print phase '" + phase + "': graph, fused, kernel, plan or cuda");
  std::string text;
  CUPOLA_TRY(state->emit(*parsed, text));
  return text;
}

Result<std::string> Compilation::explain() {
  CUPOLA_TRY(state->build());
  return state->explain();
}

std::vector<std::pair<std::string, double>> Compilation::phases() const { return state->variantContext.phases; }
uint64_t Compilation::nvrtcCompiles() const { return state->variantContext.services.nvrtc->counters().compiles; }
uint64_t Compilation::llvmCompiles() const { return state->variantContext.services.llvmCompiles; }

} // namespace cupola::compiler
