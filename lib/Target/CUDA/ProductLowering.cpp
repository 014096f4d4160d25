//===- lib/Target/CUDA/ProductLowering.cpp - what the gemm schedules share ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/ProductLowering.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace cupola::cuda {

ProductLowering::ProductLowering(kernel::FuncOp func, const Tile &tile, int64_t threads)
    : low(func), copies(low, threads), tileM(tile.m), tileN(tile.n), tileK(tile.k), threads(threads), split(tile.split),
      sharers(threads / split) {
  dot = *low.body().getOps<DotOp>().begin();
  extents = graph::exprsOf(dot.getExtents());
}

LogicalResult ProductLowering::run() {
  Expr tilesM = ceilDiv(extents[0], tileM), tilesN = ceilDiv(extents[1], tileN);
  Expr blocks = graph::product(low.grid()) * tilesM * tilesN, b = low.block();
  low.launch(threads, blocks);
  return low.guardBlocks([&]() -> LogicalResult {
    atN = low.let("tn", mod(b, tilesN), tilesN);
    atM = low.let("tm", mod(floorDiv(b, tilesN), tilesM), tilesM);
    low.bindGrid(floorDiv(b, tilesN * tilesM));
    letThreads();
    if (split > 1)
      part = low.let("tk", floorDiv(low.thread(), sharers), split);
    return ops();
  });
}

LogicalResult ProductLowering::ops() {
  for (Operation &op : low.body()) {
    auto each = dyn_cast<ForeachOp>(op);
    if (failed(&op == dot.getOperation() ? product() : each ? finish(each) : low.clone(op)))
      return failure();
  }
  return success();
}

LogicalResult ProductLowering::finish(ForeachOp loop) {
  if (split == 1)
    return epilogue(loop);
  return low.guard({-part}, [&] { return epilogue(loop); });
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
// Parts of k
//===----------------------------------------------------------------------===//

void ProductLowering::addParts(Value acc) {
  if (split == 1)
    return;
  Type f32 = low.builder.getF32Type();
  ArrayRef<int64_t> extents = llvm::cast<RegistersType>(acc.getType()).getExtents();
  Value parts = low.smem((split - 1) * tileM * tileN, f32);
  auto placeOf = [&](const graph::Exprs &index, const Expr &from) {
    Expr own;
    for (auto [at, extent] : llvm::zip_equal(index, extents))
      own = own * extent + at;
    return from * (tileM * tileN) + own * sharers + mod(low.thread(), sharers);
  };
  (void)low.guard({part - 1}, [&] {
    return accumulators(extents, {}, [&](const graph::Exprs &index) {
      low.storeShared(low.get(acc, index), parts, placeOf(index, part - 1));
    });
  });
  BarrierOp::create(low.builder, low.func.getLoc());
  (void)low.guard({-part}, [&] {
    return low.loop("p", 0, split - 1, 1, /*unroll=*/true, [&](const Expr &p) {
      return accumulators(extents, {}, [&](const graph::Exprs &index) {
        low.accumulate(graph::ReduceKind::Sum, low.loadShared(parts, placeOf(index, p)), acc, index);
      });
    });
  });
}

/// Loops a0, a1, .. over all accumulators of a thread.
LogicalResult ProductLowering::accumulators(ArrayRef<int64_t> extents, graph::Exprs index,
                                            llvm::function_ref<void(const graph::Exprs &)> body) {
  size_t depth = index.size();
  if (depth == extents.size())
    return body(index), success();
  return low.loop("a" + std::to_string(depth), 0, extents[depth], 1, /*unroll=*/true, [&](const Expr &a) {
    graph::Exprs next = index;
    next.push_back(a);
    return accumulators(extents, next, body);
  });
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

int64_t ProductLowering::epilogueWidth(ForeachOp loop, int64_t most) {
  Block &body = loop.getBody().front();
  return std::min(most, vectorWidth({{&body, body.getArgument(1)}}, extents[1], low.vars, low.divisors));
}

LogicalResult ProductLowering::fragments(ForeachOp loop, const Expr &m, const Expr &n, int64_t tilesN, const Expr &lane,
                                         Value acc, const graph::Exprs &part) {
  const int64_t width = epilogueWidth(loop, 2);
  auto element = [&](const Expr &j, const Expr &e) {
    graph::Exprs index = part;
    index.append({j, e});
    return index;
  };
  auto pair = [&](const Expr &h, const Expr &j) -> LogicalResult {
    Expr at = n + j * 8 + mod(lane, 4) * 2;
    if (width == 2)
      return columns(loop, at, width, acc, element(j, h * 2));
    return low.loop("c", 0, 2, 1, /*unroll=*/true,
                    [&](const Expr &c) { return columns(loop, at + c, 1, acc, element(j, h * 2 + c)); });
  };
  return low.loop("h", 0, 2, 1, /*unroll=*/true, [&](const Expr &h) {
    return row(loop, m + h * 8 + floorDiv(lane, 4),
               [&] { return low.loop("j", 0, tilesN, 1, /*unroll=*/true, [&](const Expr &j) { return pair(h, j); }); });
  });
}

LogicalResult ProductLowering::row(ForeachOp loop, const Expr &m, Lowering::Body body) {
  return low.guard({extents[0] - 1 - m}, [&] {
    low.bind(loop.getBody().getArgument(0), m, extents[0]);
    return body();
  });
}

LogicalResult ProductLowering::columns(ForeachOp loop, const Expr &n, int64_t width, Value acc, graph::Exprs index) {
  auto at = [index, width](const Expr &place) {
    graph::Exprs element = index;
    element.back() += width > 1 ? place : Expr(0);
    return element;
  };
  // Read before the guard: where that leaves one column, a compiler that puts what it knows of the position
  // into the index of the accumulators keeps them in memory.
  low.tiles[dot.getTile()] = {acc, at, width == 1 ? low.get(acc, index) : Value()};
  low.enter(loop);
  return low.guard({extents[1] - 1 - n}, [&] {
    return low.cloneVector(loop.getBody().front(), loop.getBody().getArgument(1), n, extents[1], width,
                           [](ValueRange, const Expr &) {});
  });
}

} // namespace cupola::cuda
