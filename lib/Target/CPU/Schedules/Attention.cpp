//===- lib/Target/CPU/Schedules/Attention.cpp - ordered steps over tiles of rows ---===//
// SPDX-License-Identifier: Apache-2.0
//
// An iteration takes as many rows as its cache holds, or as few as give all threads some; keys
// and values are copied into panels where enough rows share the copy.

#include "lib/Target/CPU/Code.h"
#include "lib/Target/CPU/Schedules/Schedules.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {
namespace {

/// As many as the cache holds beside copies of a block of keys and values.
int64_t rowsInCache(RowSteps &steps, int64_t cacheBytes) {
  int64_t shared = 0, perRow = 0;
  for (auto &[op, dot] : steps.dots) {
    shared += dot.columns * dot.depth * 4;
    perRow += (dot.columns + (dot.lhsTile ? 0 : dot.depth)) * 4;
  }
  return std::clamp<int64_t>((cacheBytes - shared) / std::max<int64_t>(perRow, 1), 24, 320);
}

/// Points of a grid whose unknown extents are 1.
int64_t leastGrid(FuncOp func) {
  Expr grid = graph::product(graph::exprsOf(func.getGrid()));
  std::map<std::string, int64_t> values;
  for (const std::string &symbol : grid.symbols())
    values[symbol] = 1;
  return grid.evaluate(values).value_or(1);
}

/// Of a row, whole vectors: the last may be stored beyond the end.
int64_t pitchOf(Value tile, const CpuArchitecture &isa) {
  auto extents = cast<TileType>(tile.getType()).getExtents();
  return extents.size() == 1 ? 1 : llvm::alignTo(*extents[1].getValue().constant(), isa.lanes());
}

class Planner {
public:
  Planner(KernelPlan &kernel, const CpuArchitecture &isa)
      : func(kernel.func), isa(isa), kernel(kernel), steps(*kernel.steps) {}

  /// Rows beyond the last are written, too, by whole tiles of the micro-kernel.
  Status placeTiles() {
    CUPOLA_ASSIGN(auto shared, shareTiles(func));
    const auto place = [&](Value tile) {
      if (!isa_and_nonnull<TileType>(tile.getType()))
        return;
      Value leader = shared.contains(tile) ? shared.at(tile) : tile;
      auto [at, isNew] = steps.tiles.try_emplace(leader);
      if (isNew) {
        const int64_t pitch = pitchOf(tile, isa);
        const Type element = cast<TileType>(tile.getType()).getElement();
        at->second = {kernel.reserve(llvm::alignTo(steps.rowBlock, isa.tileRows) * pitch * elementBytes(element)),
                      pitch};
      }
      const RowTile placed = at->second;
      steps.tiles[tile] = placed;
      kernel.tiles[tile] = placed.offset;
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
            steps.totals[total] = kernel.reserve(isa.lanes() * elementBytes(total.getType()));
    });
  }

  void placeDot(RowDot &dot) {
    dot.panel = panelOf(dot);
    dot.lhsPitch = dot.lhsTile ? steps.tiles.at(dot.lhsTile).pitch : llvm::alignTo(dot.depth, isa.lanes());
    dot.rhsDepth = llvm::alignTo(dot.depth, isa.lanes());
    if (!dot.lhsTile)
      dot.lhsOffset = kernel.reserve(steps.rowBlock * dot.lhsPitch * 4);
    if (dot.rhs == OperandForm::Copied)
      dot.rhsOffset = kernel.reserve(llvm::alignTo(dot.columns, dot.panel) * dot.rhsDepth * 4);
  }

private:
  /// Panels of about equal numbers of vectors.
  int64_t panelOf(const RowDot &dot) const {
    const int64_t vectors = (dot.columns + isa.lanes() - 1) / isa.lanes();
    const int64_t panels = (vectors + isa.tileVectors - 1) / isa.tileVectors;
    return (vectors + panels - 1) / panels * isa.lanes();
  }

  FuncOp func;
  const CpuArchitecture &isa;
  KernelPlan &kernel;
  RowSteps &steps;
};

double workOf(FuncOp func, RowSteps &steps) {
  double work = 0;
  for (auto &[op, dot] : steps.dots)
    work += static_cast<double>(dot.columns) * dot.depth;
  return work * std::min<double>(steps.rowBlock, estimate(steps.rows)) * estimate(stepsOf(func).getSteps()) / 16;
}

