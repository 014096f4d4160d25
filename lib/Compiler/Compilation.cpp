//===- lib/Compiler/Compilation.cpp - a model on its way to a package ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/CompilationImpl.h"

#include "dialects/Kernel/Kernel.h"
#include "dialects/Plan/Plan.h"
#include "lib/Import/Onnx/OnnxImporter.h"
#include "lib/Import/Onnx/OpTable.h"
#include "lib/Runtime/Format/MachineMemory.h"
#include "lib/Runtime/Format/PackageWriter.h"
#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Target/CUDA/CudaTarget.h"
#include "lib/Transforms/DeclareAliases.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "onnx/onnx_pb.h"

using namespace mlir;

namespace cupola::compiler {

namespace {

/// Source families: every GPU runs the newest one that is not newer than itself. Later
/// families differ in what a block may use of shared memory; where a GPU has less than
/// the one before it (sm_86, 89, 120 against sm_80), it has a family of its own.
constexpr StringRef cudaFamilies[] = {"sm_75", "sm_80", "sm_86"};

StringRef familyOf(const cuda::CudaTargetInfo &target) {
  if (!target.asyncCopy)
    return "sm_75";
  return target.sharedBytes < cuda::cudaTarget("sm_80")->sharedBytes ? "sm_86" : "sm_80";
}

DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registry.insert<func::FuncDialect, graph::GraphDialect, kernel::KernelDialect, plan::PlanDialect>();
  cpu::registerCpuDialects(registry);
  cuda::registerCudaDialect(registry);
  return registry;
}

bool contains(const std::vector<std::string> &list, StringRef item) { return llvm::is_contained(list, item.str()); }

} // namespace

Compilation::Impl::Impl(Options opts)
    : options(std::move(opts)), context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
  variantContext.pipeline.dumpDir = options.dumpIrDir;
  variantContext.pipeline.disabled.insert(options.disabledPasses.begin(), options.disabledPasses.end());
  variantContext.pipeline.libraries = options.libraries == "auto";
  variantContext.threads = options.threads;
  variantContext.progress = options.progress;
  variantContext.kernelResults = options.kernelResults;
  auto warn = options.warn ? options.warn : [](const std::string &) {};
  variantContext.cache = std::make_shared<runtime::ByteCache>(options.cacheDir, warn);
  variantContext.nvrtc = std::make_shared<runtime::cuda::CubinCache>(variantContext.cache);
}

void Compilation::Impl::progress(const std::string &what) const {
  if (options.progress)
    options.progress(what);
}

static std::string limitNames() {
  auto names = llvm::map_range(onnx_import::allLimits(), [](const onnx_import::LimitInfo &row) { return row.name; });
  return llvm::join(names, ", ");
}

static std::string architectureNames() {
  return llvm::join(llvm::map_range(cuda::cudaTargets(), [](const auto &target) { return target.arch; }), ", ");
}

static std::string optionalPassNames() {
  auto names = llvm::map_range(optionalPasses(), [](const OptionalPass &pass) { return pass.name; });
  return llvm::join(names, ", ");
}

Status Compilation::Impl::chooseVariants() {
  for (const std::string &name : options.disabledPasses)
    if (llvm::none_of(optionalPasses(), [&](const OptionalPass &pass) { return pass.name == name; }))
      return Status::usage("no optional pass is called '" + name + "'; there are: " + optionalPassNames());
  if (contains(options.targets, "cuda")) {
    for (const std::string &arch : options.archs)
      if (!cuda::cudaTarget(arch))
        return Status::usage("unknown CUDA architecture '" + arch + "'; there are: " + architectureNames());
    for (StringRef family : cudaFamilies) {
      bool isWanted = options.archs.empty() || llvm::any_of(options.archs, [&](const std::string &arch) {
                        return familyOf(*cuda::cudaTarget(arch)) == family;
                      });
      if (isWanted)
        specs.push_back({"cuda", family.str()});
    }
  }
  if (contains(options.targets, "cpu"))
    for (StringRef level : {"x86-64-v3", "x86-64-v4"})
      if (options.cpuLevels.empty() || contains(options.cpuLevels, level))
        specs.push_back({"cpu", level.str()});
  if (specs.empty())
    return Status::usage("no known target among those asked for: cuda and cpu exist");
  return {};
}

std::vector<std::string> Compilation::Impl::cubinsFor(const VariantSpec &spec) const {
  std::vector<std::string> archs;
  if (options.sourceOnly)
    return archs;
  for (const std::string &arch : options.archs)
    if (spec.target == "cuda" && familyOf(*cuda::cudaTarget(arch)) == spec.arch)
      archs.push_back(arch);
  return archs;
}

/// `--shape NAME=..` names an input or a symbol of the model.
static Status sortShapes(const onnx::ModelProto &proto, const Options &options, onnx_import::ShapeOptions &shapes) {
  std::set<std::string> inputs;
  for (const onnx::ValueInfoProto &input : proto.graph().input())
    inputs.insert(input.name());
  for (const ShapeSetting &setting : options.shapes) {
    if (inputs.count(setting.name))
      shapes.inputs[setting.name] = setting.dims;
    else if (setting.dims.size() == 1)
      shapes.symbols[setting.name] = setting.dims.front();
    else
      return Status::usage("the model has no input '" + setting.name + "'");
  }
  for (const DimRange &dim : options.dims)
    shapes.bounds[dim.name] = {dim.min, dim.max};
  for (const ValueSetting &setting : options.values)
    shapes.values[setting.name] = setting.value;
  return {};
}

