//===- lib/Target/CUDA/Schedules/Pointwise.cpp - one thread per vector of a foreach, or of several rows ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Schedules/Cost.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace {

/// The axis along which the most bytes that a vector reads stay where they are.
struct Rows {
  unsigned axis;
  int64_t stay, move; ///< bytes for an element: of those loads; of others, and of stores
};

std::optional<Rows> rowsOf(ForeachOp loop) {
  Block &body = loop.getBody().front();
  const llvm::DenseSet<Operation *> vectors = cuda::varyingOps(body, body.getArguments().back());
  std::optional<Rows> best;
  for (unsigned axis = 0; axis + 1 < body.getNumArguments(); ++axis) {
    const llvm::DenseSet<Operation *> still = cuda::loadsWithout(body, body.getArgument(axis));
    Rows rows{axis, 0, 0};
    for (Operation &op : body)
      if (auto load = dyn_cast<LoadOp>(op); load && vectors.contains(load))
        (still.contains(load) ? rows.stay : rows.move) += graph::byteSize(load.getType());
      else if (auto store = dyn_cast<StoreOp>(op))
        rows.move += graph::byteSize(store.getValue().getType());
    if (rows.stay > 0 && (!best || rows.stay >= best->stay))
      best = rows;
  }
  return best;
}

class Points {
public:
  Points(cuda::Lowering &low, ForeachOp loop, cuda::PointwiseAttr schedule)
      : low(low), loop(loop), schedule(schedule), width(schedule.getVector()) {
    if (schedule.getRows() > 1)
      rows = rowsOf(loop);
  }

  Expr count() const { return graph::product(threadExtents()); }

  LogicalResult distribute() {
    const graph::Exprs extents = threadExtents();
    const Expr flat = low.block() * schedule.getThreads() + low.thread();
    return low.guard({graph::product(extents) - 1 - flat}, [&]() -> LogicalResult {
      ArrayRef<Expr> outer = ArrayRef(extents).drop_back();
      Expr rest = outer.empty() ? flat : floorDiv(flat, extents.back());
      const Expr column = (outer.empty() ? flat : mod(flat, extents.back())) * width;
      if (rows)
        return eachRow(cuda::Lowering::coordinatesOf(outer, rest), column);
      low.bindCoordinates(indices().drop_back(), outer, rest);
      low.enter(loop);
      return vector(column);
    });
  }

private:
  ValueRange indices() { return loop.getBody().getArguments(); }
  graph::Exprs extents() const { return graph::exprsOf(ForeachOp(loop).getExtents()); }
  /// What threads are counted by: the innermost extent in vectors, the one of the rows in those of a thread.
  graph::Exprs threadExtents() const {
    graph::Exprs all = extents();
    all.back() = floorDiv(all.back(), width);
    if (rows)
      all[rows->axis] = ceilDiv(all[rows->axis], schedule.getRows());
    return all;
  }

  LogicalResult vector(const Expr &column) {
    return low.cloneVector(loop.getBody().front(), indices().back(), column, extents().back(), width,
                           [](ValueRange, const Expr &) {});
  }

  /// Rows of a thread are apart, so that those of neighbours are neighbours.
  LogicalResult eachRow(graph::Exprs coordinates, const Expr &column) {
    const Value row = indices()[rows->axis];
    const Expr extent = extents()[rows->axis], step = threadExtents()[rows->axis];
    const Expr first = low.let("first", coordinates[rows->axis], step);
    for (auto [axis, index] : llvm::enumerate(indices().drop_back()))
      if (axis != rows->axis)
        low.bind(index, coordinates[axis], extents()[axis]);
    low.enter(loop);
    low.hoistVectors(loop.getBody().front(), row, indices().back(), column, width, /*exists=*/0);
    return low.loop("r", 0, schedule.getRows(), 1, /*unroll=*/true, [&](const Expr &r) {
      const Expr at = r * step + first;
      return low.guard({extent - 1 - at}, [&] {
        low.bind(row, at, extent);
        return vector(column);
      });
    });
  }

  cuda::Lowering &low;
  ForeachOp loop;
  cuda::PointwiseAttr schedule;
  int64_t width;
  std::optional<Rows> rows;
};

/// As many rows for a thread as make what stays an eighth of what moves, while three warps are left for each
/// multiprocessor.
int64_t rowsOfThread(const cuda::KernelFacts &facts, const GpuArchitecture &target) {
  auto loop = cast<ForeachOp>(facts.loops.front());
  const std::optional<int64_t> points = cuda::iterationsOf(loop).constant();
  if (facts.loops.size() != 1 || facts.vector == 1 || !points)
    return 1;
  const std::optional<Rows> rows = rowsOf(loop);
  const int64_t vectors = *points / facts.vector, fewest = 96 * target.multiprocessors;
  int64_t count = 1;
  while (rows && 8 * rows->stay > count * rows->move && count < 8 && vectors / (2 * count) >= fewest)
    count *= 2;
  return count;
}

} // namespace

LogicalResult cuda::PointwiseAttr::verify(EmitError error, int64_t threads, int64_t vector, int64_t rows) {
  if (failed(verifyThreads(error, threads)) || failed(verifyVector(error, vector)))
    return failure();
  if (rows < 1 || rows > 16)
    return error() << rows << " rows of a thread are not 1 to 16";
  return success();
}

cuda::Candidates cuda::PointwiseAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  if (!facts.isElementwise)
    return {};
  const int64_t rows = rowsOfThread(facts, target);
  return {PointwiseAttr::get(facts.context(), /*threads=*/rows > 1 ? 128 : 256, facts.vector, rows)};
}

double cuda::PointwiseAttr::cost(const KernelFacts &facts, const GpuArchitecture &) const {
  return facts.transposedAxis ? strided : 1;
}

StringRef cuda::PointwiseAttr::getLabel(graph::KernelKind kind) const {
  return kind == graph::KernelKind::Gather ? "gather" : getMnemonic();
}

LogicalResult cuda::PointwiseAttr::lower(kernel::FuncOp func) const {
  Lowering low(func);
  std::optional<Expr> blocks;
  for (auto loop : low.body().getOps<ForeachOp>()) {
    Expr count = ceilDiv(Points(low, loop, *this).count(), getThreads());
    blocks = blocks ? max(*blocks, count) : count;
  }
  low.launch(getThreads(), *blocks);
  for (Operation &op : low.body()) {
    auto loop = dyn_cast<ForeachOp>(op);
    if (failed(loop ? Points(low, loop, *this).distribute() : low.clone(op)))
      return failure();
  }
  return success();
}
