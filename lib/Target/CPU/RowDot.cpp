//===- lib/Target/CPU/RowDot.cpp - the products of steps ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A right operand whose neighbours lie along the depth is turned while it is copied, a square of
// vectors at a time. For few rows no copy pays: there every element is a product along the depth.
// Whether rows are few may be told when the kernel runs.

#include "lib/Target/CPU/Emitter.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

Value Emitter::rowTileAt(Value tile, Value row, Value column) {
  const RowTile &at = plan.steps->tiles.at(tile);
  const Type element = storageType(cast<TileType>(tile.getType()).getElement());
  return c.address(scratchAt(at.offset), c.addi(c.muli(row, c.i64(at.pitch)), column), element);
}

Value Emitter::rowLhsAt(const RowDot &dot, Value row) {
  if (dot.lhsTile)
    return rowTileAt(dot.lhsTile, row, c.i64(0));
  return c.address(scratchAt(dot.lhsOffset), c.muli(row, c.i64(dot.lhsPitch)), c.b.getF32Type());
}

/// Columns that are computed: whole vectors, or all.
Value Emitter::liveColumns(const RowDot &dot) { return index(liveExtent(dot.n, dot.columns)); }

/// Elements of a sum: those that count.
Value Emitter::liveDepth(const RowDot &dot) {
  const bool isCut = plan.steps->live && plan.steps->live->conditions.count(dot.k);
  return isCut ? variables.at(kLive) : c.i64(dot.depth);
}

void Emitter::emitRowDot(RowDot dot) {
  if (!dot.lhsTile && !dot.lhsIsFixed)
    copyRowLhs(dot);
  if (!dot.servesFewRows)
    return multiplyRowDot(dot);
  const Value areFew = c.cmpi(arith::CmpIPredicate::sle, block.rows, c.i64(kFewRows));
  OpBuilder::InsertionGuard guard(c.b);
  auto branch = scf::IfOp::create(c.b, c.loc, areFew, /*withElseRegion=*/true);
  c.b.setInsertionPointToStart(branch.elseBlock());
  multiplyRowDot(dot);
  c.b.setInsertionPointToStart(branch.thenBlock());
  dot.rhs = OperandForm::Direct;
  multiplyRowDot(dot);
}

