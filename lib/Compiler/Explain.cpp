//===- lib/Compiler/Explain.cpp - what was decided and why, as JSON ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/CompilationImpl.h"
#include "lib/Compiler/Traffic.h"

#include "dialects/Graph/Provenance.h"
#include "lib/Reference/Tensor.h"
#include "lib/Runtime/Format/LibraryCosts.h"
#include "lib/Runtime/Format/Parallel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using Json = nlohmann::ordered_json;

namespace cupola::compiler {

namespace {

/// An object of these members. Tens of thousands of steps are described so: nlohmann's own lists of
/// members take three times as long.
template <class... Members> Json objectOf(Members &&...members) {
  Json object = Json::object();
  auto &map = object.get_ref<Json::object_t &>();
  map.reserve(sizeof...(members));
  (map.push_back(std::forward<Members>(members)), ...);
  return object;
}
using Member = Json::object_t::value_type;

/// A number where the expression is one, else its text.
Json jsonOf(const Expr &expr) {
  if (std::optional<int64_t> value = expr.constant())
    return *value;
  return expr.text();
}

/// All launches of a kernel in one run.
struct Use {
  std::set<uint32_t> nodes;
  uint64_t launches = 0;
  Expr bytes{0}, flops{0};
};

/// The expression of a text that a program holds.
Expr exprOf(const std::string &text) { return *Expr::parse(text, /*error=*/nullptr); }

/// What a launch computes, in the model's symbols.
Expr flopsOf(const format::Program &program, const format::Launch &launch) {
  std::map<std::string, Expr> scalars;
  for (auto [i, scalar] : llvm::enumerate(launch.scalars))
    scalars["n" + std::to_string(i)] = exprOf(program.scalars[scalar]);
  return exprOf(program.kernels[launch.kernel].flops).substitute(scalars);
}

/// By the name of the record.
std::map<std::string, Use> usesOf(const BuiltVariant &built) {
  std::map<std::string, Use> uses;
  const format::Program &program = built.variant.program;
  for (const format::Step &step : program.steps) {
    if (step.kind != format::Step::LaunchStep)
      continue;
    Use &use = uses[program.kernels[step.launch.kernel].name];
    use.nodes.insert(step.nodes.begin(), step.nodes.end());
    ++use.launches;
    use.flops = use.flops + flopsOf(program, step.launch);
  }
  auto main = built.module.get().lookupSymbol<func::FuncOp>("main");
  for (auto fusion : main.getOps<graph::FusionOp>()) {
    Use &use = uses[built.kernelNames.at(fusion.getKernel()->str())];
    use.bytes = use.bytes + compulsoryBytes(fusion);
  }
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
  for (auto fusion : module.lookupSymbol<func::FuncOp>("main").getOps<graph::FusionOp>())
    if (std::optional<graph::CopyReason> reason = fusion.getCopies())
      reasons[built.kernelNames.at(fusion.getKernel()->str())] = graph::stringifyCopyReason(*reason).str();
  return reasons;
}

/// One entry per distinct kernel, with the nodes of all its launches.
Json kernelsOf(const BuiltVariant &built, const std::vector<format::Node> &nodes) {
  std::map<std::string, Use> uses = usesOf(built);
  const std::map<std::string, std::string> copies = reasonsToCopy(built);
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
                       {"arch", resourcesOf(built, kernel.name, kernel)}});
    if (auto reason = copies.find(kernel.name); reason != copies.end())
      kernels.back()["copies"] = reason->second;
  }
  return kernels;
}

/// By node: why a contraction is left to its kernel (lib/Target/CPU/ChooseLibraries.cpp).
Json refusedCalls(const BuiltVariant &built) {
  Json refused = Json::array();
  ModuleOp module = *built.module;
  for (auto fusion : module.lookupSymbol<func::FuncOp>("main").getOps<graph::FusionOp>())
    if (graph::ReasonAttr reason = fusion.getLibraryRefusedAttr())
      refused.push_back({{"node", graph::displayName(fusion.getLoc())}, {"reason", reason.getText().str()}});
  return refused;
}

/// The buffers that hold the bytes of `buffer`: a view's are its parent's.
uint32_t ownerOf(const format::Program &program, uint32_t buffer) {
  while (program.buffers[buffer].kind == format::BufferKind::View)
    buffer = program.buffers[buffer].index;
  return buffer;
}

