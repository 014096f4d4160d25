//===- lib/Target/CUDA/RowLoops.cpp - loops over a row that threads share ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/RowLoops.h"

#include "lib/Target/CUDA/BestValue.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace cupola::cuda {

void RowLoops::peel(const Expr &origin, const Expr &extent) {
  const Expr before = mod(width - mod(low.here(origin), width), width);
  const Expr head = low.let("head", min(before, extent), width);
  const Expr vectors = low.let("vectors", floorDiv(extent - head, width), floorDiv(extent, width) + 1);
  peeled = {origin, extent, head, vectors};
}

/// In the order of positions.
LogicalResult RowLoops::eachPeeled(Operation *loop, Lowering::Yield yield) {
  Block &block = loop->getRegion(0).front();
  const auto &[origin, extent, head, vectors] = *peeled;
  const Value index = block.getArgument(0);
  const Expr trips = ceilDiv(floorDiv(extent, width), cooperating), all = extent;
  low.enter(loop);
  if (failed(low.hoistInvariant(block, block.getArguments())))
    return failure();
  auto single = [&](const Expr &slot, const Expr &first, const Expr &count) {
    iteration = slot;
    return low.guard({count - 1 - lane},
                     [&] { return low.cloneVector(block, index, first + lane, all, /*width=*/1, yield); });
  };
  if (failed(single(trips, 0, head)))
    return failure();
  low.origin = origin;
  const bool unroll = trips.constant() && *trips.constant() <= 64;
  const Expr ofHead = head, count = vectors;
  const LogicalResult done = low.loop("i", 0, trips, 1, unroll, [&](const Expr &i) {
    iteration = i;
    const Expr flat = i * cooperating + lane;
    return low.guard({count - 1 - flat},
                     [&] { return low.cloneVector(block, index, ofHead + flat * width, all, width, yield); });
  });
  low.origin = 0;
  if (failed(done))
    return failure();
  const Expr behind = head + vectors * width;
  return single(trips + 1, behind, extent - behind);
}

/// The loop's points, shared between the threads of the row; every loop in the same way, so that tiles match.
LogicalResult RowLoops::each(Operation *loop, Lowering::Yield yield) {
  if (peeled)
    return eachPeeled(loop, yield);
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
graph::Exprs RowLoops::placeOf(const Expr &e) const {
  return width > 1 ? graph::Exprs{iteration, e} : graph::Exprs{iteration};
}

LogicalResult RowLoops::keep(MapOp map) {
  constexpr int64_t registerElements = 32; // of one map, per thread
  Expr count = graph::product(graph::exprsOf(map.getExtents()));
  std::optional<int64_t> constant = count.constant();
  if (!constant || *constant > registerElements * cooperating)
    return success();
  int64_t trips = (*constant / width + cooperating - 1) / cooperating + (peeled ? 2 : 0);
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

LogicalResult RowLoops::reduce(kernel::ReduceOp op) {
  SmallVector<Accumulator> accumulators;
  for (auto [kind, type] : llvm::zip_equal(op.getKinds().getAsRange<graph::ReduceKindAttr>(), op.getResultTypes()))
    accumulators.push_back(makeAccumulator(low, kind.getValue(), type));
  LogicalResult done = each(op, [&](ValueRange yielded, const Expr &) {
    for (auto [accumulator, value] : llvm::zip_equal(accumulators, yielded))
      cuda::accumulate(low, accumulator, value);
  });
  for (auto [accumulator, result] : llvm::zip_equal(accumulators, op.getResults()))
    low.values.map(result, low.cast(combine(accumulator), accumulator.type));
  return done;
}

LogicalResult RowLoops::reduce(ArgReduceOp op) {
  BestValue best(low, op);
  LogicalResult done = each(op, [&](ValueRange yielded, const Expr &) { best.take(yielded[0]); });
  low.values.map(op.getResult(), best.ofAll([&](const Accumulator &all) { return combine(all); }).position);
  return done;
}

Value RowLoops::combine(const Accumulator &accumulator) {
  Value own = low.get(accumulator.registers);
  Location loc = low.func.getLoc();
  if (cooperating == 1)
    return own;
  if (!isBlock())
    return WarpReduceOp::create(low.builder, loc, own.getType(), accumulator.kind, own, cooperating);
  Value &scratch = scratches[own.getType()];
  if (!scratch) {
    OpBuilder::InsertionGuard saved(low.builder);
    low.builder.setInsertionPointToStart(&low.func.getBody().front());
    scratch = low.smem(threads / 32, own.getType());
  }
  return BlockReduceOp::create(low.builder, loc, own.getType(), accumulator.kind, own, scratch);
}

bool canKeepRows(DotOp dot, int64_t rows) {
  constexpr int64_t most = 32768; // bytes
  const std::optional<int64_t> depth = graph::exprsOf(dot.getExtents())[2].constant();
  const Type type = dot.getLhs().front().getTerminator()->getOperand(0).getType();
  return depth && rows * *depth * graph::byteSize(type) <= most;
}

FailureOr<Value> keepRows(Lowering &low, DotOp dot, int64_t rows, int64_t threads) {
  Block &lhs = dot.getLhs().front();
  const int64_t depth = *graph::exprsOf(dot.getExtents())[2].constant();
  const Value kept = low.smem(rows * depth, lhs.getTerminator()->getOperand(0).getType());
  LogicalResult done = low.loop("m", 0, rows, 1, /*unroll=*/true, [&](const Expr &m) {
    return low.loop("k", low.thread(), depth, threads, /*unroll=*/false, [&](const Expr &k) {
      low.map(indicesOf(dot).m, m);
      low.map(indicesOf(dot).k, k);
      if (failed(low.clone(lhs)))
        return failure();
      low.storeShared(low.yielded(lhs)[0], kept, m * depth + k);
      return success();
    });
  });
  BarrierOp::create(low.builder, low.func.getLoc());
  return failed(done) ? FailureOr<Value>(failure()) : kept;
}

} // namespace cupola::cuda
