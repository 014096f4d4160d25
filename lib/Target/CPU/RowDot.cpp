//===- lib/Target/CPU/RowDot.cpp - the products of steps ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A right operand whose neighbours lie along the depth is turned while it is copied, a square of
// vectors at a time. For few rows no copy pays: there every element is a product along the depth.

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
static constexpr int64_t kRowsAhead = 32;

/// What a region loads where the variables are, for the first cache; nothing where it does more.
void Emitter::prefetch(Region &region) {
  LoadOp load = onlyLoad(region);
  if (!load)
    return;
  const Expr position = vars.read(load.getPosition(), load.getIndices());
  const Address at = address(buffers.lookup(load.getView()), load.getView().getType().getElement(), position);
  if (!Code::isVector(at.pointer))
    LLVM::Prefetch::create(c.b, c.loc, at.pointer, /*rw=*/0, /*hint=*/3, /*cache=*/1);
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

/// Columns from `column` on, each a vector along the depth; columns that do not count repeat the last one.
Emitter::Values Emitter::rhsAlongDepth(RowDot dot, Value column) {
  const bool isCut = plan.steps->live && plan.steps->live->conditions.count(dot.n);
  const Value last = isCut ? c.subi(variables.at(kLive), c.i64(1)) : c.i64(dot.columns - 1);
  Values vectors;
  for (unsigned lane = 0; lane < c.lanes; ++lane) {
    variables[dot.n] = c.minsi(c.addi(column, c.i64(lane)), last);
    vectors.push_back(c.splat(operandElement(dot.dot.getRhs())));
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
      Values vectors = rhsAlongDepth(dot, column);
      for (unsigned lane = 0; lane < c.lanes; ++lane) {
        variables[dot.n] = c.addi(column, c.i64(lane + kRowsAhead));
        prefetch(dot.dot.getRhs());
      }
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

/// All columns of a row at once, so that each row of the right operand is read once, in order.
void Emitter::multiplyComputed(RowDot dot) {
  const Type element = dot.element();
  const Value zero = c.splat(c.number(c.b.getF32FloatAttr(0)));
  forLoop(c.i64(0), block.rows, 1, {}, [&](Value row, Carried) -> Values {
    const Value base = rowLhsAt(dot, row);
    Values sums = forLoop(c.i64(0), liveDepth(dot), 1, Values(dot.columns / c.lanes, zero), [&](Value k, Carried sums) {
      variables[dot.k] = k;
      const Value left = c.splat(load(address(base, element, Expr::symbol(dot.k)), element, {}, {}, false));
      Values next;
      vectorVar = dot.n;
      isLive = true;
      for (auto [i, sum] : llvm::enumerate(sums)) {
        variables[dot.n] = c.i64(i * c.lanes);
        next.push_back(c.fma(left, operandElement(dot.dot.getRhs()), sum));
      }
      isLive = false;
      vectorVar.clear();
      return next;
    });
    for (auto [i, sum] : llvm::enumerate(sums)) {
      const Value at = rowTileAt(dot.dot.getTile(), row, c.i64(i * c.lanes));
      const Value total = dot.dot.getInit() ? c.addf(LLVM::LoadOp::create(c.b, c.loc, sum.getType(), at, 4), sum) : sum;
      LLVM::StoreOp::create(c.b, c.loc, total, at, 4);
    }
    return {};
  });
}

void Emitter::multiplyAlongDepth(RowDot dot) {
  const Type element = dot.element();
  const Value zero = c.splat(c.number(c.b.getF32FloatAttr(0)));
  forLoop(c.i64(0), block.rows, 1, {}, [&](Value row, Carried) -> Values {
    forLoop(c.i64(0), liveColumns(dot), c.lanes, {}, [&](Value column, Carried) -> Values {
      const Value base = rowLhsAt(dot, row);
      Values sums = vectorLoop(dot.k, c.i64(0), c.i64(dot.depth), dot.depth, Values(c.lanes, zero), [&](Carried sums) {
        const Value left = load(address(base, element, Expr::symbol(dot.k)), element, {}, {}, false);
        isLive = true;
        Values next = rhsAlongDepth(dot, column);
        isLive = false;
        for (auto [sum, right] : llvm::zip_equal(sums, next)) {
          right = c.fma(left, right, sum);
          right = mask ? c.select(mask, right, sum) : right;
        }
        return next;
      });
      LLVM::StoreOp::create(c.b, c.loc, c.addLanes(sums), rowTileAt(dot.dot.getTile(), row, column), 4);
      return {};
    });
    return {};
  });
}

} // namespace cupola::cpu