static Status refusal(const onnx_import::Diagnostics &diagnostics, const std::string &path,
                      std::vector<Problem> *problems) {
  const auto code = static_cast<Code>(diagnostics.exitCode());
  const std::string text = llvm::join(diagnostics.lines(path), "\n");
  const std::vector<std::string> lines =
      problems ? diagnostics.lines(path, diagnostics.errors().size()) : std::vector<std::string>();
  for (auto [line, error] : llvm::zip(lines, diagnostics.errors())) {
    const onnx_import::NodeLabel &node = error.node;
    problems->push_back({static_cast<Code>(error.kind), node.name.empty() ? node.firstOutput : node.name, node.op,
                         node.opset, error.message, line});
  }
  return code == Code::Internal ? Status::internal(text) : Status(code, text);
}

Status Compilation::Impl::load(const std::string &path, std::vector<Problem> *problems) {
  CUPOLA_TRY(chooseVariants());
  progress("import");
  onnx_import::LoadOptions loading;
  loading.allowHardLinks = options.allowHardLinks;
  // What cannot be there anyway needs no option to be refused.
  loading.limits.tensorBytes = std::min<int64_t>(loading.limits.tensorBytes, format::totalMemory());
  for (const auto &[name, value] : options.limits)
    if (!onnx_import::setLimit(loading.limits, name, value))
      return Status::usage("no limit '" + name + "' takes the value " + std::to_string(value) +
                           "; there are: " + limitNames());
  onnx_import::Diagnostics diagnostics;
  auto loaded = onnx_import::loadModelFile(path, loading, onnx_import::isKnownOp, diagnostics);
  if (loaded) {
    model.emplace(std::move(*loaded));
    onnx_import::ShapeOptions shapes;
    CUPOLA_TRY(sortShapes(*model->proto, options, shapes));
    module = onnx_import::importModel(*model, shapes, loading.limits, context, diagnostics);
  }
  if (!module)
    return refusal(diagnostics, path, problems);
  model->proto.reset(); // the weights live in the blob store
  imported = module->clone();
  CUPOLA_TRY(declareAliases(*module));
  progress("graph");
  return runGraphPasses(*module, variantContext.pipeline);
}

Status Compilation::Impl::declareAliases(ModuleOp graph) const {
  for (const AliasSetting &alias : options.aliases)
    CUPOLA_TRY(cupola::declareAliases(graph, alias.input, alias.output));
  return {};
}

Status Compilation::Impl::build() {
  if (!variants.empty())
    return {};
  for (const VariantSpec &spec : specs) {
    progress("kernels " + spec.target + " " + spec.arch);
    Result<BuiltVariant> built = buildVariant(*module, spec, cubinsFor(spec), variantContext);
    if (built.failed())
      return built.status();
    variants.push_back(built.take());
  }
  return {};
}

static void printModule(ModuleOp module, llvm::raw_ostream &stream) {
  module->print(stream, OpPrintingFlags().elideLargeElementsAttrs(16).elideLargeResourceString(16));
}

Status Compilation::Impl::emit(Phase phase, std::string &text) {
  llvm::raw_string_ostream stream(text);
  if (phase == Phase::Graph) {
    printModule(*module, stream);
    return {};
  }
  if (phase == Phase::Plan || phase == Phase::Cuda)
    CUPOLA_TRY(build());
  for (auto [i, spec] : llvm::enumerate(specs)) {
    stream << "// variant " << spec.target << " " << spec.arch << "\n";
    if (phase == Phase::Plan) {
      printModule(*variants[i].module, stream);
    } else if (phase == Phase::Cuda) {
      for (const format::Source &source : variants[i].variant.sources)
        stream << "// " << source.name << "\n" << source.text;
    } else {
      OwningOpRef<ModuleOp> copy = module->clone();
      CUPOLA_TRY(runFusionPasses(*copy, spec, variantContext.pipeline));
      if (phase == Phase::Kernel)
        CUPOLA_TRY(runKernelPasses(*copy, spec, variantContext.pipeline));
      printModule(*copy, stream);
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The public face
//===----------------------------------------------------------------------===//

Compilation::Compilation(std::unique_ptr<Impl> state) : state(std::move(state)) {}
Compilation::~Compilation() = default;

Result<std::unique_ptr<Compilation>> Compilation::load(const std::string &path, Options options) {
  auto state = std::make_unique<Impl>(std::move(options));
  CUPOLA_TRY(state->load(path));
  return std::unique_ptr<Compilation>(new Compilation(std::move(state)));
}

Status Compilation::check(const std::string &path, Options options, std::vector<Problem> &problems) {
  Status status = Impl(std::move(options)).load(path, &problems);
  if (status.failed() && problems.empty())
    problems.push_back({status.code(), "", "", 0, status.message(), status.message()});
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
uint64_t Compilation::nvrtcCompiles() const { return state->variantContext.nvrtc->counters().compiles; }
uint64_t Compilation::llvmCompiles() const { return state->variantContext.llvmCompiles; }

} // namespace cupola::compiler
