//===- lib/Target/CPU/Schedules/Attention.cpp - rows of an iteration, keys and values ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/KernelPlan.h"
#include "lib/Target/CPU/Schedules/Schedules.h"

#include <algorithm>

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {
namespace {

/// What an iteration keeps, within the second cache.
constexpr int64_t kCacheBytes = 256 << 10;
/// Rows that pay for the copies of keys and values: a copy of an element takes about as long as
/// the products of some rows with it.
constexpr int64_t kFewRows = 3;
/// Threads share what there is.
constexpr int64_t kFewBlocks = 8;

/// As many as the cache holds beside copies of a block of keys and values.
int64_t rowsInCache(RowSteps &steps) {
  int64_t shared = 0, perRow = 0;
  for (auto &[op, dot] : steps.dots) {
    shared += dot.columns * dot.depth * 4;
    perRow += (dot.columns + (dot.lhsTile ? 0 : dot.depth)) * 4;
  }
  return std::clamp<int64_t>((kCacheBytes - shared) / std::max<int64_t>(perRow, 1), 24, 320);
}

/// Points of a grid whose unknown extents are 1.
int64_t leastGrid(FuncOp func) {
  Expr grid = graph::product(graph::exprsOf(func.getGrid()));
  std::map<std::string, int64_t> values;
  for (const std::string &symbol : grid.symbols())
    values[symbol] = 1;
  return grid.evaluate(values).value_or(1);
}

int64_t chooseRows(FuncOp func, RowSteps &steps, const CpuArchitecture &isa) {
  int64_t rows = blockOf(steps.rows, isa.tileRows, rowsInCache(steps)), all = estimate(steps.rows);
  const int64_t least = 4 * isa.tileRows, grid = std::max<int64_t>(1, leastGrid(func));
  while (rows > least && grid * ((all + rows - 1) / rows) < kFewBlocks)
    rows = std::max<int64_t>(least, llvm::alignTo(rows / 2, isa.tileRows));
  return rows;
}

} // namespace

Result<AttentionAttr> chooseAttention(FuncOp func, const CpuArchitecture &isa) {
  Variables vars(func);
  Result<RowSteps> read = readSteps(vars, func);
  CUPOLA_TRY(read.status());
  RowSteps &steps = *read;
  steps.live = findLiveColumns(vars, steps, isa.lanes());
  std::optional<int64_t> most = bounds(steps.rows, vars.ranges()).hi;
  OperandForm keys = OperandForm::Direct, values = OperandForm::Direct;
  for (auto &[op, dot] : steps.dots) {
    const int64_t rows = most.value_or(INT64_MAX);
    const bool isReadable = isRhsReadable(vars, steps, dot) && rows <= (dot.isAlongDepth ? kFewRows : isa.tileRows);
    if (!isReadable && !(rows <= kFewRows && isRhsComputable(vars, dot, isa.lanes())))
      (dot.lhsIsFixed ? keys : values) = OperandForm::Copied;
  }
  return AttentionAttr::get(func.getContext(), chooseRows(func, steps, isa), keys, values);
}

} // namespace cupola::cpu
