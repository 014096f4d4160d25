//===- lib/Target/CUDA/AttentionLowering.cpp - what the attention schedules share ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/AttentionLowering.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace cupola::cuda {

AttentionLowering::AttentionLowering(kernel::FuncOp func, int64_t rows, int64_t threads, int64_t sharers, StepParts of)
    : low(func), copies(low, threads), parts(*attentionParts(func)), rows(rows), threads(threads), sharers(sharers),
      of(of) {}

LogicalResult AttentionLowering::run() {
  if (parts.steps.getMeet().empty() && of.groups * of.blocks > 1)
    return parts.steps.emitError() << "has no parts that could meet";
  tilesOfRows = ceilDiv(parts.rows, rows);
  graph::Exprs grid{graph::product(low.grid()) * tilesOfRows};
  blocks = blocksOfSteps(parts.steps.getSteps(), grid[0], of.blocks);
  if (blocks.isConstant(1))
    of.blocks = 1;
  else
    grid.push_back(blocks);
  low.launch(threads, grid);
  return low.guardBlocks([&]() -> LogicalResult {
    atRows = low.let("tm", mod(low.block(), tilesOfRows), tilesOfRows);
    low.bindGrid(floorDiv(low.block(), tilesOfRows));
    if (of.blocks > 1) {
      part = low.block(1);
      blocks = blocks.constant() ? blocks : low.let("parts", blocks, of.blocks + 1);
    }
    letThreads();
    letSteps();
    return program();
  });
}

LogicalResult AttentionLowering::body() {
  if (failed(begin()))
    return failure();
  SmallVector<Operation *> behind; ///< what reads that which all parts gave
  for (Operation &op : low.body()) {
    auto loop = dyn_cast<ForeachOp>(op);
    const bool isOnce = loop && !readsTiles(loop.getBody());
    if (!carried.empty() && !isOnce)
      behind.push_back(&op);
    else if (failed(statement(op)))
      return failure();
  }
  auto rest = [&] {
    return inFirstGroup(
        [&] { return success(llvm::all_of(behind, [&](Operation *op) { return succeeded(statement(*op)); })); });
  };
  if (failed(meetGroups()))
    return failure();
  return of.blocks > 1 ? meetBlocks(rest) : rest();
}

LogicalResult AttentionLowering::forPairs(int64_t tiles, const Expr &lane, int64_t width, PlaceBody body) {
  return low.loop("j", 0, tiles, 1, /*unroll=*/true, [&](const Expr &j) {
    Expr first = j * 8 + mod(lane, 4) * 2;
    if (width == 2)
      return body({{j, 0}, first});
    return low.loop("c", 0, 2, 1, /*unroll=*/true, [&](const Expr &c) { return body({{j, c}, first + c}); });
  });
}

