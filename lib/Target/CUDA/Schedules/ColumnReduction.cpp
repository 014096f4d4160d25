//===- lib/Target/CUDA/Schedules/ColumnReduction.cpp - the warps of a block share long columns ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
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
    if (isa<StoreOp>(op)) // One thread writes a point.
      return low.guard({inside, -warp}, [&] { return low.clone(op); });
    return low.clone(op);
  }

  LogicalResult reduce(kernel::ReduceOp op) {
    SmallVector<cuda::Accumulator> accumulators;
    for (auto [kind, type] : llvm::zip_equal(op.getKinds().getAsRange<graph::ReduceKindAttr>(), op.getResultTypes()))
      accumulators.push_back(cuda::makeAccumulator(low, kind.getValue(), type));
    Block &body = op.getBody().front();
    graph::Exprs extents = graph::exprsOf(op.getExtents());
    LogicalResult done = low.loop("i", warp, graph::product(extents), warps, /*unroll=*/false, [&](const Expr &i) {
      low.bindCoordinates(body.getArguments(), extents, i);
      LogicalResult element = low.clone(body);
      for (auto [accumulator, value] : llvm::zip_equal(accumulators, low.yielded(body)))
        cuda::accumulate(low, accumulator, value);
      return element;
    });
    for (auto [accumulator, result] : llvm::zip_equal(accumulators, op.getResults()))
      low.values.map(result, low.cast(combine(accumulator), accumulator.type));
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
  Expr lane, warp;
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
  // What a loop writes itself would be written by every thread of the block.
  if (!facts.sharesLoops || facts.func.getGrid().empty() || !facts.hasOnly<kernel::ReduceOp, MapOp>() ||
      !hasLongColumn(facts))
    return {};
  int64_t longest = 0;
  for (Operation *loop : facts.loops)
    longest = std::max(longest, steps(loop));
  return {ColumnReductionAttr::get(facts.context(), longest >= 1024 ? 1024 : 256)};
}

double cuda::ColumnReductionAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  int64_t points = facts.points.value_or(typicalPoints(target));
  return idle(points * (getThreads() / 32), target) * (facts.readsAlongRows ? strided : 1);
}

LogicalResult cuda::ColumnReductionAttr::lower(kernel::FuncOp func) const { return Columns(func, getThreads()).run(); }
