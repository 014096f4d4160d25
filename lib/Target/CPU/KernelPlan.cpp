//===- lib/Target/CPU/KernelPlan.cpp - what of a kernel runs in parallel ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/KernelPlan.h"
#include "lib/Target/CPU/Scalars.h"

#include <algorithm>

using namespace mlir;
using namespace cupola::kernel;
using cupola::graph::exprsOf;

namespace cupola::cpu {
namespace {

/// A thread should have at least this many elements of work. Iterations below
/// kIterationWork spend more on finding their indices than on the work.
constexpr double kThreadWork = 8192, kIterationWork = 128;
constexpr int64_t kChunk = 4096;
/// Tiles above this size are computed again instead of stored.
constexpr int64_t kMaxTileBytes = 1 << 18;

Status hasNoCode(Operation *op, StringRef what) {
  return Status::internal(
      ("the CPU target has no code for " + what + " in kernel " + op->getParentOfType<FuncOp>().getSymName()).str());
}

Status checkOps(FuncOp func) {
  Status status;
  func.walk([&](Operation *op) {
    if (auto unary = dyn_cast<UnaryOp>(op)) {
      if (!supportsUnary(unary.getKind(), unary.getInput().getType()))
        status = hasNoCode(op, graph::stringifyUnaryKind(unary.getKind()));
    } else if (auto binary = dyn_cast<BinaryOp>(op)) {
      if (!supportsBinary(binary.getKind(), binary.getLhs().getType()))
        status = hasNoCode(op, graph::stringifyBinaryKind(binary.getKind()));
    }
    return status.isOk() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return status;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Loading and converting again costs no more than loading what was stored.
bool isCheap(MapOp map) {
  return llvm::all_of(map.getBody().front(),
                      [](Operation &op) { return isa<LoadOp, CastOp, kernel::ConstantOp, YieldOp>(op); });
}

std::optional<int64_t> bytesOf(Value tile, const Ranges &ranges) {
  auto type = cast<TileType>(tile.getType());
  Expr count = 1;
  for (graph::ExprAttr extent : type.getExtents())
    count *= extent.getValue();
  std::optional<int64_t> most = bounds(count, ranges).hi;
  if (!most || *most * elementBytes(type.getElement()) > kMaxTileBytes)
    return std::nullopt;
  return *most * elementBytes(type.getElement());
}

void placeTiles(FuncOp func, KernelPlan &plan) {
  func.walk([&](MapOp map) {
    if (isCheap(map))
      return;
    for (Value tile : map.getTiles()) {
      std::optional<int64_t> bytes = bytesOf(tile, plan.vars.ranges());
      if (!bytes)
        continue;
      plan.tiles[tile] = plan.scratchBytes;
      // One vector more: whole vectors may be stored at the end.
      plan.scratchBytes += (*bytes + 127) / 64 * 64;
    }
  });
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

double workOf(Block &body) {
  double work = 0;
  for (Operation &op : body) {
    double inner = op.getNumRegions() ? 0 : 1;
    for (Region &region : op.getRegions())
      inner += workOf(region.front());
    if (ArrayAttr extents = extentsOf(&op))
      for (const Expr &extent : exprsOf(extents))
        inner *= estimate(extent);
    work += inner;
  }
  return work;
}

/// Elements of work of one iteration, where an op counts an eighth.
double iterationWork(const Nest &nest) {
  double work = std::max(1.0, workOf(*nest.body) / 8);
  for (unsigned i = nest.parallel; i < nest.vars.size(); ++i) {
    bool isChunked = nest.chunk && i + 1 == nest.vars.size();
    // Many pieces are what threads are for: then each is whole.
    work *= isChunked ? nest.chunk / 4 : estimate(nest.extents[i]);
  }
  return work;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

ForeachOp onlyForeach(FuncOp func) {
  ForeachOp found;
  for (Operation &op : func.getBody().front()) {
    if (isa<kernel::ConstantOp>(op))
      continue;
    auto loop = dyn_cast<ForeachOp>(op);
    if (!loop || found)
      return nullptr;
    found = loop;
  }
  return found;
}

Nest collectLoops(Variables &vars, FuncOp func) {
  Nest nest;
  nest.vars = vars.names(func.getPoint());
  llvm::append_range(nest.extents, exprsOf(func.getGrid()));
  nest.body = &func.getBody().front();
  if (ForeachOp loop = onlyForeach(func)) {
    llvm::append_range(nest.vars, vars.names(loop.getBody().getArguments()));
    llvm::append_range(nest.extents, exprsOf(loop.getExtents()));
    nest.body = &loop.getBody().front();
  }
  return nest;
}

/// The vectorised loop becomes the innermost.
void orderLoops(Nest &nest, KernelPlan &plan, const CpuArchitecture &isa) {
  std::optional<unsigned> choice =
      chooseVector(plan.vars, nest.vars, nest.extents, *nest.body, plan.tiles, isa.lanes());
  if (!choice)
    return;
  nest.vectorised = true;
  std::rotate(nest.vars.begin() + *choice, nest.vars.begin() + *choice + 1, nest.vars.end());
  std::rotate(nest.extents.begin() + *choice, nest.extents.begin() + *choice + 1, nest.extents.end());
}

/// A reduction that runs for every vector of the outer loop spends its time on finding
/// positions and waiting for the sum before: several vectors share the one and fill the
/// other. A step costs about as much as kStep vectors; vectors beyond the end count, too.
unsigned chooseVectors(const Nest &nest, const KernelPlan &plan, const CpuArchitecture &isa) {
  constexpr int64_t kStep = 6;
  constexpr unsigned kMost = 4;
  std::optional<int64_t> extent = nest.vectorised ? nest.extents.back().constant() : std::nullopt;
  if (!extent || !plan.tiles.empty() ||
      llvm::none_of(*nest.body, [](Operation &op) { return llvm::isa<kernel::ReduceOp>(op); }))
    return 1;
  unsigned best = 1;
  auto cost = [&](int64_t vectors) {
    int64_t wide = vectors * isa.lanes();
    return (*extent + wide - 1) / wide * (kStep + vectors);
  };
  for (unsigned vectors = 2; vectors <= kMost; vectors *= 2)
    if (cost(vectors) < cost(best))
      best = vectors;
  return best;
}

/// Outer loops are iterations of the grid; those of known extent stay inside where an
/// iteration would be tiny.
void chooseParallel(Nest &nest) {
  nest.parallel = nest.vars.size() - nest.vectorised;
  if (nest.vectorised) {
    std::optional<int64_t> extent = nest.extents.back().constant();
    if (!extent || *extent > kChunk)
      nest.chunk = kChunk;
  }
  while (nest.parallel > 1 && !nest.chunk && iterationWork(nest) < kIterationWork &&
         nest.extents[nest.parallel - 1].constant())
    --nest.parallel;
}

std::vector<Expr> parallelExtents(const Nest &nest) {
  std::vector<Expr> result(nest.extents.begin(), nest.extents.begin() + nest.parallel);
  if (nest.chunk)
    result.push_back(ceilDiv(nest.extents.back(), nest.chunk));
  return result;
}

uint32_t grainFor(double work) { return static_cast<uint32_t>(std::clamp(kThreadWork / work, 1.0, 1e6)); }

void planNest(FuncOp func, const CpuArchitecture &isa, KernelPlan &plan) {
  plan.nest = collectLoops(plan.vars, func);
  orderLoops(plan.nest, plan, isa);
  plan.nest.vectors = chooseVectors(plan.nest, plan, isa);
  chooseParallel(plan.nest);
  plan.parallel = parallelExtents(plan.nest);
  plan.grain = grainFor(iterationWork(plan.nest));
}

Status planDot(FuncOp func, DotOp dot, const CpuArchitecture &isa, KernelPlan &plan) {
  Result<Contraction> contraction = planContraction(plan.vars, func, dot, isa);
  CUPOLA_TRY(contraction.status());
  Contraction &c = *contraction;
  int64_t acc = elementBytes(dot.getTile().getType().getElement());
  auto reserve = [&](int64_t &offset, int64_t elements) {
    offset = plan.scratchBytes;
    plan.scratchBytes += (elements * acc + 127) / 64 * 64;
  };
  reserve(c.tileOffset, c.rowBlock * c.columnBlock);
  if (c.lhs == OperandForm::Copied)
    reserve(c.lhsOffset, c.rowBlock * (c.depthBlock + isa.lanes()));
  if (c.rhs == OperandForm::Copied)
    reserve(c.rhsOffset, c.columnBlock * c.depthBlock);
  llvm::append_range(plan.parallel, exprsOf(func.getGrid()));
  plan.parallel.push_back(ceilDiv(c.columns, c.columnBlock));
  plan.parallel.push_back(ceilDiv(c.rows, c.rowBlock));
  double work = std::min<double>(c.rowBlock, estimate(c.rows)) * std::min<double>(c.columnBlock, estimate(c.columns)) *
                estimate(c.depth) / 16;
  plan.grain = grainFor(work);
  plan.contraction = c;
  return Status::ok();
}

} // namespace

double estimate(const Expr &extent) {
  std::map<std::string, int64_t> values;
  for (const std::string &symbol : extent.symbols())
    values[symbol] = 64;
  return std::max<double>(1, extent.evaluate(values).value_or(1));
}

Result<KernelPlan> planKernel(FuncOp func, const CpuArchitecture &isa) {
  CUPOLA_TRY(checkOps(func));
  KernelPlan plan(func);
  placeTiles(func, plan);
  DotOp dot;
  func.walk([&](DotOp op) { dot = op; });
  if (dot)
    CUPOLA_TRY(planDot(func, dot, isa, plan));
  else
    planNest(func, isa, plan);
  return plan;
}

} // namespace cupola::cpu
