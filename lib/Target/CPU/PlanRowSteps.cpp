//===- lib/Target/CPU/PlanRowSteps.cpp - steps as their schedule says ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Code.h"
#include "lib/Target/CPU/KernelPlan.h"

#include <algorithm>

using namespace mlir;
using namespace cupola::kernel;
using cupola::graph::exprsOf;

namespace cupola::cpu {
namespace {

/// Of a row, whole vectors: the last may be stored beyond the end.
int64_t pitchOf(Value tile, const CpuArchitecture &isa) {
  auto extents = cast<TileType>(tile.getType()).getExtents();
  return extents.size() == 1 ? 1 : llvm::alignTo(*extents[1].getValue().constant(), isa.lanes());
}

class Planner {
public:
  Planner(FuncOp func, const CpuArchitecture &isa, KernelPlan &plan, RowSteps &steps)
      : func(func), isa(isa), plan(plan), steps(steps) {}

  /// Rows beyond the last are written, too, by whole tiles of the micro-kernel.
  Status placeTiles() {
    Result<llvm::DenseMap<Value, Value>> shared = shareTiles(func);
    CUPOLA_TRY(shared.status());
    const auto place = [&](Value tile) {
      if (!isa_and_nonnull<TileType>(tile.getType()))
        return;
      Value leader = shared->contains(tile) ? shared->at(tile) : tile;
      auto [at, isNew] = steps.tiles.try_emplace(leader);
      if (isNew) {
        const int64_t pitch = pitchOf(tile, isa);
        const Type element = cast<TileType>(tile.getType()).getElement();
        at->second = {reserve(llvm::alignTo(steps.rowBlock, isa.tileRows) * pitch * elementBytes(element)), pitch};
      }
      const RowTile placed = at->second;
      steps.tiles[tile] = placed;
      plan.tiles[tile] = placed.offset;
    };
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      llvm::for_each(op->getResults(), place);
      if (auto loop = dyn_cast<ForOp>(op))
        llvm::for_each(loop.getCarried(), place);
    });
    return {};
  }

  void placeTotals() {
    func.walk([&](MapOp map) {
      if (reducesFirst(map))
        for (auto reduce : map.getBody().getOps<kernel::ReduceOp>())
          for (Value total : reduce.getResults())
            steps.totals[total] = reserve(isa.lanes() * elementBytes(total.getType()));
    });
  }

  bool placeDot(RowDot &dot, AttentionAttr schedule) {
    dot.rhs = dot.lhsIsFixed ? schedule.getKeys() : schedule.getValues();
    dot.isComputed = dot.rhs == OperandForm::Direct && !isRhsReadable(plan.vars, steps, dot);
    if (dot.isComputed && !isRhsComputable(plan.vars, dot, isa.lanes()))
      return false;
    dot.panel = panelOf(dot);
    dot.lhsPitch = dot.lhsTile ? steps.tiles.at(dot.lhsTile).pitch : llvm::alignTo(dot.depth, isa.lanes());
    dot.rhsDepth = llvm::alignTo(dot.depth, isa.lanes());
    if (!dot.lhsTile)
      dot.lhsOffset = reserve(steps.rowBlock * dot.lhsPitch * 4);
    if (dot.rhs == OperandForm::Copied)
      dot.rhsOffset = reserve(llvm::alignTo(dot.columns, dot.panel) * dot.rhsDepth * 4);
    return true;
  }

private:
  /// Panels of about equal numbers of vectors.
  int64_t panelOf(const RowDot &dot) const {
    const int64_t vectors = (dot.columns + isa.lanes() - 1) / isa.lanes();
    const int64_t panels = (vectors + isa.tileVectors - 1) / isa.tileVectors;
    return (vectors + panels - 1) / panels * isa.lanes();
  }

  int64_t reserve(int64_t bytes) {
    const int64_t offset = plan.scratchBytes;
    plan.scratchBytes += (bytes + 127) / 64 * 64;
    return offset;
  }

  FuncOp func;
  const CpuArchitecture &isa;
  KernelPlan &plan;
  RowSteps &steps;
};

double workOf(FuncOp func, RowSteps &steps) {
  double work = 0;
  for (auto &[op, dot] : steps.dots)
    work += static_cast<double>(dot.columns) * dot.depth;
  return work * std::min<double>(steps.rowBlock, estimate(steps.rows)) * estimate(stepsOf(func).getSteps()) / 16;
}

} // namespace

Status planSteps(FuncOp func, AttentionAttr schedule, const CpuArchitecture &isa, KernelPlan &plan) {
  Result<RowSteps> read = readSteps(plan.vars, func);
  CUPOLA_TRY(read.status());
  RowSteps &steps = *read;
  steps.live = findLiveColumns(plan.vars, steps, isa.lanes());
  steps.rowBlock = schedule.getRows();
  if (steps.rowBlock % isa.tileRows != 0)
    return doesNotSuit(func, isa);
  plan.tiles.clear(); // those of steps lie in blocks of rows
  plan.scratchBytes = 0;
  Planner planner(func, isa, plan, steps);
  CUPOLA_TRY(planner.placeTiles());
  planner.placeTotals();
  for (auto &[op, dot] : steps.dots)
    if (!planner.placeDot(dot, schedule))
      return doesNotSuit(func, isa);
  llvm::append_range(plan.parallel, exprsOf(func.getGrid()));
  plan.parallel.push_back(ceilDiv(steps.rows, steps.rowBlock));
  plan.grain = grainFor(workOf(func, steps));
  plan.steps = std::move(steps);
  return {};
}

} // namespace cupola::cpu
