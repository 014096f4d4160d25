//===- lib/Target/CUDA/ProductLowering.cpp - what the gemm schedules share ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/ProductLowering.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace cupola::cuda {

/// With fewer tiles in a row the blocks that are under way have several rows anyway.
static constexpr int64_t manyColumns = 16;

ProductLowering::ProductLowering(kernel::FuncOp func, const Tile &tile, int64_t threads)
    : low(func), copies(low, threads), tileM(tile.m), tileN(tile.n), tileK(tile.k), threads(threads),
      slices(tile.slices), split(tile.split), scalars(low), moments(PartMoments::in(func)) {
  dot = *low.body().getOps<DotOp>().begin();
  extents = graph::exprsOf(dot.getExtents());
}

LogicalResult ProductLowering::run() {
  if (failed(verifyParts(dot, split)))
    return failure();
  Expr tilesM = ceilDiv(extents[0], tileM), tilesN = ceilDiv(extents[1], tileN);
  low.launch(threads, graph::product(low.grid()) * tilesM * tilesN * split);
  const Expr b = low.block();
  return low.guardBlocks([&]() -> LogicalResult {
    placeTile(b, tilesM, tilesN);
    if (split > 1)
      part = low.let("part", simplify(mod(floorDiv(b, tilesN * tilesM), split), low.vars.ranges()), split);
    const Expr point = simplify(floorDiv(b, tilesN * tilesM * split), low.vars.ranges());
    low.bindGrid(point);
    letThreads();
    if (slices > 1)
      slice = low.let("tk", floorDiv(low.thread(), threads / slices), slices);
    copies.share(part, split);
    tile = (point * tilesM + atM) * tilesN + atN;
    return ops();
  });
}

LogicalResult ProductLowering::verifyParts(Operation *at, int64_t parts) {
  const Expr tiles = ceilDiv(extents[2], tileK);
  if (tiles.constant().value_or(0) % parts == 0)
    return success();
  return at->emitError() << "a depth of " << tiles.text() << " tiles is none of " << parts << " equal parts";
}

void ProductLowering::placeTile(const Expr &b, const Expr &tilesM, const Expr &tilesN) {
  int64_t rows = tilesN.constant().value_or(0) < manyColumns ? 1 : mostRows;
  while (!divisible(tilesM, rows, low.divisors))
    rows /= 2;
  const Expr groups = simplify(floorDiv(tilesM, rows), low.vars.ranges());
  const Expr m = mod(floorDiv(b, tilesN * rows), groups) * rows + mod(b, rows);
  atN = low.let("tn", mod(floorDiv(b, rows), tilesN), tilesN);
  atM = low.let("tm", m, tilesM);
}

LogicalResult ProductLowering::opsBefore() { return clone(low.body().begin(), dot->getIterator()); }
LogicalResult ProductLowering::opsBehind() { return clone(std::next(dot->getIterator()), low.body().end()); }

LogicalResult ProductLowering::ops() {
  if (failed(opsBefore()))
    return failure();
  if (!scalars.areEmpty())
    copies.beside = [this] { return scalars.compute(team(), atM * tileM, extents[0]); };
  if (failed(product()))
    return failure();
  addSlices();
  return split > 1 ? lastBlock([&] { return opsBehind(); }) : opsBehind();
}

LogicalResult ProductLowering::clone(Block::iterator first, Block::iterator end) {
  for (Operation &op : llvm::make_range(first, end))
    if (failed(clone(op)))
      return failure();
  return success();
}

