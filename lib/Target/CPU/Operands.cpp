//===- lib/Target/CPU/Operands.cpp - where a contraction's operands are read, and copies of them ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Emitter.h"
#include "lib/Target/CPU/Scalars.h"

#include <numeric>

using namespace mlir;
using namespace cupola::kernel;
using arith::CmpIPredicate;

namespace cupola::cpu {

Value Emitter::operandElement(Region &region) {
  mlir::Block &body = region.front();
  Value value = emitYield(body)[0];
  Type from = body.getTerminator()->getOperand(0).getType();
  return emitCast(c, from, operandType(region), value);
}

/// Rows of depthBlock elements and one vector more, so that they do not all begin in
/// the same place of a cache.
Value Emitter::lhsRowAt(Value row) {
  const Contraction &dot = *plan.contraction;
  return c.address(scratchAt(dot.lhsOffset), c.muli(row, c.i64(dot.depthBlock + isa.lanes())),
                   valueType(dot.lhsType()));
}

void Emitter::copyLhs() {
  forLoop(c.i64(0), block.rows, 1, {}, [&](Value row, Carried) -> Values {
    variables[plan.contraction->m] = c.addi(block.row, row);
    copyLhsRow(lhsRowAt(row));
    return {};
  });
}

void Emitter::copyLhsRow(Value target) {
  const Contraction &dot = *plan.contraction;
  if (dot.pieces.size)
    copyPieces(target);
  else
    copyLhsPart(dot.k, block.depth, c.addi(block.depth, block.depths), dot.depth, target);
}

/// Elements from `first` to `end` of the current row, one after the other to `target`. Whole vectors are stored: what
/// is behind `end` is written later, or room behind the row.
void Emitter::copyLhsPart(const std::string &var, Value first, Value end, const Expr &length, Value target) {
  DotOp op = plan.contraction->dot;
  const Type element = plan.contraction->lhsType();
  vectorLoop(var, first, end, length, {}, [&](Carried) -> Values {
    Value value = c.splat(operandElement(op.getLhs()));
    Value at = c.subi(variables[var], first);
    LLVM::StoreOp::create(c.b, c.loc, value, c.address(target, at, storageType(element)), elementBytes(element));
    return {};
  });
}

/// The longest vectors of which pieces consist, where nothing but positions differs within one.
unsigned Emitter::pieceLanes() const {
  const Contraction &dot = *plan.contraction;
  unsigned lanes = isa.lanes();
  while (dot.pieces.isUniform && 2 * lanes <= isa.lanesOf(elementBytes(dot.lhsType())) &&
         dot.pieces.size % (2 * lanes) == 0)
    lanes *= 2;
  return lanes;
}

void Emitter::copyPieces(Value target) {
  DepthPieces parts = plan.contraction->pieces;
  const Type element = plan.contraction->lhsType();
  pieces = &parts;
  c.lanes = pieceLanes();
  const Value size = c.i64(parts.size), length = c.i64(parts.size * parts.group);
  const Value first = c.binary<arith::DivUIOp>(block.depth, length);
  forLoop(c.i64(0), c.binary<arith::DivUIOp>(block.depths, length), 1, {}, [&](Value group, Carried) -> Values {
    variables[kPiece] = c.addi(first, group);
    const Value start = c.address(target, c.muli(group, length), element);
    for (parts.written = 0; parts.written < parts.group; ++parts.written)
      copyLhsPart(kPlace, c.i64(0), size, parts.size, c.address(start, c.i64(parts.written * parts.size), element));
    return {};
  });
  pieces = nullptr;
  c.lanes = isa.lanes();
}

/// All of the depth, as a panel of few columns has it.
void Emitter::copyFewColumns() {
  const Contraction &dot = *plan.contraction;
  DotOp op = dot.dot;
  const Type element = valueType(dot.rhsType());
  const Value base = scratchAt(dot.rhsOffset);
  c.lanes = packedUnitOf(op, isa);
  forLoop(c.i64(0), c.i64(dot.panel), 1, {}, [&](Value column, Carried) -> Values {
    variables[dot.n] = c.addi(block.column, column);
    vectorLoop(dot.k, c.i64(0), index(dot.depth), dot.depth, {}, [&](Carried) -> Values {
      Value value = c.splat(operandElement(op.getRhs()));
      if (mask)
        value = c.select(mask, value, c.number(cast<TypedAttr>(c.b.getZeroAttr(value.getType()))));
      const Value at = c.addi(c.muli(variables[dot.k], c.i64(dot.panel)), c.muli(column, c.i64(c.lanes)));
      LLVM::StoreOp::create(c.b, c.loc, value, c.address(base, at, element), elementBytes(element));
      return {};
    });
    return {};
  });
  c.lanes = isa.lanes();
}

void Emitter::copyRhs() {
  const Contraction &dot = *plan.contraction;
  if (dot.isAlongDepth)
    return copyFewColumns();
  copyPanels({dot.dot, dot.n, dot.k, dot.columns, block.column, block.columns, block.depth, block.depths, dot.panel,
              dot.depthBlock / dot.depthUnit, scratchAt(dot.rhsOffset), dot.depthUnit});
}

Value Emitter::panelPart(const PanelCopy &copy, Value k, int64_t i, bool isLast) {
  DotOp op = copy.dot;
  const Value row = c.addi(k, c.i64(i));
  Value at = row;
  if (isLast)
    at = c.minsi(row, c.subi(copy.depths, c.i64(1)));
  variables[copy.k] = c.addi(copy.depth, at);
  Value value = c.convert<arith::ExtUIOp>(operandElement(op.getRhs()), c.b.getI32Type());
  if (isLast)
    value = c.select(c.cmpi(CmpIPredicate::slt, row, copy.depths), value, c.integer(0, value));
  return i == 0 ? value : c.binary<arith::ShLIOp>(value, c.integer(32 / copy.unit * i, value));
}

void Emitter::copyPanelRow(const PanelCopy &copy, Value k, Value first, Value count, Value start, bool isLast) {
  DotOp op = copy.dot;
  const Type element = op.getTile().getType().getElement();
  const Value row = copy.unit == 1 ? k : c.binary<arith::DivUIOp>(k, c.i64(copy.unit));
  const Value base = c.address(start, c.muli(row, c.i64(copy.panel)), element);
  vectorLoop(copy.n, first, c.addi(first, count), lengthInParts(copy.length, copy.panel), {}, [&](Carried) -> Values {
    if (copy.ahead) {
      variables[copy.k] = c.addi(copy.depth, c.addi(k, c.i64(copy.ahead)));
      prefetch(op.getRhs(), copy.k);
    }
    variables[copy.k] = c.addi(copy.depth, k);
    Value value = copy.unit == 1 ? operandElement(op.getRhs()) : panelPart(copy, k, 0, isLast);
    for (int64_t i = 1; i < copy.unit; ++i)
      value = c.ori(value, panelPart(copy, k, i, isLast));
    store(value, {c.address(base, c.subi(variables[copy.n], first), element), true}, element, {});
    return {};
  });
}

/// Whether its neighbours along the depth, and not those along the columns, lie side by side.
bool Emitter::liesInColumns(const PanelCopy &copy) {
  DotOp op = copy.dot;
  return copy.unit == 1 && elementBytes(op.getTile().getType().getElement()) == 4 &&
         liesAlong(vars, op.getRhs(), copy.k, copy.n, c.lanes);
}

/// As many rows from k on as there are lanes, of the panel's columns: squares of vectors along the depth are turned.
/// Columns that do not exist repeat the last one.
void Emitter::copyTurned(const PanelCopy &copy, Value k, Value first, Value count, Value start) {
  DotOp op = copy.dot;
  const Type bits = c.b.getI32Type();
  const int64_t lanes = c.lanes;
  forLoop(c.i64(0), count, lanes, {}, [&](Value column, Carried) -> Values {
    Values vectors;
    vectorVar = copy.k;
    vectorUnit = std::gcd(lanes, copy.panelDepth);
    variables[copy.k] = c.addi(copy.depth, k);
    for (int64_t i = 0; i < lanes; ++i) {
      variables[copy.n] = c.addi(first, c.minsi(c.addi(column, c.i64(i)), c.subi(count, c.i64(1))));
      vectors.push_back(c.bitcast(c.splat(operandByTable(op.getRhs())), bits));
    }
    vectorVar.clear();
    c.transpose(vectors);
    for (auto [i, vector] : llvm::enumerate(vectors)) {
      const Value at = c.addi(c.muli(c.addi(k, c.i64(i)), c.i64(copy.panel)), column);
      LLVM::StoreOp::create(c.b, c.loc, vector, c.address(start, at, bits), 4);
    }
    return {};
  });
}

void Emitter::copyPanels(PanelCopy copy) {
  const Type element = copy.dot.getTile().getType().getElement();
  const bool isTurned = liesInColumns(copy);
  forLoop(c.i64(0), copy.columns, copy.panel, {}, [&](Value panel, Carried) -> Values {
    Value first = c.addi(copy.column, panel);
    Value count = c.minsi(c.i64(copy.panel), c.subi(copy.columns, panel));
    Value start = c.address(copy.target, c.muli(panel, c.i64(copy.panelDepth)), element);
    Value end = copy.unit == 1 ? copy.depths : c.andi(copy.depths, c.i64(-copy.unit)), done = c.i64(0);
    if (isTurned) {
      done = c.andi(copy.depths, c.i64(-int64_t(c.lanes)));
      forLoop(c.i64(0), done, c.lanes, {}, [&](Value k, Carried) -> Values {
        copyTurned(copy, k, first, count, start);
        return {};
      });
    }
    forLoop(done, end, copy.unit, {}, [&](Value k, Carried) -> Values {
      copyPanelRow(copy, k, first, count, start, /*isLast=*/false);
      return {};
    });
    if (copy.unit != 1) // what is left of the depth
      forLoop(end, copy.depths, copy.unit, {}, [&](Value k, Carried) -> Values {
        copyPanelRow(copy, k, first, count, start, /*isLast=*/true);
        return {};
      });
    return {};
  });
}

Emitter::Operand Emitter::loadedAt(kernel::LoadOp load, const std::string &strided) {
  Expr position = vars.read(load.getPosition(), load.getIndices());
  Address from = address(buffers.lookup(load.getView()), load.getView().getType().getElement(), position);
  return {from.pointer, index(*position.coefficient(strided))};
}

Emitter::Operand Emitter::lhsAt(Value row) {
  const Contraction &dot = *plan.contraction;
  DotOp op = dot.dot;
  if (dot.lhs == OperandForm::Runs || dot.lhs == OperandForm::Places)
    return {runsAt(row), c.i64(0)};
  if (dot.lhs == OperandForm::Copied)
    return {lhsRowAt(row), c.i64(dot.depthBlock + isa.lanes())};
  variables[dot.m] = c.addi(block.row, row);
  variables[dot.k] = block.depth;
  return loadedAt(plainOperand(op.getLhs()), dot.m);
}

Value Emitter::unitsOf(Value depth) {
  const Contraction &dot = *plan.contraction;
  const int64_t unit = dot.isAlongDepth ? packedUnitOf(dot.dot, isa) : dot.depthUnit;
  return unit == 1 ? depth : c.binary<arith::DivUIOp>(c.addi(depth, c.i64(unit - 1)), c.i64(unit));
}

Emitter::Operand Emitter::rhsAt(Value panel) {
  const Contraction &dot = *plan.contraction;
  DotOp op = dot.dot;
  Type element = valueType(op.getTile().getType().getElement());
  if (dot.isAlongDepth)
    element = VectorType::get({packedUnitOf(op, isa)}, element);
  const Value stride = c.i64(dot.panel);
  if (dot.rhs == OperandForm::Copied)
    return {c.address(scratchAt(dot.rhsOffset), c.muli(panel, c.i64(dot.depthBlock / dot.depthUnit)), element), stride};
  Value column = c.addi(block.column, panel);
  if (dot.rhs == OperandForm::Packed) {
    LoadOp load = plainOperand(op.getRhs());
    const graph::Exprs grid = graph::exprsOf(func.getGrid());
    Expr matrix = 0;
    for (unsigned dim : gridOf(func, op.getRhs()))
      matrix = matrix * grid[dim] + Expr::symbol(vars.name(func.getPoint()[dim]));
    const Expr columns = matrix * ceilDiv(dot.columns, dot.panel) * Expr(dot.panel);
    column = c.addi(column, index(columns));
    const auto words = [&](Value depth) {
      return dot.areNibbles ? c.binary<arith::DivUIOp>(depth, c.i64(kNibbleRows)) : unitsOf(depth);
    };
    Value offset = c.addi(c.muli(column, words(index(dot.depth))), c.muli(words(block.depth), stride));
    return {c.address(buffers.lookup(load.getView()), offset, element), stride};
  }
  variables[dot.n] = column;
  variables[dot.k] = block.depth;
  return loadedAt(plainOperand(op.getRhs()), dot.k);
}

} // namespace cupola::cpu
