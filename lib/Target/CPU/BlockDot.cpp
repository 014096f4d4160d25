//===- lib/Target/CPU/BlockDot.cpp - contractions with scales of blocks ---===//
// SPDX-License-Identifier: Apache-2.0
//
// What belongs to the blocks of a depth block, their starts and scales, is copied beside the operands: in the order of
// the micro-kernel, whatever computes it and wherever it lies. Scales of columns are not where they are packed: one row
// would wait for them, as those of a panel's blocks lie far from each other.

#include "lib/Target/CPU/Emitter.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

void Emitter::copyBlockParts() {
  DotOp op = plan.contraction->dot;
  if (!plan.contraction->areScalesPacked)
    copyOfColumns(op.getRhsScale(), plan.contraction->columnScaleOffset);
  copyOfRows(op.getStart(), plan.contraction->startOffset);
  copyOfRows(op.getLhsScale(), plan.contraction->rowScaleOffset);
}

/// Panels one after the other: a row of their columns for each block.
void Emitter::copyOfColumns(Region &part, int64_t offset) {
  const Contraction &dot = *plan.contraction;
  const Type element = yieldedBy(part);
  const Value first = c.binary<arith::DivUIOp>(block.depth, c.i64(dot.blockSize));
  const Value blocks = c.binary<arith::DivUIOp>(block.depths, c.i64(dot.blockSize));
  forLoop(c.i64(0), block.columns, dot.panel, {}, [&](Value panel, Carried) -> Values {
    const Value column = c.addi(block.column, panel);
    const Value end = c.addi(column, c.minsi(c.i64(dot.panel), c.subi(block.columns, panel)));
    const Value start = c.address(scratchAt(offset), c.muli(panel, c.i64(dot.blocks())), element);
    forLoop(c.i64(0), blocks, 1, {}, [&](Value i, Carried) -> Values {
      variables[dot.b] = c.addi(first, i);
      const Value target = c.address(start, c.muli(i, c.i64(dot.panel)), element);
      vectorLoop(dot.n, column, end, dot.columns, {}, [&](Carried) -> Values {
        store(emitYield(part.front())[0], {c.address(target, c.subi(variables[dot.n], column), element), true}, element,
              {});
        return {};
      });
      return {};
    });
    return {};
  });
}

/// Rows one after the other: of each the blocks.
void Emitter::copyOfRows(Region &part, int64_t offset) {
  const Contraction &dot = *plan.contraction;
  const Type element = yieldedBy(part);
  const Value first = c.binary<arith::DivUIOp>(block.depth, c.i64(dot.blockSize));
  const Value end = c.addi(first, c.binary<arith::DivUIOp>(block.depths, c.i64(dot.blockSize)));
  const Expr mostBlocks = dot.blocks() | 1; // the last depth block may have fewer: a number of no whole vectors
  forLoop(c.i64(0), block.rows, 1, {}, [&](Value row, Carried) -> Values {
    variables[dot.m] = c.addi(block.row, row);
    const Value target = c.address(scratchAt(offset), c.muli(row, c.i64(dot.blocks())), element);
    vectorLoop(dot.b, first, end, mostBlocks, {}, [&](Carried) -> Values {
      store(emitYield(part.front())[0], {c.address(target, c.subi(variables[dot.b], first), element), true}, element,
            {});
      return {};
    });
    return {};
  });
}

void Emitter::addBlocks(MicroCall &call, Value panel, Value row) {
  const Contraction &dot = *plan.contraction;
  const Value blocks = c.i64(dot.blocks()), ofRow = c.muli(row, blocks);
  call.block = dot.blockSize / dot.depthUnit;
  call.columnScales = columnScalesAt(panel);
  call.starts = {c.address(scratchAt(dot.startOffset), ofRow, dot.sumType()), blocks};
  call.rowScales = {c.address(scratchAt(dot.rowScaleOffset), ofRow, dot.accumulator()), blocks};
}

/// Those of the panel, from the depth block on.
Value Emitter::columnScalesAt(Value panel) {
  const Contraction &dot = *plan.contraction;
  if (!dot.areScalesPacked)
    return c.address(scratchAt(dot.columnScaleOffset), c.muli(panel, c.i64(dot.blocks())), dot.accumulator());
  const Value all = c.binary<arith::DivUIOp>(index(dot.depth), c.i64(dot.blockSize));
  const Value first = c.binary<arith::DivUIOp>(block.depth, c.i64(dot.blockSize));
  const Value column = c.addi(block.column, panel);
  const Value at = c.addi(c.muli(column, all), c.muli(first, c.i64(dot.panel)));
  return c.address(buffers.lookup(plainOperand(DotOp(dot.dot).getRhsScale()).getView()), at, dot.accumulator());
}

} // namespace cupola::cpu
