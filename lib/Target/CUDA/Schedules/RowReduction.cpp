//===- lib/Target/CUDA/Schedules/RowReduction.cpp - a warp or a block per row ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/RowLoops.h"
#include "lib/Target/CUDA/Schedules/Cost.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace {

class Rows {
public:
  Rows(kernel::FuncOp func, cuda::RowReductionAttr schedule)
      : low(func), threads(schedule.getThreads()), cooperating(schedule.getRow()), width(schedule.getVector()),
        loops(low, threads, cooperating, width) {}

  LogicalResult run() {
    Expr rows = graph::product(low.grid());
    int64_t rowsPerBlock = threads / cooperating;
    Expr blocks = ceilDiv(rows, rowsPerBlock);
    low.launch(threads, blocks);
    if (rowsPerBlock == 1)
      return low.guardBlocks([&] { return body(low.block()); });
    Expr row = low.block() * rowsPerBlock + floorDiv(low.thread(), cooperating);
    return low.guard({rows - 1 - row}, [&] { return body(row); });
  }

private:
  LogicalResult body(const Expr &row) {
    low.bindGrid(row);
    lane = low.let("lane", cooperating > 32 ? low.thread() : mod(low.thread(), 32), cooperating);
    loops.begin(lane);
    for (Operation &op : low.body())
      if (failed(statement(op)))
        return failure();
    return success();
  }

  LogicalResult statement(Operation &op) {
    if (auto map = dyn_cast<MapOp>(op))
      return loops.keep(map);
    if (auto loop = dyn_cast<kernel::ReduceOp>(op))
      return loops.reduce(loop);
    if (auto loop = dyn_cast<ArgReduceOp>(op))
      return loops.reduce(loop);
    if (auto loop = dyn_cast<ForeachOp>(op))
      return loops.each(loop, [](ValueRange, const Expr &) {});
    if (isa<StoreOp>(op)) // One thread writes what belongs to the whole row.
      return low.guard({-lane}, [&] { return low.clone(op); });
    return low.clone(op);
  }

  cuda::Lowering low;
  int64_t threads, cooperating, width;
  cuda::RowLoops loops;
  Expr lane; ///< of the thread in its row
};

} // namespace

/// Rows up to this many elements belong to a warp, wider ones to a block.
static constexpr int64_t warpRow = 1024;

LogicalResult cuda::RowReductionAttr::verify(EmitError error, int64_t threads, int64_t row, int64_t vector) {
  if (failed(verifyThreads(error, threads)) || failed(verifyVector(error, vector)))
    return failure();
  if (row != 32 && row != threads)
    return error() << row << " threads of a row are neither a warp nor the block of " << threads;
  return success();
}

cuda::Candidates cuda::RowReductionAttr::candidates(KernelFacts &facts, const GpuArchitecture &) {
  if (!facts.sharesLoops)
    return {};
  int64_t vector = facts.vector;
  Expr columns = iterationsOf(facts.loops.front());
  std::optional<int64_t> count = columns.constant();
  if (!count)
    count = bounds(columns, facts.vars.ranges()).hi;
  if (count && *count <= warpRow) {
    while (vector > 1 && *count / vector < 32) // Better all lanes than whole vectors.
      vector /= 2;
    return {RowReductionAttr::get(facts.context(), /*threads=*/128, /*row=*/32, vector)};
  }
  // Wide or of unknown width: as many threads as vectors, up to a full block.
  int64_t threads = 256;
  while (threads < 1024 && count && *count / vector > threads * 4)
    threads *= 2;
  return {RowReductionAttr::get(facts.context(), threads, /*row=*/threads, vector)};
}

/// Of a row's threads one warp counts: more of them do not make up for strided reads.
double cuda::RowReductionAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  int64_t points = facts.points.value_or(typicalPoints(target));
  // Rows shorter than a warp leave lanes without work, and those of windows are read again and again.
  const int64_t lanes = std::clamp<int64_t>(iterationsOf(facts.loops.front()).constant().value_or(32), 1, 32);
  const double repeated = facts.window ? facts.window->accesses(1, 1) : 1;
  return std::max(idle(points * lanes, target), 32.0 / double(lanes)) * repeated * (facts.readsAlongRows ? 1 : strided);
}

LogicalResult cuda::RowReductionAttr::lower(kernel::FuncOp func) const { return Rows(func, *this).run(); }
