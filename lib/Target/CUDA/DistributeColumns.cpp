//===- lib/Target/CUDA/DistributeColumns.cpp - the warps of a block share long columns ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using cupola::cuda::symbol;

namespace cupola::cuda {
#define GEN_PASS_DEF_DISTRIBUTECOLUMNS
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// A lane per grid point, a warp per part of the loops: a warp reads neighbouring points.
class Columns {
public:
  explicit Columns(FuncOp func) : low(func), threads(func.getParams().getAs<IntegerAttr>("threads").getInt()) {}

  LogicalResult run() {
    Expr points = graph::product(low.grid()), blocks = ceilDiv(points, lanes);
    low.launch(threads, blocks);
    return low.guardBlocks(blocks, [&]() -> LogicalResult {
      low.let("lane", mod(symbol("t"), lanes), lanes);
      low.let("warp", floorDiv(symbol("t"), lanes), warps);
      // Lanes beyond the last point repeat it: all threads pass the barriers.
      Expr point = symbol("b") * lanes + symbol("lane");
      low.let("point", min(point, points - 1), points);
      low.letGrid(symbol("point"));
      for (Operation &op : low.source())
        if (failed(statement(op, points - 1 - point)))
          return failure();
      return success();
    });
  }

private:
  static constexpr int64_t lanes = 32;

  LogicalResult statement(Operation &op, const Expr &inside) {
    if (auto reduction = dyn_cast<kernel::ReduceOp>(op))
      return reduce(reduction);
    if (isa<StoreOp>(op)) // One thread writes a point.
      return low.guard({inside, -symbol("warp")}, [&] { return low.clone(op); });
    return low.clone(op);
  }

  LogicalResult reduce(kernel::ReduceOp op) {
    SmallVector<cuda::Accumulator> accumulators;
    for (auto [kind, type] : llvm::zip_equal(op.getKinds().getAsRange<graph::ReduceKindAttr>(), op.getResultTypes()))
      accumulators.push_back(cuda::makeAccumulator(low, kind.getValue(), type));
    Block &body = op.getBody().front();
    SmallVector<std::string> vars = cuda::names(op.getVars());
    graph::Exprs extents = graph::exprsOf(op.getExtents());
    LogicalResult done = low.loop("i", symbol("warp"), graph::product(extents), warps, /*unroll=*/false, [&] {
      low.letCoordinates(vars, extents, symbol("i"));
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
    Location loc = low.func.getLoc();
    Value own = low.get(accumulator.registers);
    Value parts = low.smem(threads, own.getType());
    StoreSharedOp::create(low.builder, loc, own, parts, symbol("warp") * lanes + symbol("lane"));
    BarrierOp::create(low.builder, loc);
    cuda::Accumulator all = cuda::makeAccumulator(low, accumulator.kind, accumulator.type);
    (void)low.loop("w", 0, warps, 1, /*unroll=*/true, [&]() -> LogicalResult {
      Value part = LoadSharedOp::create(low.builder, loc, own.getType(), parts, symbol("w") * lanes + symbol("lane"));
      cuda::accumulate(low, all, part);
      return success();
    });
    return low.get(all.registers);
  }

  cuda::Lowering low;
  int64_t threads, warps = threads / lanes;
};

struct DistributeColumns : cuda::impl::DistributeColumnsBase<DistributeColumns> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.getSchedule() == "column_reduction" && !func->hasAttr("launch"))
      if (failed(Columns(func).run()))
        signalPassFailure();
  }
};

} // namespace
