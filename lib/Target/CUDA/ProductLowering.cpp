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
      slices(tile.slices), sharers(threads / slices), split(tile.split) {
  dot = *low.body().getOps<DotOp>().begin();
  extents = graph::exprsOf(dot.getExtents());
}

LogicalResult ProductLowering::run() {
  if (const Expr tiles = ceilDiv(extents[2], tileK); tiles.constant().value_or(0) % split != 0)
    return dot.emitError() << "a depth of " << tiles.text() << " tiles is none of " << split << " equal parts";
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
      slice = low.let("tk", floorDiv(low.thread(), sharers), slices);
    copies.share(part, split);
    tile = (point * tilesM + atM) * tilesN + atN;
    return ops();
  });
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

LogicalResult ProductLowering::ops() {
  const Block::iterator after = std::next(dot->getIterator());
  if (failed(clone(low.body().begin(), dot->getIterator())) || failed(product()))
    return failure();
  addSlices();
  auto rest = [&] { return clone(after, low.body().end()); };
  return split > 1 ? lastBlock(rest) : rest();
}

LogicalResult ProductLowering::clone(Block::iterator first, Block::iterator end) {
  for (Operation &op : llvm::make_range(first, end)) {
    auto each = dyn_cast<ForeachOp>(op);
    if (failed(each ? inFirstSlice([&] { return epilogue(each); }) : low.clone(op)))
      return failure();
  }
  return success();
}

LogicalResult ProductLowering::inFirstSlice(Lowering::Body body) {
  return slices == 1 ? body() : low.guard({-slice}, body);
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
  return tile * (tileM * tileN) + number * sharers + mod(low.thread(), sharers);
}

void ProductLowering::addSlices() {
  if (slices == 1)
    return;
  Value sums = low.smem((slices - 1) * tileM * tileN, sumType());
  (void)low.guard({slice - 1}, [&] {
    low.forElements(acc, [&](const graph::Exprs &index, const Expr &number) {
      low.storeShared(low.get(acc, index), sums, placeOf(number, slice - 1));
    });
    return success();
  });
  BarrierOp::create(low.builder, low.func.getLoc());
  (void)inFirstSlice([&] {
    return low.loop("p", 0, slices - 1, 1, /*unroll=*/true, [&](const Expr &p) {
      low.forElements(acc, [&](const graph::Exprs &index, const Expr &number) {
        low.accumulate(graph::ReduceKind::Sum, low.loadShared(sums, placeOf(number, p)), acc, index);
      });
      return success();
    });
  });
}

/// Every block leaves its sums in the workspace. The last one of a tile reads all of them again, its own, too: so their
/// order never depends on who is last.
LogicalResult ProductLowering::lastBlock(Lowering::Body body) {
  const Expr tiles = floorDiv(graph::exprsOf(low.func.getBlocks())[0], split);
  Value sums = low.workspace(tiles * split * (tileM * tileN), sumType()), counters = low.counters(tiles);
  (void)inFirstSlice([&] {
    low.forElements(acc, [&](const graph::Exprs &index, const Expr &number) {
      low.store(low.get(acc, index), sums, placeOf(number, tile * split + part));
      low.set(low.constant(sumType(), 0), acc, index);
    });
    return success();
  });
  return low.lastBlock(counters, tile, split, [&] {
    (void)inFirstSlice([&] {
      return low.loop("p", 0, split, 1, /*unroll=*/false, [&](const Expr &p) {
        low.forElements(acc, [&](const graph::Exprs &index, const Expr &number) {
          Value sum = low.load(sums, {placeOf(number, tile * split + p), {}});
          low.accumulate(graph::ReduceKind::Sum, sum, acc, index);
        });
        return success();
      });
    });
    return body();
  });
}

} // namespace cupola::cuda