/// What one run does, in order: kernels and copies, with the buffers they touch, and on how many threads at most
/// the runtime takes a library's form of a step.
Json stepsOf(const format::Variant &variant, const std::vector<format::Node> &nodes) {
  const format::Program &program = variant.program;
  Json steps = Json::array();
  for (const format::Step &step : program.steps) {
    Json names = Json::array(), reads = Json::array(), writes = Json::array();
    for (uint32_t node : step.nodes)
      names.push_back(nodes[node].name);
    const bool isLaunch = step.kind == format::Step::LaunchStep;
    if (isLaunch)
      for (auto [buffer, use] : llvm::zip_equal(step.launch.buffers, program.kernels[step.launch.kernel].readWrite)) {
        if (use != "w")
          reads.push_back(ownerOf(program, buffer));
        if (use != "r")
          writes.push_back(ownerOf(program, buffer));
      }
    else {
      reads.push_back(ownerOf(program, step.copy.source));
      writes.push_back(ownerOf(program, step.copy.target));
    }
    steps.push_back(objectOf(Member("kernel", isLaunch ? Json(program.kernels[step.launch.kernel].name) : Json()),
                             Member("nodes", std::move(names)), Member("reads", std::move(reads)),
                             Member("writes", std::move(writes))));
    if (isLaunch && step.launch.call) {
      steps.back()["library"] = "oneDNN";
      steps.back()["library_threads"] = format::mostThreads(step.launch.call, format::measuredOneDnn, variant.arch);
    }
  }
  return steps;
}

const char *nameOf(format::BufferKind kind) {
  switch (kind) {
  case format::BufferKind::Arena:
    return "arena";
  case format::BufferKind::Weight:
    return "weight";
  case format::BufferKind::Input:
    return "input";
  case format::BufferKind::Output:
    return "output";
  case format::BufferKind::View:
    return "view";
  case format::BufferKind::Init:
    return "init";
  }
  return "";
}

Json buffersOf(const format::Program &program) {
  Json buffers = Json::array();
  for (const format::Buffer &buffer : program.buffers)
    buffers.push_back(objectOf(Member("kind", nameOf(buffer.kind)), Member("bytes", buffer.bytes)));
  return buffers;
}

Json edgeOf(graph::VerdictAttr verdict) {
  Json views = Json::array();
  for (LocationAttr view : verdict.getViews())
    views.push_back(graph::displayName(view));
  return objectOf(Member("producer", graph::displayName(verdict.getProducer())),
                  Member("consumer", graph::displayName(verdict.getConsumer())), Member("fused", verdict.getFused()),
                  Member("rule", graph::stringifyFusionRule(verdict.getRule()).str()),
                  Member("reason", verdict.getReason().getText().str()), Member("views", std::move(views)));
}

Json edgesOf(ModuleOp module) {
  Json edges = Json::array();
  for (auto record : module.getOps<graph::VerdictsOp>())
    for (auto verdict : record.getVerdicts().getAsRange<graph::VerdictAttr>())
      edges.push_back(edgeOf(verdict));
  return edges;
}

/// Bytes as a number where the plan is static, else as the expression.
Json memoryOf(const BuiltVariant &built, const WeightTable &weights) {
  const format::Program &program = built.variant.program;
  uint64_t weightBytes = 0;
  for (const WeightTable::Entry &entry : weights.entries()) {
    auto type = cast<RankedTensorType>(entry.value.getShapedType());
    weightBytes += type.getNumElements() * graph::byteSize(type.getElementType());
  }
  Json memory = Json::object();
  if (program.arenaBytes < 0) {
    memory["peak_bytes"] = nullptr; // depends on shapes: planned when they are bound
    memory["lower_bound_bytes"] = nullptr;
  } else {
    std::vector<int64_t> live(program.steps.size() + 1, 0);
    for (const format::Buffer &buffer : program.buffers)
      if (buffer.kind == format::BufferKind::Arena)
        for (uint32_t step = buffer.first; step <= buffer.last; ++step)
          live[step] += (std::stoll(buffer.bytes) + 255) / 256 * 256;
    memory["peak_bytes"] = program.arenaBytes;
    memory["lower_bound_bytes"] = *std::max_element(live.begin(), live.end());
  }
  memory["weight_bytes"] = weightBytes;
  return memory;
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
    {"launches",
     [](const Compilation::Impl &, const BuiltVariant &b, Nodes) { return Json(b.variant.program.steps.size()); }},
    {"kernels", [](const Compilation::Impl &, const BuiltVariant &b, Nodes nodes) { return kernelsOf(b, nodes); }},
    {"steps", [](const Compilation::Impl &, const BuiltVariant &b, Nodes nodes) { return stepsOf(b.variant, nodes); }},
    {"buffers", [](const Compilation::Impl &, const BuiltVariant &b, Nodes) { return buffersOf(b.variant.program); }},
    {"library_refused", [](const Compilation::Impl &, const BuiltVariant &b, Nodes) { return refusedCalls(b); }},
    {"edges", [](const Compilation::Impl &, const BuiltVariant &b, Nodes) { return edgesOf(*b.module); }},
    {"memory", [](const Compilation::Impl &impl, const BuiltVariant &b,
                  Nodes) { return memoryOf(b, impl.variantContext.weights); }},
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
