//===- lib/Compiler/Explain.cpp - what was decided and why, as JSON ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/CompilationImpl.h"
#include "lib/Compiler/ExplainPlan.h"
#include "lib/Compiler/Traffic.h"

#include "dialects/Graph/Provenance.h"
#include "lib/Runtime/Format/Bodies.h"
#include "lib/Runtime/Format/Parallel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cupola::compiler {

namespace {

/// A number where the expression is one, else its text.
Json jsonOf(const Expr &expr) {
  if (std::optional<int64_t> value = expr.constant())
    return *value;
  return expr.text();
}

/// All launches of a kernel in one run.
struct Use {
  std::set<uint32_t> nodes;
  std::set<std::string> forms;      ///< format::launchText of the launches
  std::vector<std::string> results; ///< element types
  uint64_t launches = 0;
  Expr bytes{0}, flops{0};
};

/// The expression of a text that a program holds.
Expr exprOf(const std::string &text) { return *Expr::parse(text, /*error=*/nullptr); }

/// What a launch computes, in the model's symbols.
Expr flopsOf(const format::Program &program, const format::Body &body, const format::Launch &launch) {
  std::map<std::string, Expr> scalars;
  for (auto [i, scalar] : llvm::enumerate(launch.scalars))
    scalars["n" + std::to_string(i)] = exprOf(body.scalars[scalar]);
  return exprOf(program.kernels[launch.kernel].flops).substitute(scalars);
}

/// By the name of the record.
std::map<std::string, Use> usesOf(const BuiltVariant &built) {
  std::map<std::string, Use> uses;
  const format::Program &program = built.variant.program;
  format::forEachStep(program, [&](const format::Body &body, const format::Step &step, uint32_t) {
    if (step.kind != format::Step::LaunchStep)
      return;
    const format::Kernel &kernel = program.kernels[step.launch.kernel];
    Use &use = uses[kernel.name];
    if (std::string form = format::launchText(kernel, step.launch, step.launch.grid); !form.empty())
      use.forms.insert(form);
    use.nodes.insert(step.nodes.begin(), step.nodes.end());
    ++use.launches;
    use.flops = use.flops + flopsOf(program, body, step.launch);
  });
  auto main = built.module.get().lookupSymbol<func::FuncOp>("main");
  main.walk([&](graph::FusionOp fusion) {
    Use &use = uses[built.kernelNames.at(fusion.getKernel()->str())];
    use.bytes = use.bytes + compulsoryBytes(fusion);
    use.results.clear(); // the same for all
    for (Value result : fusion.getResults())
      use.results.push_back(format::dtypeName(graph::dtypeOf(graph::elementOf(result))));
  });
  return uses;
}

Json resourcesOf(const BuiltVariant &built, const std::string &kernel, const format::Kernel &record) {
  Json archs = Json::object();
  for (const auto &[arch, kernels] : built.resources)
    for (const runtime::cuda::KernelResources &resources : kernels)
      if (resources.name == kernel)
        archs[arch] = {{"registers", resources.registers},
                       {"spill_bytes", resources.spillStoreBytes + resources.spillLoadBytes},
                       {"stack_frame", resources.stackBytes},
                       {"static_shared", resources.staticSharedBytes},
                       {"dynamic_shared", record.sharedBytes},
                       {"threads", record.threads}};
  return archs;
}

/// By kernel: why it only moves elements, if it does.
std::map<std::string, std::string> reasonsToCopy(const BuiltVariant &built) {
  std::map<std::string, std::string> reasons;
  ModuleOp module = *built.module;
  module.lookupSymbol<func::FuncOp>("main").walk([&](graph::FusionOp fusion) {
    if (std::optional<graph::CopyReason> reason = fusion.getCopies())
      reasons[built.kernelNames.at(fusion.getKernel()->str())] = graph::stringifyCopyReason(*reason).str();
  });
  return reasons;
}

/// By kernel: its schedule with all parameters, as a tuning database has it.
std::map<std::string, std::string> parametersOf(const BuiltVariant &built) {
  std::map<std::string, std::string> parameters;
  ModuleOp module = *built.module;
  for (auto func : module.getOps<kernel::FuncOp>()) // one may only be a part of launches
    if (auto name = built.kernelNames.find(func.getSymName().str());
        func.getScheduleAttr() && name != built.kernelNames.end())
      llvm::raw_string_ostream(parameters[name->second]) << func.getScheduleAttr();
  return parameters;
}

/// One entry per distinct kernel, with the nodes of all its launches.
Json kernelsOf(const BuiltVariant &built, const std::vector<format::Node> &nodes) {
  std::map<std::string, Use> uses = usesOf(built);
  const std::map<std::string, std::string> copies = reasonsToCopy(built), parameters = parametersOf(built);
  Json kernels = Json::array();
  for (const format::Kernel &kernel : built.variant.program.kernels) {
    const Use &use = uses[kernel.name];
    Json names = Json::array();
    for (uint32_t node : use.nodes)
      names.push_back(nodes[node].name);
    kernels.push_back({{"name", kernel.name},
                       {"source_hash", kernel.sourceHash},
                       {"schedule", kernel.schedule},
                       {"nodes", std::move(names)},
                       {"launches", use.launches},
                       {"bytes", jsonOf(use.bytes)},
                       {"flops", jsonOf(use.flops)},
                       {"results", use.results},
                       {"arch", resourcesOf(built, kernel.name, kernel)}});
    if (auto found = parameters.find(kernel.name); found != parameters.end())
      kernels.back()["parameters"] = found->second;
    if (!use.forms.empty())
      kernels.back()["launch"] = use.forms;
    if (auto reason = copies.find(kernel.name); reason != copies.end())
      kernels.back()["copies"] = reason->second;
  }
  return kernels;
}

/// By node: why a contraction is left to its kernel (lib/Target/CPU/ChooseLibraries.cpp).
Json refusedCalls(const BuiltVariant &built) {
  Json refused = Json::array();
  ModuleOp module = *built.module;
  module.lookupSymbol<func::FuncOp>("main").walk([&](graph::FusionOp fusion) {
    if (graph::ReasonAttr reason = fusion.getLibraryRefusedAttr())
      refused.push_back({{"node", graph::displayName(fusion.getLoc())}, {"reason", reason.getText().str()}});
  });
  return refused;
}

Json edgeOf(graph::VerdictAttr verdict) {
  Json views = Json::array();
  for (LocationAttr view : verdict.getViews())
    views.push_back(graph::displayName(view));
  return objectOf(Member("producer", graph::displayName(verdict.getProducer())),
                  Member("consumer", graph::displayName(verdict.getConsumer())), Member("fused", verdict.getFused()),
                  Member("rule", verdict.getRule().str()), Member("reason", verdict.getReason().getText().str()),
                  Member("views", std::move(views)));
}

Json edgesOf(ModuleOp module) {
  Json edges = Json::array();
  for (auto record : module.getOps<graph::VerdictsOp>())
    for (auto verdict : record.getVerdicts().getAsRange<graph::VerdictAttr>())
      edges.push_back(edgeOf(verdict));
  return edges;
}

/// What 16 bits were given, and what not; null where nothing was asked for.
Json precisionOf(ModuleOp module) {
  for (auto record : module.getOps<graph::PrecisionOp>()) {
    Json kept = Json::array();
    for (auto op : record.getKept().getAsRange<graph::KeptAttr>())
      kept.push_back({{"node", graph::displayName(op.getNode())}, {"reason", op.getReason().getText().str()}});
    std::string element;
    llvm::raw_string_ostream(element) << record.getElement();
    return {{"element", element}, {"narrowed", record.getNarrowed()}, {"kept", std::move(kept)}};
  }
  return nullptr;
}

std::string layoutName(graph::ConvLayout layout) { return graph::stringifyConvLayout(layout).str(); }

/// The chains of convolutions, what was chosen for each and among what.
Json layoutsOf(ModuleOp module) {
  Json chains = Json::array();
  for (auto record : module.getOps<graph::LayoutsOp>())
    for (auto chain : record.getChains().getAsRange<graph::ChainAttr>()) {
      Json nodes = Json::array(), candidates = Json::array();
      for (LocationAttr node : chain.getNodes())
        nodes.push_back(graph::displayName(node));
      for (graph::CandidateAttr candidate : chain.getCandidates())
        candidates.push_back({{"layout", layoutName(candidate.getLayout())},
                              {"transposes", candidate.getTransposes()},
                              {"bytes", candidate.getBytes()},
                              {"cost", candidate.getCost()}});
      chains.push_back({{"layout", layoutName(chain.getLayout())},
                        {"nodes", std::move(nodes)},
                        {"candidates", std::move(candidates)}});
    }
  return chains;
}

/// A member of the report of a variant.
struct Section {
  const char *name;
  Json (*make)(const Compilation::Impl &impl, const BuiltVariant &built, const std::vector<format::Node> &nodes);
};
using Nodes = const std::vector<format::Node> &;

constexpr Section sections[] = {
    {"target", [](const Compilation::Impl &, const BuiltVariant &b, Nodes) { return Json(b.variant.target); }},
    {"arch", [](const Compilation::Impl &, const BuiltVariant &b, Nodes) { return Json(b.variant.arch); }},
    {"multiprocessors",
     [](const Compilation::Impl &, const BuiltVariant &b, Nodes) { return Json(b.variant.multiprocessors); }},
    {"launches", [](const Compilation::Impl &, const BuiltVariant &b,
                    Nodes) { return Json(format::stepCount(b.variant.program)); }},
    {"kernels", [](const Compilation::Impl &, const BuiltVariant &b, Nodes nodes) { return kernelsOf(b, nodes); }},
    {"steps", [](const Compilation::Impl &, const BuiltVariant &b, Nodes nodes) { return stepsOf(b.variant, nodes); }},
    {"buffers", [](const Compilation::Impl &, const BuiltVariant &b,
                   Nodes) { return buffersOf(b.variant.program, b.module.get().lookupSymbol<func::FuncOp>("main")); }},
    {"library_refused", [](const Compilation::Impl &, const BuiltVariant &b, Nodes) { return refusedCalls(b); }},
    {"precision", [](const Compilation::Impl &, const BuiltVariant &b, Nodes) { return precisionOf(*b.module); }},
    {"int8_rows", [](const Compilation::Impl &, const BuiltVariant &b, Nodes) { return Json(roundedProducts(b)); }},
    {"layouts", [](const Compilation::Impl &, const BuiltVariant &b, Nodes) { return layoutsOf(*b.module); }},
    {"edges", [](const Compilation::Impl &, const BuiltVariant &b, Nodes) { return edgesOf(*b.module); }},
    {"memory", [](const Compilation::Impl &impl, const BuiltVariant &b,
                  Nodes) { return memoryOf(b.variant.program, impl.variantContext.weights); }},
};

} // namespace

