//===- lib/Target/CPU/Schedules/Nest.cpp - loops over scalars or vectors ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Outer loops are iterations of the grid; those of known extent stay inside where an
// iteration would be tiny. A reduction that runs for every vector of the outer loop may take
// several of them at a time.

#include "lib/Target/CPU/LoopParts.h"
#include "lib/Target/CPU/Schedules/Schedules.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

/// Elements of a piece where the vectorised loop is long: many pieces are what threads are for.
static constexpr int64_t kChunk = 4096;
/// Iterations that are emitted as one: each has a sum, and code of its own.
static constexpr int64_t kMostJam = 8;

static double workOf(Block &body) {
  double work = 0;
  for (Operation &op : body) {
    double inner = op.getNumRegions() ? 0 : 1;
    for (Region &region : op.getRegions())
      inner += workOf(region.front());
    if (ArrayAttr extents = extentsOf(&op))
      for (const Expr &extent : graph::exprsOf(extents))
        inner *= estimate(extent);
    work += inner;
  }
  return work;
}

/// Elements of work of one iteration, where an op counts an eighth.
static double iterationWork(const Nest &nest) {
  double work = std::max(1.0, workOf(*nest.body) / 8);
  for (unsigned i = nest.parallel; i < nest.vars.size(); ++i)
    work *= nest.chunk && i == nest.chunkedLoop() ? nest.chunk / 4 : estimate(nest.extents[i]);
  return work;
}

static Nest scheduled(Nest nest, NestAttr schedule) {
  if (std::optional<int64_t> vector = schedule.getVector())
    nest.vectorise(*vector);
  nest.vectors = schedule.getVectors();
  nest.parallel = schedule.getParallel();
  nest.chunk = schedule.getChunk();
  nest.jam = schedule.getJam();
  return nest;
}

LogicalResult NestAttr::verify(EmitError error, int64_t parallel, std::optional<int64_t> vector, int64_t vectors,
                               int64_t chunk, int64_t jam) {
  if (parallel < 0 || vector.value_or(0) < 0 || chunk < 0)
    return error() << "has a negative number";
  if (jam < 1 || jam > kMostJam || (jam > 1 && (!vector || vectors > 1 || chunk % jam != 0)))
    return error() << jam << " iterations are one, which may be 1 to " << kMostJam
                   << " of a loop around one vector, and divide its pieces";
  if (vectors != 1 && vectors != 2 && vectors != 4)
    return error() << vectors << " vectors at a time are none of 1, 2 and 4";
  return success();
}

/// Whether what `load` reads in a reduction over `steps` is read for neighbours along `around`, too: it does not depend
/// on that, or a window goes on by a step.
static bool isShared(Variables &vars, LoadOp load, ArrayRef<std::string> steps, const std::string &around) {
  const Expr position = vars.read(load.getPosition(), load.getIndices());
  const bool moves = llvm::any_of(steps, [&](const std::string &step) { return position.uses(step); });
  const bool isWindow = llvm::any_of(steps, [&](const std::string &step) {
    return position.coefficient(step) && position.coefficient(step) == position.coefficient(around);
  });
  return moves && (!position.uses(around) || isWindow);
}

/// Whether the loop around the vectors has no ops of its own, and the body reductions of scalars that share elements.
/// Indices that are read in the body are variables, of which iterations that are one would have but one.
static bool sharesElements(KernelPlan &kernel, const Nest &nest) {
  const std::string &around = nest.vars[nest.vars.size() - 2], &last = nest.vars.back();
  bool shares = false;
  for (Operation &op : *nest.body) {
    const std::set<std::string> used = variablesOf(kernel.vars, &op, kernel.tiles);
    if ((used.count(around) && !used.count(last)) || (op.getNumRegions() && !isa<ReduceOp>(op)) ||
        isa<CheckedIndexOp, KnownIndexOp>(op))
      return false;
    auto reduce = dyn_cast<ReduceOp>(op);
    if (!reduce)
      continue;
    Block &body = reduce.getBody().front();
    if (llvm::any_of(body, [](Operation &inner) { return inner.getNumRegions() > 0; }))
      return false;
    const std::vector<std::string> steps = kernel.vars.names(reduce.getBody().getArguments());
    for (LoadOp load : body.getOps<LoadOp>())
      shares |= isShared(kernel.vars, load, steps, around);
  }
  return shares;
}

/// Whether what the body asks for along the loop around the vectors is known in parts of it: else all iterations ask.
static bool asksInParts(KernelPlan &kernel, const Nest &nest, int64_t lanes) {
  const size_t around = nest.vars.size() - 2;
  bool asks = false;
  nest.body->walk([&](Operation *op) {
    for (const Expr &e : conditionsOf(kernel.vars, op))
      asks |= e.uses(nest.vars[around]);
  });
  return !asks || cutLoops(kernel.vars, nest.vars, nest.extents, *nest.body, lanes)[around].size() > 1;
}

