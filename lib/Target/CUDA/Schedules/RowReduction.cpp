//===- lib/Target/CUDA/Schedules/RowReduction.cpp - a warp or a block per row ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/RowLoops.h"
#include "lib/Target/CUDA/Schedules/Cost.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace {

bool isLoop(Operation *op) { return isa<MapOp, kernel::ReduceOp, ForeachOp>(op); }

/// The load reads element after element of what is the same for all grid points.
bool isOfAllRows(LoadOp load, Value index, Variables &vars) {
  return load.getMask().empty() && !cuda::isIndirect(load.getIndices()) && graph::byteSize(load.getType()) > 1 &&
         vars.read(load.getPosition(), load.getIndices()) == vars.of(index);
}

/// Loads and stores of a loop's block whose positions have its one index.
template <class Visit> void eachAccess(kernel::FuncOp func, Variables &vars, Visit visit) {
  for (Operation &loop : func.getBody().front()) {
    if (!isLoop(&loop) || extentsOf(&loop).size() != 1)
      continue;
    Block &block = loop.getRegion(0).front();
    const Value index = block.getArgument(0);
    for (Operation &op : block)
      if (auto load = dyn_cast<LoadOp>(op)) {
        if (vars.read(load.getPosition(), load.getIndices()).uses(vars.name(index)))
          visit(&op, index, isOfAllRows(load, index, vars));
      } else if (auto store = dyn_cast<StoreOp>(op))
        visit(&op, index, /*ofAllRows=*/false);
  }
}

int64_t bytesOf(Operation *access) {
  auto store = dyn_cast<StoreOp>(access);
  return graph::byteSize(store ? store.getValue().getType() : access->getResult(0).getType());
}

/// Whether blocks of eight rows of a warp each, of which the device has enough, are to have what all rows read once;
/// else a block has so many rows.
bool paysToStage(cuda::KernelFacts &facts, const GpuArchitecture &target, int64_t rows) {
  int64_t stay = 0, move = 0;
  eachAccess(facts.func, facts.vars,
             [&](Operation *access, Value, bool ofAllRows) { (ofAllRows ? stay : move) += bytesOf(access); });
  return facts.points && *facts.points >= 8 * target.multiprocessors && 8 * stay > rows * move;
}

class Rows {
public:
  Rows(kernel::FuncOp func, cuda::RowReductionAttr schedule)
      : low(func), threads(schedule.getThreads()), cooperating(schedule.getRow()), width(schedule.getVector()),
        staged(schedule.getStaged()), loops(low, threads, cooperating, width, /*kept=*/staged ? 64 : 32) {}

  LogicalResult run() {
    Expr rows = graph::product(low.grid());
    int64_t rowsPerBlock = threads / cooperating;
    Expr blocks = ceilDiv(rows, rowsPerBlock);
    low.launch(threads, blocks);
    if (staged)
      stage();
    if (rowsPerBlock == 1)
      return low.guardBlocks([&] { return body(low.block()); });
    Expr row = low.block() * rowsPerBlock + floorDiv(low.thread(), cooperating);
    return low.guard({rows - 1 - row}, [&] { return body(row); });
  }

private:
  /// What all rows read, once for the block.
  void stage() {
    llvm::DenseMap<Value, Value> places; // of views
    eachAccess(low.source, low.vars, [&](Operation *access, Value index, bool ofAllRows) {
      auto load = ofAllRows ? cast<LoadOp>(access) : LoadOp();
      if (!load)
        return;
      const Expr columns = graph::exprsOf(extentsOf(index.getParentBlock()->getParentOp())).front();
      Value &smem = places[load.getView()];
      if (!smem)
        smem = copied(low.values.lookupOrDefault(load.getView()), load.getType(), *columns.constant());
      low.stage(load, smem);
    });
    BarrierOp::create(low.builder, low.func.getLoc());
  }

  Value copied(Value view, Type element, int64_t columns) {
    const Value smem = low.smem(columns, element);
    (void)low.loop("c", low.thread(), columns / width, threads, /*unroll=*/false, [&](const Expr &c) {
      if (width == 1) {
        low.storeShared(low.load(view, {c, {}}), smem, c);
        return success();
      }
      const Value registers = low.registers({}, element, width);
      low.loadVector(view, {c * width, {}}, registers);
      low.storeVector(registers, {}, smem, c * width);
      return success();
    });
    return smem;
  }

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
    if (auto loop = dyn_cast<ForeachOp>(op))
      return loops.each(loop, [](ValueRange, const Expr &) {});
    if (isa<StoreOp>(op)) // One thread writes what belongs to the whole row.
      return low.guard({-lane}, [&] { return low.clone(op); });
    return low.clone(op);
  }

  cuda::Lowering low;
  int64_t threads, cooperating, width;
  bool staged;
  cuda::RowLoops loops;
  Expr lane; ///< of the thread in its row
};

} // namespace

/// Rows up to this many elements belong to a warp, wider ones to a block; those whose vectors are staged up to twice as
/// many.
static constexpr int64_t warpRow = 1024;

LogicalResult cuda::RowReductionAttr::verify(EmitError error, int64_t threads, int64_t row, int64_t vector, bool) {
  if (failed(verifyThreads(error, threads)) || failed(verifyVector(error, vector)))
    return failure();
  if (row != 32 && row != threads)
    return error() << row << " threads of a row are neither a warp nor the block of " << threads;
  return success();
}

cuda::Candidates cuda::RowReductionAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  if (!facts.sharesLoops)
    return {};
  int64_t vector = facts.vector;
  Expr columns = iterationsOf(facts.loops.front());
  std::optional<int64_t> count = columns.constant();
  if (!count)
    count = bounds(columns, facts.vars.ranges()).hi;
  const bool staged =
      columns.constant() && *count <= 2 * warpRow && paysToStage(facts, target, /*rows=*/*count <= warpRow ? 4 : 1);
  if (count && *count <= (staged ? 2 * warpRow : warpRow)) {
    while (vector > 1 && *count / vector < 32) // Better all lanes than whole vectors.
      vector /= 2;
    return {RowReductionAttr::get(facts.context(), staged ? 256 : 128, /*row=*/32, vector, staged)};
  }
  // Wide or of unknown width: as many threads as vectors, up to a full block.
  int64_t threads = 256;
  while (threads < 1024 && count && *count / vector > threads * 4)
    threads *= 2;
  return {RowReductionAttr::get(facts.context(), threads, /*row=*/threads, vector, /*staged=*/false)};
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
