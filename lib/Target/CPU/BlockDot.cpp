//===- lib/Target/CPU/BlockDot.cpp - contractions with scales of blocks ---===//
// SPDX-License-Identifier: Apache-2.0
//
// What belongs to the blocks of a depth block, their starts and scales, is copied beside the operands: in the order of
// the micro-kernel, whatever computes it and wherever it lies. That is two vectors for a block of a panel, which serve
// all rows of the iteration.

#include "lib/Target/CPU/Emitter.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

static Type yieldedBy(Region &region) { return region.front().getTerminator()->getOperand(0).getType(); }

void Emitter::copyBlockParts() {
  DotOp op = plan.contraction->dot;
  copyOfColumns(op.getStart(), plan.contraction->startOffset);
  copyOfColumns(op.getRhsScale(), plan.contraction->columnScaleOffset);
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
  const Value blocks = c.i64(dot.blocks()), ofPanel = c.muli(panel, blocks);
  call.block = dot.blockSize / dot.depthUnit;
  call.start = c.address(scratchAt(dot.startOffset), ofPanel, dot.sumType());
  call.columnScales = c.address(scratchAt(dot.columnScaleOffset), ofPanel, dot.accumulator());
  call.rowScales = {c.address(scratchAt(dot.rowScaleOffset), c.muli(row, blocks), dot.accumulator()), blocks};
}

} // namespace cupola::cpu