Operand AttentionLowering::queries() {
  Region &region = parts.scores.getLhs();
  return {&region.front(), region.getArgument(0), region.getArgument(1), parts.rows, firstRow(), rows, parts.depth, 0};
}
Operand keysOf(const AttentionParts &parts) {
  Region &region = kernel::DotOp(parts.scores).getRhs();
  return {&region.front(), region.getArgument(1), region.getArgument(0), parts.keys, 0, parts.keys, parts.depth, 0};
}
Operand valuesOf(const AttentionParts &parts) {
  Region &region = kernel::DotOp(parts.result).getRhs();
  return {&region.front(), region.getArgument(1), region.getArgument(0), parts.columns, 0, 0, parts.keys, 0};
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

LogicalResult AttentionLowering::statement(Operation &op) {
  if (auto loop = dyn_cast<kernel::ForOp>(op))
    return steps(loop);
  if (auto loop = dyn_cast<MapOp>(op))
    return loop.getExtents().size() == 1 ? mapRows(loop) : map(loop);
  if (auto product = dyn_cast<DotOp>(op))
    return dot(product);
  if (auto loop = dyn_cast<ForeachOp>(op))
    return readsTiles(loop.getBody()) ? each(loop, [](ValueRange, const Expr &) {}) : once(loop);
  return isa<YieldOp>(op) ? success() : low.clone(op);
}

LogicalResult AttentionLowering::steps(kernel::ForOp op) {
  for (auto [tile, init] : llvm::zip_equal(op.getCarried(), op.getInits()))
    copy(heldOf(init), hold(tile));
  LogicalResult done = forSteps();
  for (auto [tile, result] : llvm::zip_equal(op.getCarried(), op.getResults())) {
    carried.push_back(heldOf(tile));
    hold(result, heldOf(tile));
  }
  return done;
}

LogicalResult AttentionLowering::forSteps() {
  return low.loop(parts.steps.getStep(), firstStep, endStep, 1, /*unroll=*/false, [&] { return step(); });
}

LogicalResult AttentionLowering::step() {
  kernel::ForOp op = parts.steps;
  for (Operation &inner : op.getBody().front())
    if (failed(statement(inner)))
      return failure();
  for (auto [tile, next] : llvm::zip_equal(op.getCarried(), op.getYield().getValues()))
    copy(heldOf(next), heldOf(tile));
  return success();
}

LogicalResult AttentionLowering::dot(DotOp op) {
  if (op == parts.scores)
    return scores(hold(op.getTile(), /*zero=*/!setsScores));
  hold(op.getTile(), heldOf(op.getInit())); // which nothing reads after it
  return result(heldOf(op.getTile()), heldOf(parts.weights.getTile()));
}

//===----------------------------------------------------------------------===//
// Tiles in registers
//===----------------------------------------------------------------------===//

void AttentionLowering::hold(Value tile, Value registers) {
  bool ofRows = cast<TileType>(tile.getType()).getExtents().size() == 1;
  low.tiles[tile] = {registers, [this, ofRows](const Expr &place) {
                       if (ofRows)
                         return row.at;
                       graph::Exprs at = column.at;
                       at.back() += place;
                       return element(row.at, at);
                     }};
}

Value AttentionLowering::hold(Value tile, bool zero) {
  auto type = cast<TileType>(tile.getType());
  SmallVector<int64_t> extents =
      type.getExtents().size() == 1 ? rowExtents() : tileExtents(*type.getExtents()[1].getValue().constant());
  Value registers = low.registers(extents, type.getElement(), 1, zero);
  hold(tile, registers);
  return registers;
}

void AttentionLowering::copy(Value from, Value to) {
  if (from != to)
    low.forElements(to, [&](const graph::Exprs &index, const Expr &) { low.set(low.get(from, index), to, index); });
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

static bool readsMemory(Operation *loop) {
  return loop->walk([](LoadOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

LogicalResult AttentionLowering::map(MapOp op) {
  const auto registers =
      llvm::map_to_vector(op.getTiles(), [&](Value tile) { return hold(tile, /*zero=*/readsMemory(op)); });
  return each(op, [&](ValueRange yielded, const Expr &place) {
    graph::Exprs at = column.at;
    at.back() += place;
    for (auto [value, into] : llvm::zip_equal(yielded, registers))
      low.set(value, into, element(row.at, at));
  });
}

/// Elements beyond the tile are left out where memory is touched; elsewhere they do no harm.
LogicalResult AttentionLowering::each(Operation *loop, Lowering::Yield yield) {
  Block &body = loop->getRegion(0).front();
  const Expr extent = graph::exprOf(extentsOf(loop)[1]);
  const int64_t columns = *extent.constant();
  const bool touches = readsMemory(loop) || isa<ForeachOp>(loop);
  const int64_t width =
      std::min(neighbours(columns), vectorWidth({{&body, body.getArgument(1)}}, extent, low.vars, low.divisors));
  auto inside = [&](const Expr &condition) { return touches ? graph::Exprs{condition} : graph::Exprs(); };
  low.enter(loop);
  return forRows([&](const Place &at) {
    row = at;
    Expr m = firstRow() + at.index;
    return low.guard(inside(parts.rows - 1 - m), [&] {
      low.bind(body.getArgument(0), m, parts.rows);
      return forColumns(columns, width, [&](const Place &at) {
        column = at;
        return low.guard(inside(extent - 1 - at.index),
                         [&] { return low.cloneVector(body, body.getArgument(1), at.index, extent, width, yield); });
      });
    });
  });
}

LogicalResult AttentionLowering::once(ForeachOp loop) {
  Block &body = loop.getBody().front();
  ValueRange indices = body.getArguments();
  graph::Exprs extents = graph::exprsOf(loop.getExtents());
  const Expr inner = extents.back();
  const int64_t width = vectorWidth({{&body, indices.back()}}, inner, low.vars, low.divisors);
  extents.back() = floorDiv(inner, width);
  const Expr count = graph::product(extents), all = blocks * tilesOfRows * threads;
  const Expr first = (atRows * blocks + part) * threads + low.thread();
  low.enter(loop);
  auto bind = [&](const Expr &flat) {
    const graph::Exprs at = Lowering::coordinatesOf(extents, flat);
    for (auto [index, coordinate, extent] : llvm::zip(indices.drop_back(), at, extents))
      low.bind(index, coordinate, extent);
    return at.back() * width;
  };
  // Several at once: all are loaded before one is stored, so that the loads are under way together.
  constexpr int64_t atOnce = 8;
  return low.loop("v", 0, ceilDiv(count, all), atOnce, /*unroll=*/false, [&](const Expr &v) {
    const SmallVector<LoadOp> loads = low.vectorLoads(body, indices.back(), width);
    const auto fetched =
        llvm::map_to_vector(loads, [&](LoadOp load) { return low.registers({atOnce}, load.getType(), width); });
    auto flat = [&](const Expr &i) { return (v + i) * all + first; };
    (void)low.loop("i", 0, atOnce, 1, /*unroll=*/true, [&](const Expr &i) -> LogicalResult {
      const Expr base = bind(min(flat(i), count - 1));
      low.fetchVectors(loads, fetched, indices.back(), base, inner, width, {i});
      return success();
    });
    return low.loop("i", 0, atOnce, 1, /*unroll=*/true, [&](const Expr &i) {
      for (auto [load, registers] : llvm::zip_equal(loads, fetched))
        low.hold(load, registers, {i});
      return low.guard({count - 1 - flat(i)}, [&] {
        return low.cloneVector(body, indices.back(), bind(flat(i)), inner, width, [](ValueRange, const Expr &) {});
      });
    });
  });
}

/// All lanes of a warp take part in the reductions of all rows, of those beyond the last, too.
LogicalResult AttentionLowering::mapRows(MapOp op) {
  Block &body = op.getBody().front();
  SmallVector<Value> registers = llvm::map_to_vector(op.getTiles(), [&](Value tile) { return hold(tile); });
  return forRows([&](const Place &at) -> LogicalResult {
    row = at;
    low.bind(body.getArgument(0), firstRow() + at.index, parts.rows);
    for (Operation &inner : body.without_terminator()) {
      low.enter(op);
      auto reduce = dyn_cast<kernel::ReduceOp>(inner);
      if (failed(reduce ? reduceRow(reduce, body.getArgument(0)) : low.clone(inner)))
        return failure();
    }
    for (auto [value, into] : llvm::zip_equal(low.yielded(body), registers))
      low.set(value, into, at.at);
    return success();
  });
}

LogicalResult AttentionLowering::reduceRow(kernel::ReduceOp op, BlockArgument rowIndex) {
  Block &body = op.getBody().front();
  const Expr extent = graph::exprOf(op.getExtents()[0]);
  SmallVector<Accumulator> accumulators;
  for (auto [kind, type] : llvm::zip_equal(op.getKinds().getAsRange<graph::ReduceKindAttr>(), op.getResultTypes()))
    accumulators.push_back(makeAccumulator(low, kind.getValue(), type));
  auto rowExtent = cast<MapOp>(op->getParentOp()).getExtents()[0];
  low.enter(ValueRange{rowIndex, body.getArgument(0)},
            ArrayAttr::get(op.getContext(), {rowExtent, op.getExtents()[0]}));
  LogicalResult done = forColumns(*extent.constant(), 1, [&](const Place &at) -> LogicalResult {
    column = at;
    low.bind(body.getArgument(0), at.index, extent);
    if (failed(low.clone(body)))
      return failure();
    for (auto [accumulator, value] : llvm::zip_equal(accumulators, low.yielded(body)))
      accumulate(low, accumulator, value);
    return success();
  });
  for (auto [accumulator, result] : llvm::zip_equal(accumulators, op.getResults())) {
    Value own = low.get(accumulator.registers);
    Value all =
        WarpReduceOp::create(low.builder, low.func.getLoc(), own.getType(), accumulator.kind, own, sharers).getResult();
    low.values.map(result, low.cast(all, accumulator.type));
  }
  return done;
}

} // namespace cupola::cuda
