//===- lib/Target/CUDA/Schedules/RowReduction.cpp - a warp or a block per row ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/RowParts.h"
#include "lib/Target/CUDA/Schedules/Cost.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace {

class Rows {
public:
  Rows(kernel::FuncOp func, cuda::RowReductionAttr schedule)
      : low(func), threads(schedule.getThreads()), split(schedule.getSplit()), cooperating(schedule.getRow() * split),
        peeled(schedule.getPeeled()), loops(low, threads, cooperating, schedule.getVector()) {}

  LogicalResult run() {
    Expr rows = graph::product(low.grid());
    if (peeled && failed(findOrigin()))
      return failure();
    if (split > 1)
      return shared(rows);
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
    begin(lane);
    return statements(low.body().getOperations());
  }

  /// Several blocks have parts of a row.
  LogicalResult shared(const Expr &rows) {
    const SmallVector<Operation *> all = loopsOf();
    if (all.size() != 1 || !cuda::RowParts::canSplit(all.front()))
      return low.source.emitOpError("has other loops than one reduction, whose parts blocks could share");
    low.launch(threads, rows * split);
    return low.guardBlocks([&]() -> LogicalResult {
      const Block::iterator loop(all.front());
      const Expr row = floorDiv(low.block(), split);
      low.bindGrid(row);
      lane = low.thread();
      const Expr part = mod(low.block(), split);
      begin(low.let("lane", part * threads + low.thread(), cooperating));
      const auto rest = llvm::make_range(std::next(loop), low.body().end());
      if (failed(statements(llvm::make_range(low.body().begin(), loop))))
        return failure();
      return cuda::RowParts(low, loops, split, rows).run(&*loop, row, part, [&] { return statements(rest); });
    });
  }

  SmallVector<Operation *> loopsOf() {
    const auto isLoop = [](Operation &op) { return isa<ForeachOp, MapOp, kernel::ReduceOp, ArgReduceOp>(op); };
    return llvm::map_to_vector(llvm::make_filter_range(low.body(), isLoop), [](Operation &op) { return &op; });
  }

  LogicalResult findOrigin() {
    const SmallVector<Operation *> all = loopsOf();
    const std::optional<Expr> found = cuda::originOfRow(all, low.vars);
    if (!found)
      return low.source.emitOpError("has no row that all of its loops go over and that begins at one place");
    origin = *found;
    extent = graph::exprsOf(extentsOf(all.front())).back();
    return success();
  }

  void begin(const Expr &thread) {
    loops.begin(thread);
    if (peeled)
      loops.peel(origin, extent);
  }

  template <class Ops> LogicalResult statements(Ops &&ops) {
    for (Operation &op : ops)
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
  int64_t threads, split, cooperating;
  bool peeled;
  cuda::RowLoops loops;
  Expr origin, extent; ///< of rows that are peeled
  Expr lane;           ///< of the thread among those that know what a loop gives
};

} // namespace

/// Rows up to this many elements belong to a warp, wider ones to a block.
static constexpr int64_t warpRow = 1024;

LogicalResult cuda::RowReductionAttr::verify(EmitError error, int64_t threads, int64_t row, int64_t vector,
                                             int64_t split, bool) {
  if (failed(verifyThreads(error, threads)) || failed(verifyVector(error, vector)) ||
      failed(verifyPositive(error, {split})))
    return failure();
  if (row != 32 && row != threads)
    return error() << row << " threads of a row are neither a warp nor the block of " << threads;
  if (split > 1 && (row != threads || split > threads))
    return error() << split << " blocks do not share a row of " << row << " threads, blocks of " << threads;
  return success();
}

/// Blocks that share a row, so many that each has some to read, where there are fewer rows than multiprocessors. A
/// block that waits for the others takes as long as one that reads 100 KB.
static int64_t blocksOfRow(cuda::KernelFacts &facts, int64_t columns, const GpuArchitecture &target) {
  constexpr int64_t longRow = 256 << 10, part = 32 << 10; // bytes
  Operation *const loop = facts.loops.front();
  if (facts.loops.size() > 1 || !cuda::RowParts::canSplit(loop) || !facts.points)
    return 1;
  int64_t bytes = 0; // of an element
  for (auto load : loop->getRegion(0).getOps<LoadOp>())
    bytes = std::max(bytes, graph::byteSize(load.getType()));
  columns = std::min<int64_t>(columns, int64_t(1) << 40); // a declared bound may be anything
  if (columns * bytes < longRow)
    return 1;
  const int64_t unused = target.multiprocessors / std::max<int64_t>(*facts.points, 1);
  return std::clamp<int64_t>(std::min(unused, columns * bytes / part), 1, 128);
}

/// What the rows of a loop of unknown extent are taken for.
static constexpr int64_t typicalRow = 1 << 18;

cuda::Candidates cuda::RowReductionAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  if (!facts.sharesLoops)
    return {};
  int64_t vector = std::max(facts.vector, facts.peeledVector);
  Expr columns = iterationsOf(facts.loops.front());
  std::optional<int64_t> count = columns.constant();
  if (!count)
    count = bounds(columns, facts.vars.ranges()).hi;
  if (count && *count <= warpRow)
    while (vector > 1 && *count / vector < 32) // Better all lanes than whole vectors.
      vector /= 2;
  const auto shape = [&](int64_t threads, int64_t row, int64_t split) {
    return RowReductionAttr::get(facts.context(), threads, row, vector, split, vector > facts.vector);
  };
  if (count && *count <= warpRow)
    return {shape(128, 32, 1)};
  if (const int64_t split = blocksOfRow(facts, count.value_or(typicalRow), target); split > 1)
    return {shape(256, 256, split)};
  // Wide or of unknown width: as many threads as vectors, up to a full block.
  int64_t threads = 256;
  while (threads < 1024 && count && *count / vector > threads * 4)
    threads *= 2;
  return {shape(threads, threads, 1)};
}

/// Of a row's threads one warp counts: more of them do not make up for strided reads.
double cuda::RowReductionAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  int64_t points = facts.points.value_or(typicalPoints(target));
  // Rows shorter than a warp leave lanes without work, and those of windows are read again and again.
  const int64_t lanes = std::clamp<int64_t>(iterationsOf(facts.loops.front()).constant().value_or(32), 1, 32);
  const double repeated = facts.window ? facts.window->accesses(1, 1) : 1;
  return std::max(idle(points * lanes * getSplit(), target), 32.0 / double(lanes)) * repeated *
         (facts.readsAlongRows ? 1 : strided);
}

LogicalResult cuda::RowReductionAttr::lower(kernel::FuncOp func) const { return Rows(func, *this).run(); }
