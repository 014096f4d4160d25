//===- lib/Target/CUDA/Schedules/ColumnReduction.cpp - the warps of a block share long columns ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/BestValue.h"
#include "lib/Target/CUDA/Schedules/Cost.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace {

using cuda::lanes;

/// A lane per grid point, a warp per part of the loops: a warp reads neighbouring points.
class Columns {
public:
  Columns(kernel::FuncOp func, int64_t threads) : low(func), threads(threads) {}

  LogicalResult run() {
    Expr points = graph::product(low.grid()), blocks = ceilDiv(points, lanes);
    low.launch(threads, blocks);
    return low.guardBlocks([&]() -> LogicalResult {
      lane = low.let("lane", mod(low.thread(), lanes), lanes);
      warp = low.let("warp", floorDiv(low.thread(), lanes), warps);
      // Lanes beyond the last point repeat it: all threads pass the barriers.
      Expr point = low.block() * lanes + lane;
      low.bindGrid(low.let("point", min(point, points - 1), points));
      for (Operation &op : low.body())
        if (failed(statement(op, points - 1 - point)))
          return failure();
      return success();
    });
  }

private:
  LogicalResult statement(Operation &op, const Expr &inside) {
    if (auto reduction = dyn_cast<kernel::ReduceOp>(op))
      return reduce(reduction);
    if (auto reduction = dyn_cast<ArgReduceOp>(op))
      return reduce(reduction);
    if (auto map = dyn_cast<MapOp>(op))
      return keep(map);
    if (isa<ForeachOp>(op))
      return each(&op, {inside}, [](ValueRange) {});
    if (isa<StoreOp>(op)) // One thread writes a point.
      return low.guard({inside, -warp}, [&] { return low.clone(op); });
    return low.clone(op);
  }

  /// The loop's iterations, shared between the warps; every loop in the same way, so that tiles match.
  LogicalResult each(Operation *loop, ArrayRef<Expr> conditions, llvm::function_ref<void(ValueRange)> yield) {
    Block &body = loop->getRegion(0).front();
    const graph::Exprs extents = graph::exprsOf(extentsOf(loop));
    const Expr count = graph::product(extents);
    low.enter(loop);
    return low.loop("i", 0, ceilDiv(count, warps), 1, canKeep(count), [&](const Expr &i) {
      iteration = i;
      const Expr at = warps * i + warp;
      graph::Exprs all(conditions);
      all.push_back(count - 1 - at);
      return low.guard(all, [&] {
        low.bindCoordinates(body.getArguments(), extents, at);
        const LogicalResult done = low.clone(body);
        yield(low.yielded(body));
        return done;
      });
    });
  }

  bool canKeep(const Expr &count) const {
    constexpr int64_t registerElements = 32; // of one map, per thread
    return count.constant() && *count.constant() <= registerElements * warps;
  }

  /// Registers of every thread hold its part of a map, if they are few; else it is computed again wherever it is read.
  LogicalResult keep(MapOp map) {
    const Expr count = graph::product(graph::exprsOf(map.getExtents()));
    if (!canKeep(count))
      return success();
    SmallVector<Value> registers;
    for (Value tile : map.getTiles())
      registers.push_back(low.registers({llvm::divideCeilSigned(*count.constant(), warps)},
                                        llvm::cast<TileType>(tile.getType()).getElement()));
    const LogicalResult done = each(map, {}, [&](ValueRange yielded) {
      for (auto [value, place] : llvm::zip_equal(yielded, registers))
        low.set(value, place, {iteration});
    });
    for (auto [tile, place] : llvm::zip_equal(map.getTiles(), registers))
      low.tiles[tile] = {place, [this](const Expr &) { return graph::Exprs{iteration}; }};
    return done;
  }

  LogicalResult reduce(kernel::ReduceOp op) {
    SmallVector<cuda::Accumulator> accumulators;
    for (auto [kind, type] : llvm::zip_equal(op.getKinds().getAsRange<graph::ReduceKindAttr>(), op.getResultTypes()))
      accumulators.push_back(cuda::makeAccumulator(low, kind.getValue(), type));
    const LogicalResult done = each(op, {}, [&](ValueRange yielded) {
      for (auto [accumulator, value] : llvm::zip_equal(accumulators, yielded))
        cuda::accumulate(low, accumulator, value);
    });
    for (auto [accumulator, result] : llvm::zip_equal(accumulators, op.getResults()))
      low.values.map(result, low.cast(combine(accumulator), accumulator.type));
    return done;
  }

  LogicalResult reduce(ArgReduceOp op) {
    cuda::BestValue best(low, op);
    const LogicalResult done = each(op, {}, [&](ValueRange yielded) { best.take(yielded[0]); });
    low.values.map(op.getResult(), best.ofAll([&](const cuda::Accumulator &all) { return combine(all); }).position);
    return done;
  }

  /// The warps' parts of every point, combined in every thread.
  Value combine(const cuda::Accumulator &accumulator) {
    Value own = low.get(accumulator.registers);
    Value parts = low.smem(threads, own.getType());
    low.storeShared(own, parts, warp * lanes + lane);
    BarrierOp::create(low.builder, low.func.getLoc());
    cuda::Accumulator all = cuda::makeAccumulator(low, accumulator.kind, accumulator.type);
    (void)low.loop("w", 0, warps, 1, /*unroll=*/true, [&](const Expr &w) -> LogicalResult {
      cuda::accumulate(low, all, low.loadShared(parts, w * lanes + lane));
      return success();
    });
    return low.get(all.registers);
  }

  cuda::Lowering low;
  int64_t threads, warps = threads / lanes;
  Expr lane, warp, iteration; ///< of the current loop
};

} // namespace

/// Columns of this many elements are shared by the warps of a block.
static constexpr int64_t longColumn = 32;

static int64_t steps(Operation *loop) { return cuda::iterationsOf(loop).constant().value_or(longColumn); }

/// Some loop is long and reads neighbouring elements for neighbouring points.
static bool hasLongColumn(cuda::KernelFacts &facts) {
  Value point = facts.func.getPoint().back();
  return llvm::any_of(facts.loops, [&](Operation *loop) {
    return steps(loop) >= longColumn && llvm::any_of(loop->getRegion(0).getOps<LoadOp>(),
                                                     [&](LoadOp load) { return facts.stepsByOne(load, point); });
  });
}

LogicalResult cuda::ColumnReductionAttr::verify(EmitError error, int64_t threads) {
  return verifyThreads(error, threads);
}

cuda::Candidates cuda::ColumnReductionAttr::candidates(KernelFacts &facts, const GpuArchitecture &) {
  if (!facts.sharesLoops || facts.func.getGrid().empty() || !hasLongColumn(facts))
    return {};
  int64_t longest = 0;
  for (Operation *loop : facts.loops)
    longest = std::max(longest, steps(loop));
  return {ColumnReductionAttr::get(facts.context(), longest >= 1024 ? 1024 : 256)};
}

double cuda::ColumnReductionAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  int64_t points = facts.points.value_or(typicalPoints(target));
  const double repeated = facts.window ? facts.window->accesses(1, 1) : 1; // by the points beside
  return idle(points * (getThreads() / 32), target) * repeated * (facts.readsAlongRows ? strided : 1);
}

LogicalResult cuda::ColumnReductionAttr::lower(kernel::FuncOp func) const { return Columns(func, getThreads()).run(); }
