//===- lib/Target/CPU/RowSteps.cpp - ordered steps over tiles of rows ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Between two products all maps run on a vector of rows before the next: its elements are in the
// first cache from one to the other. What is one number per row is computed for all of them at once.

#include "lib/Target/CPU/Emitter.h"

using namespace mlir;
using namespace cupola::kernel;
using cupola::graph::exprsOf;

namespace cupola::cpu {

void Emitter::emitSteps(ArrayRef<Value> iteration) {
  const RowSteps &steps = *plan.steps;
  for (auto [index, value] : llvm::zip(func.getPoint(), iteration))
    variables[vars.name(index)] = value;
  block.row = c.muli(iteration.back(), c.i64(steps.rowBlock));
  block.rows = c.minsi(c.i64(steps.rowBlock), c.subi(index(steps.rows), block.row));
  variables[kFirstRow] = block.row;
  for (const auto &[op, dot] : steps.dots)
    if (!dot.lhsTile && dot.lhsIsFixed)
      copyRowLhs(dot);
  for (Operation &op : func.getBody().front())
    if (isWorkOfItsOwn(op)) // first, since it reads caches in order and leaves them near
      emitOnce(cast<ForeachOp>(op));
  emitRowOps(func.getBody().front());
}

void Emitter::emitRowOps(mlir::Block &body) {
  SmallVector<Operation *> loops;
  const auto flush = [&] {
    if (!loops.empty())
      emitRows(loops);
    loops.clear();
  };
  for (Operation &op : body) {
    if (isWorkOfItsOwn(op))
      continue;
    if (llvm::isa<MapOp, ForeachOp>(op)) {
      loops.push_back(&op);
    } else if (auto dot = dyn_cast<DotOp>(op)) {
      flush();
      emitRowDot(plan.steps->dots.find(dot)->second);
    } else if (auto loop = dyn_cast<ForOp>(op)) {
      flush();
      emitFor(loop);
    } else {
      emitOp(&op); // reads no tile
    }
  }
  flush();
}

void Emitter::emitOnce(ForeachOp op) {
  Value isFirst = c.cmpi(arith::CmpIPredicate::eq, block.row, c.i64(0));
  auto branch = scf::IfOp::create(c.b, c.loc, isFirst);
  OpBuilder::InsertionGuard guard(c.b);
  c.b.setInsertionPointToStart(branch.thenBlock());
  emitForeach(op);
}

/// What is carried stays where it is: a step's tiles take the places of those before.
void Emitter::emitFor(ForOp op) {
  const Expr firstRow = Expr::symbol(kFirstRow);
  const auto [first, end] = op.stepsOfRows(firstRow, firstRow + (plan.steps->rowBlock - 1));
  forLoop(index(first), index(end), 1, {}, [&](Value step, Carried) -> Values {
    variables[vars.name(op.getStep())] = step;
    if (const auto &live = plan.steps->live) {
      variables[kLive] = c.minsi(c.maxsi(index(live->count), c.i64(0)), c.i64(live->columns));
      Value lanes = c.i64(isa.lanes() - 1);
      variables[kLiveVectors] = c.andi(c.addi(variables[kLive], lanes), c.i64(-static_cast<int64_t>(isa.lanes())));
    }
    emitRowOps(op.getBody().front());
    return {};
  });
}

void Emitter::emitRows(ArrayRef<Operation *> loops) {
  const Value end = c.addi(block.row, block.rows);
  forLoop(block.row, end, isa.lanes(), {}, [&](Value group, Carried) -> Values {
    variables[kGroup] = group;
    const Value groupEnd = c.minsi(end, c.addi(group, c.i64(isa.lanes())));
    const auto eachRow = [&](function_ref<void(Value)> body) {
      forLoop(group, groupEnd, 1, {}, [&](Value row, Carried) -> Values {
        body(row);
        return {};
      });
    };
    for (Operation *loop : loops)
      if (auto map = dyn_cast<MapOp>(loop); map && reducesFirst(map)) {
        if (!map.getBody().getOps<kernel::ReduceOp>().empty())
          eachRow([&](Value row) { emitTotals(map, row); });
        emitAfterTotals(map, group, groupEnd);
      } else {
        eachRow([&](Value row) { emitRow(loop, row); });
      }
    return {};
  });
}

void Emitter::emitTotals(MapOp map, Value row) {
  variables[vars.name(map.getBody().getArgument(0))] = row;
  for (auto reduce : map.getBody().getOps<kernel::ReduceOp>()) {
    emitReduce(reduce);
    for (Value total : reduce.getResults()) {
      const Value base = scratchAt(plan.steps->totals.at(total));
      const Value at = c.address(base, c.subi(row, variables.at(kGroup)), storageType(total.getType()));
      store(values.lookup(total), {at, false}, total.getType(), {});
    }
  }
}

/// A vector of rows.
void Emitter::emitAfterTotals(MapOp map, Value group, Value end) {
  const std::string row = vars.name(map.getBody().getArgument(0));
  const Expr length = plan.steps->rows.isConstant(1) ? Expr(1) : Expr::symbol(kGroup);
  vectorLoop(row, group, end, length, {}, [&](Carried) -> Values {
    for (Operation &op : map.getBody().front())
      if (!llvm::isa<kernel::ReduceOp>(op))
        emitOp(&op);
      else
        for (Value total : op.getResults())
          values[total] = load(address(scratchAt(plan.steps->totals.at(total)), total.getType(),
                                       Expr::symbol(row) - Expr::symbol(kGroup)),
                               total.getType(), {}, {}, false);
    storeRow(map, lookup(map.getBody().front().getTerminator()->getOperands()));
    return {};
  });
}

void Emitter::storeRow(MapOp map, const Values &yielded) {
  const std::vector<std::string> names = vars.names(map.getBody().getArguments());
  for (auto [tile, value] : llvm::zip_equal(map.getTiles(), yielded)) {
    const Type element = cast<TileType>(tile.getType()).getElement();
    const RowTile &at = plan.steps->tiles.at(tile);
    Expr position = (Expr::symbol(names[0]) - Expr::symbol(kFirstRow)) * at.pitch;
    if (names.size() == 2)
      position += Expr::symbol(names[1]);
    store(value, address(scratchAt(at.offset), element, position), element, {});
  }
}

void Emitter::emitRow(Operation *loop, Value row) {
  const std::vector<std::string> names = vars.names(loop->getRegion(0).getArguments());
  variables[names[0]] = row;
  const auto body = [&](Carried) -> Values {
    if (auto map = dyn_cast<MapOp>(loop))
      storeRow(map, emitYield(map.getBody().front()));
    else
      emitBlock(loop->getRegion(0).front());
    return {};
  };
  const graph::Exprs extents = exprsOf(extentsOf(loop));
  if (names.size() == 1 || extents[1].isConstant(1)) {
    if (names.size() > 1)
      variables[names[1]] = c.i64(0);
    body({});
    return;
  }
  const Expr extent = liveExtent(names[1], extents[1]);
  vectorLoop(names[1], c.i64(0), index(extent), extent, {}, body);
}

Expr Emitter::liveExtent(const std::string &var, const Expr &extent) const {
  const bool isCut = plan.steps && plan.steps->live && plan.steps->live->conditions.count(var);
  return isCut ? Expr::symbol(kLiveVectors) : extent;
}

bool Emitter::isProven(const Expr &e) const {
  return isLive && plan.steps->live &&
         llvm::any_of(plan.steps->live->conditions, [&](const auto &condition) { return condition.second == e; });
}

Expr Emitter::rowTilePosition(ExtractOp op) {
  graph::Exprs point = vars.read(op.getPoint(), op.getIndices());
  Expr row = (point[0] - Expr::symbol(kFirstRow)) * plan.steps->tiles.at(op.getTile()).pitch;
  return point.size() == 1 ? row : row + point[1];
}

} // namespace cupola::cpu