/// Reading a right operand, in products of a row with it. A copy of an element takes about as
/// long as some of them; without one each tile of rows, or some rows where there is no
/// micro-kernel for it, reads from afar.
double reading(const RowDot &dot, OperandForm form, double rows, const CpuArchitecture &isa) {
  constexpr double kCopy = 3, kLanes = 0.4; // adding lanes, for a row
  if (form == OperandForm::Copied)
    return kCopy;
  if (dot.isAlongDepth)
    return rows * kLanes;
  return dot.isReadable ? std::ceil(rows / isa.tileRows) * kCopy : rows;
}

bool canBeDirect(const RowDot &dot) { return dot.isReadable || dot.isComputable; }

/// Of a number of rows that only a run knows: a few may be cheaper without a copy.
bool servesFewRows(const RowDot &dot, const KernelPlan &kernel) {
  const std::optional<int64_t> least = bounds(kernel.steps->rows, kernel.vars.ranges()).lo;
  return dot.rhs == OperandForm::Copied && canBeDirect(dot) && !kernel.steps->rows.constant() &&
         least.value_or(0) <= kFewRows;
}

} // namespace

LogicalResult AttentionAttr::verify(EmitError error, int64_t rows, OperandForm keys, OperandForm values) {
  if (failed(verifyPositive(error, {rows})))
    return failure();
  if (keys > OperandForm::Copied || values > OperandForm::Copied)
    return error() << "keys and values are direct or copied";
  return success();
}

Candidates AttentionAttr::candidates(KernelPlan &kernel, const CpuArchitecture &isa) {
  if (!kernel.steps)
    return {};
  SmallVector<OperandForm> keys = {OperandForm::Direct, OperandForm::Copied}, values = keys;
  for (auto &[op, dot] : kernel.steps->dots)
    if (!canBeDirect(dot))
      (dot.lhsIsFixed ? keys : values) = {OperandForm::Copied};
  const int64_t least = 4 * isa.tileRows;
  Candidates all;
  for (int64_t rows = blockOf(kernel.steps->rows, isa.tileRows, rowsInCache(*kernel.steps, isa.cacheBytes));;
       rows = std::max<int64_t>(least, llvm::alignTo(rows / 2, isa.tileRows))) {
    for (OperandForm ofKeys : keys)
      for (OperandForm ofValues : values)
        all.push_back(AttentionAttr::get(kernel.func.getContext(), rows, ofKeys, ofValues));
    if (rows <= least)
      return all;
  }
}

/// That, and where there are too few blocks for all threads the rows of the longest.
double AttentionAttr::cost(const KernelPlan &kernel, const CpuArchitecture &isa) const {
  const RowSteps &steps = *kernel.steps;
  const auto all = static_cast<int64_t>(estimate(steps.rows));
  std::optional<int64_t> most = bounds(steps.rows, kernel.vars.ranges()).hi;
  double cost = 0;
  for (auto &[op, dot] : steps.dots)
    cost += reading(dot, dot.lhsIsFixed ? getKeys() : getValues(), static_cast<double>(most.value_or(INT64_MAX)), isa);
  const int64_t blocks = std::max<int64_t>(1, leastGrid(kernel.func)) * llvm::divideCeil(all, getRows());
  return blocks < isa.threads ? cost * static_cast<double>(getRows()) : cost;
}

Status AttentionAttr::plan(KernelPlan &kernel, const CpuArchitecture &isa) const {
  if (!kernel.steps || getRows() % isa.tileRows != 0)
    return doesNotSuit(kernel.func, isa);
  RowSteps &steps = *kernel.steps;
  steps.rowBlock = getRows();
  Planner planner(kernel, isa);
  CUPOLA_TRY(planner.placeTiles());
  planner.placeTotals();
  for (auto &[op, dot] : steps.dots) {
    dot.rhs = dot.lhsIsFixed ? getKeys() : getValues();
    if (dot.rhs == OperandForm::Direct && !canBeDirect(dot))
      return doesNotSuit(kernel.func, isa);
    dot.servesFewRows = servesFewRows(dot, kernel);
    planner.placeDot(dot);
  }
  llvm::append_range(kernel.parallel, graph::exprsOf(kernel.func.getGrid()));
  kernel.parallel.push_back(ceilDiv(steps.rows, steps.rowBlock));
  kernel.setGrain(workOf(kernel.func, steps));
  return {};
}

} // namespace cupola::cpu
