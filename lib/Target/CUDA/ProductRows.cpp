//===- lib/Target/CUDA/ProductRows.cpp - what a product's kernel computes of whole rows ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/ProductRows.h"

#include "lib/Target/CUDA/RowLoops.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace cupola::cuda {

//===--- Scalars of rows ---===//

/// Lanes that share a row: enough for the few parts that its moments come in.
static constexpr int64_t mostTogether = 8;

bool RowScalars::areIn(Operation *op, DotOp dot) {
  auto map = dyn_cast<MapOp>(op);
  return map && map->getBlock() == dot->getBlock() && map->isBeforeInBlock(dot) &&
         map.getExtents().getValue() == dot.getExtents().getValue().take_front(1);
}

int64_t RowScalars::bytesOfRow(MapOp map) {
  int64_t bytes = 0;
  for (Value tile : map.getTiles())
    bytes += graph::byteSize(cast<TileType>(tile.getType()).getElement());
  return bytes;
}

void RowScalars::allocate(MapOp map, int64_t tileRows) {
  maps.push_back(map);
  for (Value tile : map.getTiles())
    kept[tile] = low.smem(tileRows, cast<TileType>(tile.getType()).getElement());
}

LogicalResult RowScalars::compute(const Team &team, const Expr &row, const Expr &rows) {
  int64_t together = 1;
  while (together < mostTogether && 2 * together * team.rows <= team.threads)
    together *= 2;
  if (team.isWarp) // its lanes may still read those of the tile before
    WarpBarrierOp::create(low.builder, low.func.getLoc());
  const int64_t atOnce = team.threads / together;
  const Expr lane = low.let("part", mod(team.thread, together), together), own = floorDiv(team.thread, together);
  auto ofRow = [&](const Expr &r) -> LogicalResult { // all lanes meet in reductions, whatever row there is
    const Expr inTeam = r * atOnce + own;
    for (MapOp map : maps) {
      low.bind(map.getBody().getArgument(0), min(row + team.first + inTeam, rows - 1), rows);
      if (failed(computeRow(map, together, lane, {-lane, team.rows - 1 - inTeam}, team.first + inTeam)))
        return failure();
    }
    return success();
  };
  const int64_t trips = llvm::divideCeilSigned(team.rows, atOnce);
  if (failed(trips == 1 ? ofRow(0) : low.loop("r", 0, trips, 1, /*unroll=*/false, ofRow)))
    return failure();
  if (team.isWarp)
    WarpBarrierOp::create(low.builder, low.func.getLoc());
  return success();
}

LogicalResult RowScalars::computeRow(MapOp map, int64_t together, const Expr &lane, ArrayRef<Expr> stores,
                                     const Expr &row) {
  RowLoops loops(low, together, together, /*width=*/1);
  loops.begin(lane);
  Block &body = map.getBody().front();
  for (Operation &op : body) {
    auto reduce = dyn_cast<kernel::ReduceOp>(op);
    if (!isa<kernel::YieldOp>(op) && failed(reduce ? loops.reduce(reduce) : low.clone(op)))
      return failure();
  }
  return low.guard(stores, [&] {
    for (auto [value, tile] : llvm::zip_equal(low.yielded(body), map.getTiles()))
      low.storeShared(value, kept[tile], row);
    return success();
  });
}

void RowScalars::read(const Expr &row) {
  for (auto [tile, memory] : kept)
    low.tiles[tile] = {Value(), [](const Expr &) { return graph::Exprs(); }, low.loadShared(memory, row)};
}

//===--- Moments of parts ---===//

std::optional<PartMoments> PartMoments::in(kernel::FuncOp func) {
  auto maps = func.getBody().getOps<MapOp>();
  for (MapOp map : maps)
    for (ForeachOp loop : func.getBody().getOps<ForeachOp>()) {
      const bool isOf = llvm::any_of(map->getUsers(), [&](Operation *user) { return loop->isAncestor(user); });
      if (isOf && map.getExtents().size() == 2 && loop.getExtents().size() == 2 &&
          map.getExtents()[0] == loop.getExtents()[0])
        return PartMoments(map, loop);
    }
  return std::nullopt;
}

Value PartMoments::keep(Lowering &low) const {
  return low.registers({run}, low.builder.getF32Type(), 1, /*zero=*/true);
}

LogicalResult PartMoments::store(Lowering &low, Value kept, const Expr &m, const Expr &n) const {
  kernel::ForeachOp parts = loop;
  Block &body = parts.getBody().front();
  const graph::Exprs extents = graph::exprsOf(parts.getExtents());
  const Expr lane = low.let("part", mod(low.thread(), part / run), part / run);
  low.bind(body.getArgument(0), m, extents[0]);
  low.bind(body.getArgument(1), floorDiv(n, part), extents[1]);
  RowLoops loops(low, part / run, part / run, run);
  loops.begin(lane);
  for (Operation &op : body) {
    auto reduce = dyn_cast<kernel::ReduceOp>(op);
    if (reduce)
      for (ExtractOp extract : reduce.getBody().front().getOps<ExtractOp>())
        low.hold(extract, kept, {});
    const graph::Exprs conditions = {-lane, extents[0] - 1 - m, extents[1] * part - 1 - n};
    LogicalResult done = reduce             ? loops.reduce(reduce)
                         : isa<StoreOp>(op) ? low.guard(conditions, [&] { return low.clone(op); })
                                            : low.clone(op);
    if (failed(done))
      return failure();
  }
  return success();
}

} // namespace cupola::cuda
