//===- lib/Target/CPU/KernelPlan.cpp - what follows from a kernel and its schedule ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/KernelPlan.h"
#include "lib/Target/CPU/Scalars.h"

#include <algorithm>

using namespace mlir;
using namespace cupola::kernel;
using cupola::graph::exprsOf;

namespace cupola::cpu {
namespace {

/// A thread should have at least this many elements of work.
constexpr double kThreadWork = 8192;
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

std::vector<Expr> parallelExtents(const Nest &nest) {
  std::vector<Expr> result(nest.extents.begin(), nest.extents.begin() + nest.parallel);
  if (nest.chunk)
    result.push_back(ceilDiv(nest.extents.back(), nest.chunk));
  return result;
}

/// A last vector may be stored beyond the end of a tile, but several may not.
bool suits(NestAttr schedule, Variables &vars, const Nest &nest, const StoredTiles &tiles, const CpuArchitecture &isa) {
  std::optional<int64_t> vector = schedule.getVector();
  if (schedule.getParallel() + vector.has_value() > static_cast<int64_t>(nest.vars.size()))
    return false;
  if (!vector)
    return true;
  return *vector < static_cast<int64_t>(nest.vars.size()) &&
         schedule.getChunk() % (schedule.getVectors() * isa.lanes()) == 0 &&
         (schedule.getVectors() == 1 || tiles.empty()) && canVectorise(vars, nest.vars[*vector], *nest.body, tiles);
}

Status planNest(FuncOp func, NestAttr schedule, const CpuArchitecture &isa, KernelPlan &plan) {
  Nest nest = collectLoops(plan.vars, func);
  if (!suits(schedule, plan.vars, nest, plan.tiles, isa))
    return doesNotSuit(func, isa);
  if (std::optional<int64_t> vector = schedule.getVector())
    nest.vectorise(*vector);
  nest.vectors = schedule.getVectors();
  nest.parallel = schedule.getParallel();
  nest.chunk = schedule.getChunk();
  plan.parallel = parallelExtents(nest);
  plan.grain = grainFor(iterationWork(nest));
  plan.nest = std::move(nest);
  return {};
}

Status planDot(FuncOp func, ContractionAttr schedule, const CpuArchitecture &isa, KernelPlan &plan) {
  Result<Contraction> contraction = planContraction(plan.vars, func, schedule, isa);
  CUPOLA_TRY(contraction.status());
  Contraction &c = *contraction;
  int64_t acc = elementBytes(c.accumulator());
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

Status doesNotSuit(FuncOp func, const CpuArchitecture &isa) {
  return Status::internal(
      ("the schedule of kernel " + func.getSymName() + " does not suit it on " + StringRef(isa.name)).str());
}

uint32_t grainFor(double work) { return static_cast<uint32_t>(std::clamp(kThreadWork / work, 1.0, 1e6)); }

void Nest::vectorise(unsigned loop) {
  vectorised = true;
  std::rotate(vars.begin() + loop, vars.begin() + loop + 1, vars.end());
  std::rotate(extents.begin() + loop, extents.begin() + loop + 1, extents.end());
}

KernelPlan::KernelPlan(FuncOp func) : vars(func) {
  func.walk([&](MapOp map) {
    if (isCheap(map))
      return;
    for (Value tile : map.getTiles()) {
      std::optional<int64_t> bytes = bytesOf(tile, vars.ranges());
      if (!bytes)
        continue;
      tiles[tile] = scratchBytes;
      // One vector more: whole vectors may be stored at the end.
      scratchBytes += (*bytes + 127) / 64 * 64;
    }
  });
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

double iterationWork(const Nest &nest) {
  double work = std::max(1.0, workOf(*nest.body) / 8);
  for (unsigned i = nest.parallel; i < nest.vars.size(); ++i) {
    bool isChunked = nest.chunk && i + 1 == nest.vars.size();
    // Many pieces are what threads are for: then each is whole.
    work *= isChunked ? nest.chunk / 4 : estimate(nest.extents[i]);
  }
  return work;
}

double estimate(const Expr &extent) {
  std::map<std::string, int64_t> values;
  for (const std::string &symbol : extent.symbols())
    values[symbol] = 64;
  return std::max<double>(1, extent.evaluate(values).value_or(1));
}

Result<KernelPlan> planKernel(FuncOp func, const CpuArchitecture &isa) {
  CUPOLA_TRY(checkOps(func));
  KernelPlan plan(func);
  Attribute schedule = func.getScheduleAttr();
  if (auto attention = dyn_cast_or_null<AttentionAttr>(schedule); attention && stepsOf(func))
    CUPOLA_TRY(planSteps(func, attention, isa, plan));
  else if (stepsOf(func))
    return doesNotSuit(func, isa);
  else if (auto nest = dyn_cast_or_null<NestAttr>(schedule); nest && !dotOf(func))
    CUPOLA_TRY(planNest(func, nest, isa, plan));
  else if (auto contraction = dyn_cast_or_null<ContractionAttr>(schedule); contraction && dotOf(func))
    CUPOLA_TRY(planDot(func, contraction, isa, plan));
  else
    return doesNotSuit(func, isa);
  return plan;
}

} // namespace cupola::cpu
