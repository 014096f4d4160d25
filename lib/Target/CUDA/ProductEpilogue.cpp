//===- lib/Target/CUDA/ProductEpilogue.cpp - what becomes of a product's sums ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/ProductLowering.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace cupola::cuda {

/// Columns of a strip of eight rows, and those between its rows in shared memory: the halves of a warp then write to
/// different banks.
static constexpr int64_t mostColumns = 64, between = 8;
/// Elements of a result of two bytes that a lane stores at once.
static constexpr int64_t wholeVector = 8;

int64_t ProductLowering::epilogueWidth(Operation *loop, int64_t most) {
  Block &body = loop->getRegion(0).front();
  return std::min(most, vectorWidth({{&body, body.getArgument(1)}}, extents[1], low.vars, low.divisors));
}

graph::Exprs ProductLowering::Fragments::element(const Expr &part, const Expr &j, const Expr &e) const {
  return tilesM ? graph::Exprs{part, j, e} : graph::Exprs{j, e};
}

void ProductLowering::fragmentRuns(const Fragments &of, RunBody body) {
  (void)low.loop("i", 0, of.parts(), 1, /*unroll=*/true, [&](const Expr &i) {
    return low.loop("h", 0, 2, 1, /*unroll=*/true, [&](const Expr &h) {
      return low.loop("j", 0, of.tilesN, 1, /*unroll=*/true, [&](const Expr &j) {
        body(of.m + i * 16 + h * 8 + floorDiv(of.lane, 4), of.n + j * 8 + mod(of.lane, 4) * 2, of.element(i, j, h * 2));
        return success();
      });
    });
  });
}

bool ProductLowering::hasStrips(Operation *loop, int64_t tilesN) {
  Block &body = loop->getRegion(0).front();
  const int64_t width = vectorWidth({{&body, body.getArgument(1)}}, extents[1], low.vars, low.divisors,
                                    loadsWithout(body, body.getArgument(0)));
  return width >= wholeVector && tilesN % 4 == 0;
}

bool ProductLowering::hasStrips(int64_t tilesN) {
  return llvm::any_of(low.body().getOps<ForeachOp>(), [&](Operation *loop) { return hasStrips(loop, tilesN); });
}

LogicalResult ProductLowering::fragments(Operation *loop, const Fragments &of) {
  return hasStrips(loop, of.tilesN) ? strips(loop, of) : pairs(loop, of);
}

/// Every lane stores what it has: of four neighbours 32 columns, where moments are made of those.
LogicalResult ProductLowering::pairs(Operation *loop, const Fragments &of) {
  const int64_t width = epilogueWidth(loop, 2);
  const int64_t perRun = moments && moments->areOf(loop) ? PartMoments::run / 2 : of.tilesN;
  auto pair = [&](const Expr &part, const Expr &h, const Expr &j, Value run) -> LogicalResult {
    const Expr at = of.n + j * 8 + mod(of.lane, 4) * 2, first = mod(j, perRun) * 2;
    if (width == 2)
      return columns(loop, at, width, acc, of.element(part, j, h * 2), run, first);
    return low.loop("c", 0, 2, 1, /*unroll=*/true, [&](const Expr &c) {
      return columns(loop, at + c, 1, acc, of.element(part, j, h * 2 + c), run, first + c);
    });
  };
  return low.loop("i", 0, of.parts(), 1, /*unroll=*/true, [&](const Expr &i) {
    return low.loop("h", 0, 2, 1, /*unroll=*/true, [&](const Expr &h) {
      const Expr row = h * 8 + floorDiv(of.lane, 4);
      auto ofRun = [&](const Expr &q) {
        return inRun(loop, of.m + i * 16 + row, of.n + q * (perRun * 8), [&](Value run) {
          return of.inRow(i, row, [&] {
            return low.loop("j", q * perRun, (q + 1) * perRun, 1, /*unroll=*/true,
                            [&](const Expr &j) { return pair(i, h, j, run); });
          });
        });
      };
      return perRun == of.tilesN ? ofRun(0) : low.loop("q", 0, of.tilesN / perRun, 1, /*unroll=*/true, ofRun);
    });
  });
}

//===--- Through shared memory ---===//