void Emitter::multiplyRowDot(RowDot dot) {
  if (dot.rhs == OperandForm::Copied)
    copyRowRhs(dot);
  if (dot.rhs == OperandForm::Direct && dot.isAlongDepth)
    multiplyAlongDepth(dot);
  else if (dot.rhs == OperandForm::Direct && !dot.isReadable)
    multiplyComputed(dot);
  else
    multiplyRows(dot);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Rows of keys and values, which mostly follow each other in memory: so far ahead of what is copied the next ones are
/// asked for, those of the next step, too. Squares of vectors leave no stream that a processor would follow.
static constexpr int64_t kRowsAhead = 96;

/// What a region loads for the `row` where the variables are, for the second cache; nothing where that is more than one
/// element.
void Emitter::prefetch(Region &region, const std::string &row) {
  SmallVector<LoadOp> loads;
  region.walk([&](LoadOp load) {
    if (vars.read(load.getPosition(), load.getIndices()).uses(row)) // not a scale
      loads.push_back(load);
  });
  if (loads.size() != 1)
    return;
  LoadOp load = loads.front();
  const Expr position = vars.read(load.getPosition(), load.getIndices());
  const Address at = address(buffers.lookup(load.getView()), load.getView().getType().getElement(), position);
  if (!Code::isVector(at.pointer))
    LLVM::Prefetch::create(c.b, c.loc, at.pointer, /*rw=*/0, /*hint=*/2, /*cache=*/1);
}

void Emitter::copyRowLhs(RowDot dot) {
  const Expr length = liveExtent(dot.k, dot.depth);
  forLoop(c.i64(0), block.rows, 1, {}, [&](Value row, Carried) -> Values {
    variables[dot.m] = c.addi(block.row, row);
    const Value base = rowLhsAt(dot, row);
    vectorLoop(dot.k, c.i64(0), index(length), length, {}, [&](Carried) -> Values {
      store(operandElement(dot.dot.getLhs()), address(base, dot.element(), Expr::symbol(dot.k)), dot.element(), {});
      return {};
    });
    return {};
  });
}

void Emitter::copyRowRhs(RowDot dot) {
  isLive = true;
  if (dot.isAlongDepth)
    copyTurned(dot);
  else
    copyPanels({dot.dot, dot.n, dot.k, liveExtent(dot.n, dot.columns), c.i64(0), liveColumns(dot), c.i64(0),
                liveDepth(dot), dot.panel, dot.rhsDepth, scratchAt(dot.rhsOffset), /*unit=*/1, kRowsAhead});
  isLive = false;
}

/// `count` columns from `column` on, each a vector along the depth; columns that do not count repeat the last one.
Emitter::Values Emitter::rhsAlongDepth(RowDot dot, Value column, int64_t count) {
  const bool isCut = plan.steps->live && plan.steps->live->conditions.count(dot.n);
  const Value last = isCut ? c.subi(variables.at(kLive), c.i64(1)) : c.i64(dot.columns - 1);
  Values vectors;
  for (int64_t i = 0; i < count; ++i) {
    variables[dot.n] = c.minsi(c.addi(column, c.i64(i)), last);
    vectors.push_back(c.splat(operandElement(dot.dot.getRhs())));
  }
  for (int64_t i = 0; i < count; ++i) {
    variables[dot.n] = c.addi(column, c.i64(i + kRowsAhead));
    prefetch(dot.dot.getRhs(), dot.n);
  }
  return vectors;
}

/// A panel has room for whole vectors of the depth.
void Emitter::copyTurned(RowDot dot) {
  const Type element = dot.element();
  forLoop(c.i64(0), liveColumns(dot), c.lanes, {}, [&](Value column, Carried) -> Values {
    const Value within = c.binary<arith::RemUIOp>(column, c.i64(dot.panel));
    const Value start = c.addi(c.muli(c.subi(column, within), c.i64(dot.rhsDepth)), within);
    const Value target = c.address(scratchAt(dot.rhsOffset), start, element);
    vectorLoop(dot.k, c.i64(0), c.i64(dot.depth), dot.depth, {}, [&](Carried) -> Values {
      Values vectors = rhsAlongDepth(dot, column, c.lanes);
      c.transpose(vectors);
      for (auto [i, vector] : llvm::enumerate(vectors)) {
        const Value k = c.addi(variables.at(dot.k), c.i64(i));
        LLVM::StoreOp::create(c.b, c.loc, vector, c.address(target, c.muli(k, c.i64(dot.panel)), element), 4);
      }
      return {};
    });
    return {};
  });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void Emitter::multiplyRows(RowDot dot) {
  const Value columns = liveColumns(dot), depth = liveDepth(dot);
  const bool isDirect = dot.rhs == OperandForm::Direct;
  forLoop(c.i64(0), columns, dot.panel, {}, [&](Value panel, Carried) -> Values {
    variables[dot.n] = panel;
    variables[dot.k] = c.i64(0);
    Operand right{scratchAt(dot.rhsOffset), c.i64(dot.panel)};
    if (isDirect)
      right = loadedAt(onlyLoad(dot.dot.getRhs()), dot.k);
    else
      right.pointer = c.address(right.pointer, c.muli(panel, c.i64(dot.rhsDepth)), dot.element());
    forLoop(c.i64(0), block.rows, isa.tileRows, {}, [&](Value row, Carried) -> Values {
      MicroCall call;
      call.element = dot.element();
      call.left = {rowLhsAt(dot, row), c.i64(dot.lhsPitch)};
      call.right = right;
      call.rows = c.subi(block.rows, row);
      call.columns = c.minsi(c.i64(dot.panel), c.subi(columns, panel));
      call.depth = depth;
      call.tile = rowTileAt(dot.dot.getTile(), row, panel);
      call.accumulate = c.i64(dot.dot.getInit() ? 1 : 0);
      call.ahead = right.pointer;
      call.panel = dot.panel;
      call.tileRows = isa.tileRows;
      call.tileStride = plan.steps->tiles.at(dot.dot.getTile()).pitch;
      call.isDirect = isDirect;
      callMicroKernel(call, plan.steps->rows, liveExtent(dot.n, dot.columns));
      return {};
    });
    return {};
  });
}

/// Of 1, 2 and kFewRows those up to `most`, and no more than rows there are. Those of `body` may repeat the last one.
void Emitter::forFewRows(int64_t most, function_ref<void(const Values &rows)> body) {
  most = std::min(most, plan.steps->rows.constant().value_or(kFewRows));
  SmallVector<int64_t> heights;
  for (int64_t height : {int64_t(1), int64_t(2), kFewRows})
    if (heights.empty() || heights.back() < most)
      heights.push_back(height);
  const Value last = c.subi(block.rows, c.i64(1));
  forLoop(c.i64(0), block.rows, heights.back(), {}, [&](Value first, Carried) -> Values {
    chooseSize(c.subi(block.rows, first), heights, [&](int64_t height) {
      Values rows;
      for (int64_t i = 0; i < height; ++i)
        rows.push_back(c.minsi(c.addi(first, c.i64(i)), last));
      body(rows);
    });
    return {};
  });
}

/// All columns of some rows at once, so that each row of the right operand is read once, in order.
void Emitter::multiplyComputed(RowDot dot) {
  const Type element = dot.element();
  const int64_t vectors = dot.columns / c.lanes;
  const Value zero = c.splat(c.number(c.b.getF32FloatAttr(0)));
  forFewRows(isa.tileRows * isa.tileVectors / vectors, [&](const Values &rows) {
    Values sums(rows.size() * vectors, zero);
    sums = forLoop(c.i64(0), liveDepth(dot), 1, sums, [&](Value k, Carried carried) {
      Values next(carried);
      variables[dot.k] = k;
      const Values left = llvm::map_to_vector(rows, [&](Value row) {
        return c.splat(load(address(rowLhsAt(dot, row), element, Expr::symbol(dot.k)), element, {}, {}, false));
      });
      vectorVar = dot.n;
      isLive = true;
      for (int64_t i = 0; i < vectors; ++i) {
        variables[dot.n] = c.i64(i * c.lanes);
        variables[dot.k] = c.addi(k, c.i64(kRowsAhead));
        prefetch(dot.dot.getRhs(), dot.k);
        variables[dot.k] = k;
        const Value right = operandElement(dot.dot.getRhs());
        for (size_t row = 0; row < rows.size(); ++row)
          next[row * vectors + i] = c.fma(left[row], right, next[row * vectors + i]);
      }
      isLive = false;
      vectorVar.clear();
      return next;
    });
    Values places;
    for (auto [i, sum] : llvm::enumerate(sums)) { // all are added before any is stored: rows may repeat the last one
      places.push_back(rowTileAt(dot.dot.getTile(), rows[i / vectors], c.i64(i % vectors * c.lanes)));
      if (dot.dot.getInit())
        sum = c.addf(LLVM::LoadOp::create(c.b, c.loc, sum.getType(), places.back(), 4), sum);
    }
    for (auto [sum, place] : llvm::zip_equal(sums, places))
      LLVM::StoreOp::create(c.b, c.loc, sum, place, 4);
  });
}

/// As many columns at a time as sums of some rows are lanes.
void Emitter::multiplyAlongDepth(RowDot dot) {
  const Type element = dot.element();
  const Value zero = c.splat(c.number(c.b.getF32FloatAttr(0)));
  forFewRows(kFewRows, [&](const Values &rows) {
    const int64_t group = c.lanes / static_cast<int64_t>(rows.size());
    forLoop(c.i64(0), liveColumns(dot), group, {}, [&](Value column, Carried) -> Values {
      const Values sums =
          vectorLoop(dot.k, c.i64(0), c.i64(dot.depth), dot.depth, Values(c.lanes, zero), [&](Carried all) {
            Values next;
            const Values left = llvm::map_to_vector(rows, [&](Value row) {
              return load(address(rowLhsAt(dot, row), element, Expr::symbol(dot.k)), element, {}, {}, false);
            });
            isLive = true;
            const Values right = rhsAlongDepth(dot, column, group);
            isLive = false;
            for (auto [i, sum] : llvm::enumerate(all)) {
              const Value added = c.fma(left[i / group], right[i % group], sum);
              next.push_back(mask ? c.select(mask, added, sum) : added);
            }
            return next;
          });
      const Value totals = c.addLanes(sums);
      for (auto [i, row] : llvm::enumerate(rows))
        LLVM::StoreOp::create(c.b, c.loc, c.part(totals, i * group, group), rowTileAt(dot.dot.getTile(), row, column),
                              4);
      return {};
    });
  });
}

} // namespace cupola::cpu