/// A large model's report takes a fifth of its compilation: sections are made and written at once.
static std::string explainVariants(const Compilation::Impl &impl) {
  NodeTable table = impl.variantContext.nodes;
  const std::vector<format::Node> nodes = table.takeNodes();
  constexpr size_t perVariant = std::size(sections);
  std::vector<std::string> texts(impl.variants.size() * perVariant);
  parallelFor(texts.size(), impl.options.threads, [&](size_t i) {
    const Section &section = sections[i % perVariant];
    texts[i] =
        Json(section.name).dump() + ":" +
        section.make(impl, impl.variants[i / perVariant], nodes).dump(-1, ' ', false, Json::error_handler_t::replace);
  });
  std::vector<std::string> variants;
  for (size_t i = 0; i < texts.size(); i += perVariant)
    variants.push_back(llvm::join(ArrayRef(texts).slice(i, perVariant), ","));
  // A report about one variant is that variant; about several, a list of them.
  std::string body = variants.size() == 1 ? variants[0] : "\"variants\":[{" + llvm::join(variants, "},{") + "}]";
  return "{\"schema\":\"cupola.explain/1\"," + body + "}";
}

const std::string &Compilation::Impl::explain() {
  if (explained.empty())
    explained = explainVariants(*this);
  return explained;
}

} // namespace cupola::compiler