/// Eight rows of a warp at a time: lanes write pairs of neighbours, and read whole vectors of a row. What is the same
/// for all rows is loaded once.
LogicalResult ProductLowering::strips(Operation *loop, const Fragments &of) {
  Block &body = loop->getRegion(0).front();
  const int64_t wide = std::min(mostColumns, of.tilesN * 8), lanes = wide / wholeVector;
  Value strip = low.smem(threads / 32 * 8 * (wide + between), sumType(), 0, of.over);
  const Expr vector = mod(of.lane, lanes);
  return low.loop("g", 0, of.tilesN * 8 / wide, 1, /*unroll=*/true, [&](const Expr &g) {
    const Expr n = low.let("n", of.n + g * wide + vector * wholeVector, ceilDiv(extents[1], tileN) * tileN);
    low.hoistVectors(body, body.getArgument(0), body.getArgument(1), n, wholeVector, extents[1] - 1 - n);
    return low.loop("i", 0, of.parts(), 1, /*unroll=*/true, [&](const Expr &i) {
      return low.loop("h", 0, 2, 1, /*unroll=*/true, [&](const Expr &h) -> LogicalResult {
        writeStrip(of, strip, wide, i, h, g);
        WarpBarrierOp::create(low.builder, low.func.getLoc());
        if (failed(readStrip(loop, of, strip, wide, i, h, n)))
          return failure();
        WarpBarrierOp::create(low.builder, low.func.getLoc());
        return success();
      });
    });
  });
}

/// The place of a row's element. Of two vectors of four, neighbours of a lane, the second comes first in every other
/// group of four lanes: eight lanes at a time then read from all banks.
Expr ProductLowering::inStrip(int64_t wide, const Expr &row, const Expr &column) {
  const Expr flips = mod(wide == mostColumns ? floorDiv(column, 32) : row, 2);
  const Expr warp = floorDiv(low.thread(), 32);
  return (warp * 8 + row) * (wide + between) + floorDiv(column, 8) * 8 + mod(floorDiv(column, 4) + flips, 2) * 4 +
         mod(column, 4);
}

void ProductLowering::writeStrip(const Fragments &of, Value strip, int64_t wide, const Expr &i, const Expr &h,
                                 const Expr &g) {
  (void)low.loop("j", 0, wide / 8, 1, /*unroll=*/true, [&](const Expr &j) -> LogicalResult {
    Value pair = low.registers({}, sumType(), 2);
    for (int64_t c : {0, 1})
      low.set(low.get(acc, of.element(i, g * (wide / 8) + j, h * 2 + c)), pair, {c});
    low.storeVector(pair, {}, strip, inStrip(wide, floorDiv(of.lane, 4), j * 8 + mod(of.lane, 4) * 2));
    return success();
  });
}

LogicalResult ProductLowering::readStrip(Operation *loop, const Fragments &of, Value strip, int64_t wide, const Expr &i,
                                         const Expr &h, const Expr &n) {
  const int64_t lanes = wide / wholeVector, rows = 32 / lanes;
  return low.loop("p", 0, 8 / rows, 1, /*unroll=*/true, [&](const Expr &p) {
    const Expr row = p * rows + floorDiv(of.lane, lanes);
    return inRun(loop, of.m + i * 16 + h * 8 + row, n, [&](Value run) {
      return of.inRow(i, h * 8 + row, [&] {
        Value sums = low.registers({2}, sumType(), 4);
        for (int64_t part : {0, 1})
          low.loadVector(strip, {inStrip(wide, row, mod(of.lane, lanes) * wholeVector + 4 * part), {}}, sums, {part});
        low.tiles[dot.getTile()] = {sums,
                                    [](const Expr &place) { return graph::Exprs{floorDiv(place, 4), mod(place, 4)}; }};
        low.enter(loop);
        return low.guard({extents[1] - 1 - n}, [&] {
          return low.cloneVector(loop->getRegion(0).front(), loop->getRegion(0).getArgument(1), n, extents[1],
                                 wholeVector, [&](ValueRange made, const Expr &e) {
                                   if (run)
                                     low.set(made[0], run, {e});
                                 });
        });
      });
    });
  });
}

//===--- Rows and columns ---===//

LogicalResult ProductLowering::row(Operation *loop, const Expr &m, Lowering::Body body) {
  return low.guard({extents[0] - 1 - m}, [&] {
    low.bind(loop->getRegion(0).getArgument(0), m, extents[0]);
    scalars.read(m - atM * tileM);
    return body();
  });
}

LogicalResult ProductLowering::inRun(Operation *loop, const Expr &m, const Expr &n,
                                     llvm::function_ref<LogicalResult(Value)> body) {
  if (!moments || !moments->areOf(loop))
    return body(Value());
  const Value run = moments->keep(low);
  return failed(body(run)) ? failure() : moments->store(low, run, m, n);
}

LogicalResult ProductLowering::columns(Operation *loop, const Expr &n, int64_t width, Value acc, graph::Exprs index,
                                       Value run, const Expr &first) {
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
    return low.cloneVector(loop->getRegion(0).front(), loop->getRegion(0).getArgument(1), n, extents[1], width,
                           [&](ValueRange made, const Expr &e) {
                             if (run)
                               low.set(made[0], run, {first + e});
                           });
  });
}

} // namespace cupola::cuda