/// Iterations that are one, or eight of those where the loops outside may be too few for threads; none: null.
static NestAttr jammed(KernelPlan &kernel, const Nest &nest, std::optional<unsigned> vector, int64_t lanes) {
  const auto loops = static_cast<int64_t>(nest.vars.size());
  if (!nest.vectorised || loops < 2 || !kernel.tiles.empty() || !sharesElements(kernel, nest) ||
      !asksInParts(kernel, nest, lanes))
    return {};
  const std::optional<int64_t> extent = nest.extents[loops - 2].constant();
  if (extent && *extent < 2)
    return {};
  const std::optional<int64_t> outer = loops == 3 ? nest.extents[0].constant() : 0;
  const bool isForThreads = loops > 3 || (outer && *outer >= kMostJam);
  const int64_t jam = extent && *extent <= kMostJam ? *extent : kMostJam / 2;
  return NestAttr::get(kernel.func.getContext(), loops - 2, vector, /*vectors=*/1, isForThreads ? 0 : 8 * jam, jam);
}

Candidates NestAttr::candidates(KernelPlan &kernel, const CpuArchitecture &isa) {
  if (kernel.steps || kernel.contraction)
    return {};
  Nest nest = kernel.nest;
  std::optional<unsigned> vector = chooseVector(kernel.vars, nest.vars, nest.extents, *nest.body, kernel.tiles,
                                                isa.lanes(), kernel.hasRoomForLanes(isa.lanes()));
  std::optional<int64_t> extent;
  if (vector) {
    nest.vectorise(*vector);
    extent = nest.extents.back().constant();
  }
  const int64_t chunk = vector && (!extent || *extent > kChunk) ? kChunk : 0;
  const bool isShared = extent && kernel.tiles.empty() && !nest.body->getOps<kernel::ReduceOp>().empty();
  Candidates all;
  if (NestAttr together = chunk ? NestAttr() : jammed(kernel, nest, vector, isa.lanes()))
    all.push_back(together);
  for (size_t parallel = nest.vars.size() - nest.vectorised;; --parallel) {
    for (int64_t vectors : {1, 2, 4})
      if (vectors == 1 || isShared)
        all.push_back(NestAttr::get(kernel.func.getContext(), parallel, vector, vectors, chunk, /*jam=*/1));
    if (parallel <= 1 || chunk || !nest.extents[parallel - 1].constant())
      return all;
  }
}

/// What finding an iteration's indices adds to its work, times what the last vectors compute in
/// vain. A step of a reduction costs about as much as kStep vectors, for positions and for
/// waiting for the sum before.
double NestAttr::cost(const KernelPlan &kernel, const CpuArchitecture &isa) const {
  constexpr double kIterationWork = 128; // below it an iteration spends more on its indices
  constexpr int64_t kStep = 6;
  const Nest nest = scheduled(kernel.nest, *this);
  const double indices = std::max(1.0, kIterationWork / iterationWork(nest));
  std::optional<int64_t> extent = nest.vectorised ? nest.extents.back().constant() : std::nullopt;
  if (!extent)
    return indices / static_cast<double>(getJam());
  const auto vectors = static_cast<double>(llvm::divideCeil(*extent, getVectors() * isa.lanes()));
  const double step = static_cast<double>(kStep + getVectors() * getJam()) / static_cast<double>(getJam());
  return indices * vectors * step;
}

/// A last vector may be stored beyond the end of a tile, but several may not.
static bool suits(NestAttr schedule, KernelPlan &kernel, const CpuArchitecture &isa) {
  const Nest &nest = kernel.nest;
  const auto loops = static_cast<int64_t>(nest.vars.size());
  std::optional<int64_t> vector = schedule.getVector();
  if (!nest.body || schedule.getParallel() + vector.has_value() > loops)
    return false;
  if (!vector)
    return true;
  if (schedule.getJam() > 1 && (schedule.getParallel() + 2 > loops || !kernel.tiles.empty() ||
                                !sharesElements(kernel, scheduled(nest, schedule))))
    return false;
  return *vector < loops &&
         (schedule.getJam() > 1 || schedule.getChunk() % (schedule.getVectors() * isa.lanes()) == 0) &&
         (schedule.getVectors() == 1 || kernel.tiles.empty()) &&
         canVectorise(kernel.vars, nest.vars[*vector], *nest.body, kernel.tiles, kernel.hasRoomForLanes(isa.lanes()));
}

Status NestAttr::plan(KernelPlan &kernel, const CpuArchitecture &isa) const {
  if (!suits(*this, kernel, isa))
    return doesNotSuit(kernel.func, isa);
  Nest &nest = kernel.nest;
  nest = scheduled(std::move(nest), *this);
  if (nest.vectorised && !kernel.tiles.empty())
    kernel.widenTiles(isa.lanes());
  llvm::append_range(kernel.parallel, ArrayRef(nest.extents).take_front(nest.parallel));
  if (nest.chunk)
    kernel.parallel.push_back(ceilDiv(nest.extents[nest.chunkedLoop()], nest.chunk));
  kernel.setGrain(iterationWork(nest));
  return {};
}

} // namespace cupola::cpu
