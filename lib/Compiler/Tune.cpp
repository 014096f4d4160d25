//===- lib/Compiler/Tune.cpp - what is to be measured of a model's kernels ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/CompilationImpl.h"
#include "lib/Compiler/KernelPackage.h"

#include "dialects/Graph/Placement.h"
#include "lib/Runtime/Text.h"
#include "lib/Target/PassErrors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cupola::compiler {

namespace {

/// What a symbol is measured at that nobody gave a size: as in the costs of schedules.
constexpr int64_t typicalSize = 256;

int64_t typicalOf(graph::SymbolOp symbol) {
  const int64_t min = symbol.getMin(), max = symbol.getMax(), divisor = symbol.getDivisor();
  const int64_t size = std::max(min, max > 0 ? std::min(typicalSize, max) : typicalSize);
  const int64_t below = size / divisor * divisor;
  return below >= min ? below : below + divisor;
}

bool holds(const Sizes &sizes, graph::AssumeOp fact) {
  const std::optional<int64_t> lhs = fact.getLhs().evaluate(sizes), rhs = fact.getRhs().evaluate(sizes);
  if (!lhs || !rhs)
    return false;
  switch (fact.getRelation()) {
  case graph::Relation::LessEqual:
    return *lhs <= *rhs;
  case graph::Relation::Broadcast:
    return *lhs == *rhs || *lhs == 1 || *rhs == 1;
  default:
    return *lhs == *rhs;
  }
}

/// Memory that an output shares with an input has room for all of it (DeclareAliases).
void makeRoom(ModuleOp module, Sizes &sizes) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (auto [i, type] : llvm::enumerate(main.getResultTypes())) {
    auto storage = main.getResultAttrOfType<ArrayAttr>(i, graph::storageAttr);
    if (!storage)
      continue;
    for (const auto &[room, extent] : llvm::zip_equal(graph::exprsOf(storage), graph::shapeOf(type)))
      if (const auto size = sizes.find(room.text()); size != sizes.end())
        size->second = std::max(size->second, extent.evaluate(sizes).value_or(0));
  }
}

/// A value for every symbol. `given` are by the model's names of dimensions.
Result<Sizes> sizesOf(ModuleOp module, Sizes given) {
  Sizes sizes;
  std::vector<std::string> names;
  for (auto symbol : module.getOps<graph::SymbolOp>()) {
    const auto name = dyn_cast<NameLoc>(symbol.getLoc());
    if (name)
      names.push_back(runtime::quote(name.getName().str()));
    const auto found = name ? given.find(name.getName().str()) : given.end();
    int64_t &size = sizes[symbol.getSymName().str()] = typicalOf(symbol);
    if (const auto definition = symbol.getDefinitionAttr())
      size = definition.getValue().evaluate(sizes).value_or(size);
    if (found == given.end())
      continue;
    size = found->second;
    given.erase(found);
    const int64_t min = symbol.getMin(), max = symbol.getMax(), divisor = symbol.getDivisor();
    if (size < min || (max > 0 && size > max) || size % divisor != 0)
      return Status::usage("the size " + std::to_string(size) + " is none that " +
                           runtime::quote(name.getName().str()) + " can have: expected a multiple of " +
                           std::to_string(divisor) + " from " + std::to_string(min) + " to " +
                           (max > 0 ? std::to_string(max) : "any"));
  }
  if (!given.empty())
    return Status::usage("no dimension that stays dynamic is called " + runtime::quote(given.begin()->first) +
                         "; there are: " + (names.empty() ? "none" : llvm::join(names, ", ")));
  makeRoom(module, sizes);
  for (auto fact : module.getOps<graph::AssumeOp>())
    if (!holds(sizes, fact))
      return Status::usage("the sizes that kernels are to be measured at are none of this model: " +
                           fact.getReason().getText().str());
  return sizes;
}

/// The first fusion that a kernel computes.
std::map<std::string, graph::FusionOp> usesOf(ModuleOp module) {
  std::map<std::string, graph::FusionOp> uses;
  module.walk([&](graph::FusionOp fusion) {
    if (std::optional<StringRef> kernel = fusion.getKernel())
      uses.emplace(kernel->str(), fusion);
  });
  return uses;
}

std::string printed(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// One candidate of a kernel, alone.
Result<std::string> packageOf(graph::FusionOp fusion, kernel::FuncOp func, Attribute schedule, const VariantSpec &spec,
                              const TargetRequest &request, const Sizes &sizes) {
  OwningOpRef<ModuleOp> alone(ModuleOp::create(func.getLoc()));
  kernel::FuncOp copy = func.clone();
  copy.setScheduleAttr(cast<kernel::ScheduleInterface>(schedule));
  alone->push_back(copy);
  TargetKernels kernels;
  TargetCode code;
  CUPOLA_TRY(findTarget(spec.target)->lower(*alone, spec.arch, request, Workers(), kernels, code));
  return packageOfKernel(fusion, kernels.begin()->second, code, spec, sizes);
}

} // namespace

Status Compilation::tune(const TuneOptions &options, const std::function<Status(TuneCandidate)> &take) {
  if (state->specs.size() != 1)
    return Status::usage("kernels are measured for one architecture at a time");
  const VariantSpec &spec = state->specs.front();
  const VariantContext &context = state->variantContext;
  CUPOLA_ASSIGN(const Sizes sizes, sizesOf(*state->module, options.sizes));
  CUPOLA_TRY(state->begin("kernels"));
  OwningOpRef<ModuleOp> module = state->module->clone();
  CUPOLA_TRY(runFusionPasses(*module, spec, context.pipeline));
  CUPOLA_TRY(runKernelPasses(*module, spec, context.pipeline));
  std::vector<Tunable> tunables;
  CUPOLA_TRY(findTarget(spec.target)->tunables(*module, spec.arch, options.candidates, tunables));
  const std::map<std::string, graph::FusionOp> uses = usesOf(*module);
  std::set<std::string> seen;
  for (const auto &[i, tunable] : llvm::enumerate(tunables)) {
    const auto use = uses.find(tunable.kernel);
    // Nothing to choose from, or nothing that is not measured already.
    if (use == uses.end() || tunable.schedules.size() < 2 || !seen.insert(tunable.key).second)
      continue;
    CUPOLA_TRY(state->begin("kernel " + std::to_string(i + 1) + " of " + std::to_string(tunables.size())));
    auto func = module->lookupSymbol<kernel::FuncOp>(tunable.kernel);
    for (Attribute schedule : tunable.schedules) {
      CUPOLA_TRY(pollCancel(context.services.cancelled));
      TuneCandidate candidate{tunable.key, spec.arch, printed(schedule), nodesText(func.getLoc()), {}};
      Result<std::string> package = packageOf(use->second, func, schedule, spec, context.request, sizes);
      if (package.failed()) {
        const bool isOfAll = package.status().code() == Code::Unsupported; // the sizes are those of every candidate
        if (context.services.warn)
          context.services.warn(candidate.nodes + (isOfAll ? "" : ": " + candidate.schedule) +
                                " is left out: " + package.status().message());
        if (isOfAll)
          break;
        continue;
      }
      candidate.package = package.take();
      CUPOLA_TRY(take(std::move(candidate)));
    }
  }
  return {};
}

} // namespace cupola::compiler