LogicalResult ProductLowering::clone(Operation &op) {
  if (RowScalars::areIn(&op, dot))
    return scalars.allocate(cast<MapOp>(op), tileM), success();
  if (moments && moments->areLoop(&op))
    return success();
  if (isa<MapOp>(op) && !keepsRuns())
    return op.emitError("is of rows of which the schedule's threads have no runs");
  if (!isa<ForeachOp, MapOp>(op))
    return low.clone(op);
  return slices > 1 ? vectorEpilogue(&op) : epilogue(&op);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Operand ProductLowering::lhs() {
  Region &region = dot.getLhs();
  return {
      &region.front(), region.getArgument(0), region.getArgument(1), extents[0], atM * tileM, tileM, extents[2], tileK};
}
Operand ProductLowering::rhs() {
  Region &region = dot.getRhs();
  return {
      &region.front(), region.getArgument(1), region.getArgument(0), extents[1], atN * tileN, tileN, extents[2], tileK};
}

//===----------------------------------------------------------------------===//
// Sums over slices and parts of k
//===----------------------------------------------------------------------===//

/// Of an accumulator of the thread, where tiles with all of them stand one behind the other: neighbours have
/// neighbouring elements.
Expr ProductLowering::placeOf(const Expr &number, const Expr &tile) {
  return tile * (tileM * tileN) + number * threads + low.thread();
}

/// Rows begin eight columns further on each, so that four of them, which half a warp writes, lie in different banks. Of
/// the two vectors of four that a lane reads of eight columns the second comes first for every other four lanes.
Expr ProductLowering::inSums(const Expr &slice, const Expr &row, const Expr &column) const {
  const Expr eight = mod(floorDiv(column, 8) + row, tileN / 8);
  const Expr flips = tileN == 64 ? floorDiv(eight, 4) : row;
  return (slice * tileM + row) * tileN + eight * 8 + mod(floorDiv(column, 4) + flips, 2) * 4 + mod(column, 4);
}

std::pair<Expr, Expr> ProductLowering::placeOfVector(const Expr &number) {
  const Expr flat = number * threads + low.thread();
  const int64_t inRow = tileN / vectorOfRow();
  return {floorDiv(flat, inRow), mod(flat, inRow) * vectorOfRow()};
}

void ProductLowering::addSlices() {
  if (slices == 1)
    return;
  BarrierOp::create(low.builder, low.func.getLoc()); // All have read the tiles, in whose place the sums are.
  const int64_t half = llvm::divideCeilSigned(slices, 2);
  const Value sums[] = {sumsOver(rings[0], half), sumsOver(rings[1], slices - half)};
  writeSums(sums[0], 0, half);
  writeSums(sums[1], half, slices - half);
  BarrierOp::create(low.builder, low.func.getLoc());
  clearVectors();
  readSums(sums[0], half);
  readSums(sums[1], slices - half);
}

Value ProductLowering::sumsOver(Value ring, int64_t count) {
  const int64_t elements = count * tileM * tileN;
  auto type = cast<SmemType>(ring.getType());
  const bool hasRoom = type.getCount() * graph::byteSize(type.getElement()) >= elements * graph::byteSize(sumType());
  return low.smem(elements, sumType(), 0, hasRoom ? ring : Value());
}

/// Of the slices from `first` on.
void ProductLowering::writeSums(Value sums, int64_t first, int64_t count) {
  (void)low.guard({slice - first, first + count - 1 - slice},
                  [&] { return writeRuns(sums, slice - first), success(); });
}

void ProductLowering::writeRuns(Value sums, const Expr &slice) {
  forRuns([&](const Expr &row, const Expr &column, const graph::Exprs &index) {
    Value run = low.registers({}, sumType(), runWidth());
    for (int64_t c = 0; c < runWidth(); ++c) {
      graph::Exprs element = index;
      element.back() += c;
      low.set(low.get(acc, element), run, {c});
    }
    low.storeVector(run, {}, sums, inSums(slice, row, column));
  });
}

void ProductLowering::readSums(Value sums, int64_t count) {
  addVectors(count, [&](int64_t sum, const Expr &row, const Expr &column, Value run) {
    low.loadVector(sums, {inSums(sum, row, column), {}}, run);
  });
}

void ProductLowering::addVectors(int64_t count,
                                 llvm::function_ref<void(int64_t, const Expr &, const Expr &, Value)> load) {
  const int64_t vector = vectorOfRow(), most = std::min<int64_t>(vector, 4); // 16 bytes at once
  (void)low.loop("v", 0, vectors(), 1, /*unroll=*/true, [&](const Expr &v) {
    const auto [row, column] = placeOfVector(v);
    for (int64_t p = 0; p < count; ++p)
      for (int64_t first = 0; first < vector; first += most) {
        Value run = low.registers({}, sumType(), most);
        load(p, row, column + first, run);
        for (int64_t c = 0; c < most; ++c)
          low.accumulate(graph::ReduceKind::Sum, low.get(run, {c}), acc, {v, first + c});
      }
    return success();
  });
}

LogicalResult ProductLowering::vectorEpilogue(Operation *loop) {
  const int64_t width = epilogueWidth(loop, vectorOfRow());
  return low.loop("v", 0, vectors(), 1, /*unroll=*/true, [&](const Expr &v) {
    const auto [inTile, column] = placeOfVector(v);
    const Expr m = atM * tileM + inTile, n = atN * tileN + column;
    return inRun(loop, m, n, [&](Value run) {
      return row(loop, m, [&] {
        return low.loop("c", 0, vectorOfRow(), width, /*unroll=*/true,
                        [&](const Expr &c) { return columns(loop, n + c, width, acc, {v, c}, run, c); });
      });
    });
  });
}

/// Every block leaves its sums in the workspace. The last one of a tile reads all of them again, its own, too: so their
/// order never depends on who is last.
LogicalResult ProductLowering::lastBlock(Lowering::Body body) {
  const Expr tiles = floorDiv(graph::exprsOf(low.func.getBlocks())[0], split);
  Value sums = low.workspace(tiles * split * (tileM * tileN), sumType()), counters = low.counters(tiles);
  low.forElements(acc, [&](const graph::Exprs &index, const Expr &number) {
    low.store(low.get(acc, index), sums, placeOf(number, tile * split + part));
    low.set(low.constant(sumType(), 0), acc, index);
  });
  return low.lastBlock(counters, tile, split, [&] {
    (void)low.loop("p", 0, split, 1, /*unroll=*/false, [&](const Expr &p) {
      low.forElements(acc, [&](const graph::Exprs &index, const Expr &number) {
        Value sum = low.load(sums, {placeOf(number, tile * split + p), {}});
        low.accumulate(graph::ReduceKind::Sum, sum, acc, index);
      });
      return success();
    });
    return body();
  });
}

} // namespace cupola::cuda
