//===- lib/Target/CUDA/Schedules/RowReduction.cpp - a warp or a block per row ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Schedules/Cost.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace {

class Rows {
public:
  Rows(kernel::FuncOp func, cuda::RowReductionAttr schedule)
      : low(func), threads(schedule.getThreads()), cooperating(schedule.getRow()), width(schedule.getVector()) {}

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
  bool isBlock() const { return cooperating > 32; }

  LogicalResult body(const Expr &row) {
    low.bindGrid(row);
    lane = low.let("lane", isBlock() ? low.thread() : mod(low.thread(), 32), cooperating);
    for (Operation &op : low.body())
      if (failed(statement(op)))
        return failure();
    return success();
  }

  LogicalResult statement(Operation &op) {
    if (auto map = dyn_cast<MapOp>(op))
      return keep(map);
    if (auto loop = dyn_cast<kernel::ReduceOp>(op))
      return reduce(loop);
    if (auto loop = dyn_cast<ForeachOp>(op))
      return each(loop, [](ValueRange, const Expr &) {});
    if (isa<StoreOp>(op)) // One thread writes what belongs to the whole row.
      return low.guard({-lane}, [&] { return low.clone(op); });
    return low.clone(op);
  }

  /// The loop's points, shared between the threads of the row; every loop in the same way, so that tiles match.
  LogicalResult each(Operation *loop, cuda::Lowering::Yield yield) {
    ValueRange indices = loop->getRegion(0).getArguments();
    Block &block = loop->getRegion(0).front();
    graph::Exprs extents = graph::exprsOf(extentsOf(loop));
    Expr inner = extents.back();
    extents.back() = floorDiv(extents.back(), width);
    Expr count = graph::product(extents), trips = ceilDiv(count, cooperating);
    bool unroll = trips.constant() && *trips.constant() <= 64;
    low.enter(loop);
    if (failed(low.hoistInvariant(block, indices)))
      return failure();
    return low.loop("i", 0, trips, 1, unroll, [&](const Expr &i) {
      iteration = i;
      Expr flat = i * cooperating + lane;
      return low.guard({count - 1 - flat}, [&] {
        ArrayRef<Expr> outer = ArrayRef(extents).drop_back();
        bool single = outer.empty();
        low.bindCoordinates(indices.drop_back(), outer, single ? flat : floorDiv(flat, extents.back()));
        Expr column = single ? flat : mod(flat, extents.back());
        return low.cloneVector(block, indices.back(), column * width, inner, width, yield);
      });
    });
  }

  /// Where a thread keeps what an iteration makes.
  graph::Exprs placeOf(const Expr &e) const { return width > 1 ? graph::Exprs{iteration, e} : graph::Exprs{iteration}; }

  /// Registers of every thread hold its part of a map, if they are few; else the map
  /// is computed again wherever it is read.
  LogicalResult keep(MapOp map) {
    Expr count = graph::product(graph::exprsOf(map.getExtents()));
    std::optional<int64_t> constant = count.constant();
    if (!constant || *constant > registerElements * cooperating)
      return success();
    int64_t trips = (*constant / width + cooperating - 1) / cooperating;
    SmallVector<Value> registers;
    for (Value tile : map.getTiles()) {
      Type element = llvm::cast<TileType>(tile.getType()).getElement();
      SmallVector<int64_t> extents = {trips};
      if (width > 1)
        extents.push_back(width);
      registers.push_back(low.registers(extents, element));
    }
    LogicalResult done = each(map, [&](ValueRange yielded, const Expr &e) {
      for (auto [value, place] : llvm::zip_equal(yielded, registers))
        low.set(value, place, placeOf(e));
    });
    for (auto [tile, place] : llvm::zip_equal(map.getTiles(), registers))
      low.tiles[tile] = {place, [this](const Expr &e) { return placeOf(e); }};
    return done;
  }

  LogicalResult reduce(kernel::ReduceOp op) {
    SmallVector<cuda::Accumulator> accumulators;
    for (auto [kind, type] : llvm::zip_equal(op.getKinds().getAsRange<graph::ReduceKindAttr>(), op.getResultTypes()))
      accumulators.push_back(cuda::makeAccumulator(low, kind.getValue(), type));
    LogicalResult done = each(op, [&](ValueRange yielded, const Expr &) {
      for (auto [accumulator, value] : llvm::zip_equal(accumulators, yielded))
        cuda::accumulate(low, accumulator, value);
    });
    for (auto [accumulator, result] : llvm::zip_equal(accumulators, op.getResults()))
      low.values.map(result, low.cast(combine(accumulator), accumulator.type));
    return done;
  }

  Value combine(const cuda::Accumulator &accumulator) {
    Value own = low.get(accumulator.registers);
    Location loc = low.func.getLoc();
    if (!isBlock())
      return WarpReduceOp::create(low.builder, loc, own.getType(), accumulator.kind, own);
    Value &scratch = scratches[own.getType()];
    if (!scratch) {
      OpBuilder::InsertionGuard saved(low.builder);
      low.builder.setInsertionPointToStart(&low.func.getBody().front());
      scratch = low.smem(threads / 32, own.getType());
    }
    return BlockReduceOp::create(low.builder, loc, own.getType(), accumulator.kind, own, scratch);
  }

  static constexpr int64_t registerElements = 32; ///< of one map, per thread
  cuda::Lowering low;
  int64_t threads, cooperating, width;
  Expr lane, iteration; ///< of the thread in its row; of the current loop
  llvm::DenseMap<Type, Value> scratches;
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
  return idle(points * 32, target) * (facts.readsAlongRows ? 1 : strided);
}

LogicalResult cuda::RowReductionAttr::lower(kernel::FuncOp func) const { return Rows(func, *this).run(); }
