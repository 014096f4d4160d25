//===- lib/Target/CPU/Places.cpp - rows of a left operand in blocks of one place of the window ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Places.h"
#include "lib/Target/CPU/Emitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

bool liesInPlaces(Variables &vars, DotOp dot, const DepthPieces &pieces, Type element) {
  LoadOp load = onlyLoad(dot.getLhs());
  if (!load || load.getType() != element || pieces.size == 0 || !pieces.isUniform)
    return false;
  auto other = load.getOther() ? load.getOther().getDefiningOp<kernel::ConstantOp>() : kernel::ConstantOp();
  const bool isZeroOutside = other && matchPattern(other.getOperation(), m_AnyZeroFloat());
  const std::optional<Expr> step =
      pieces.position(vars.read(load.getPosition(), load.getIndices())).coefficient(kPlace);
  return (load.getMask().empty() || isZeroOutside) && step && step->isConstant(1);
}

/// Of the tile whose first row this is, whether some row has the block of the depth: i64, not 0.
Value Emitter::placeFlagAt(Value row) {
  const Contraction &dot = *plan.contraction;
  return c.address(runsAt(c.i64(dot.rowBlock)), c.binary<arith::DivUIOp>(row, c.i64(dot.tileRows)), c.b.getI64Type());
}

/// Of a block of the depth: where rows have it, in the table of runs, and which tiles do.
void Emitter::findPlaces() {
  const Contraction &dot = *plan.contraction;
  LoadOp load = onlyLoad(DotOp(dot.dot).getLhs());
  const Value image = buffers.lookup(load.getView()), border = scratchAt(dot.lhsOffset);
  variables[dot.k] = block.depth;
  forLoop(c.i64(0), block.rows, dot.tileRows, {}, [&](Value tile, Carried) -> Values {
    const Value end = c.minsi(block.rows, c.addi(tile, c.i64(dot.tileRows)));
    const Values some = forLoop(tile, end, 1, c.i64(0), [&](Value row, Carried before) -> Values {
      variables[dot.m] = c.addi(block.row, row);
      const Value place = address(image, dot.lhsType(), vars.read(load.getPosition(), load.getIndices())).pointer;
      const Value inside = conjunction(vars.read(load.getMask(), load.getIndices())).all;
      writeRun(row, inside ? c.select(inside, place, border) : place, /*distance=*/0);
      return {inside ? c.ori(before[0], c.convert<arith::ExtUIOp>(inside, c.b.getI64Type())) : c.i64(1)};
    });
    LLVM::StoreOp::create(c.b, c.loc, some[0], placeFlagAt(tile), 8);
    return {};
  });
}

/// What rows read where they have nothing, and sums of which there may be none.
void Emitter::clearPlaces() {
  const Contraction &dot = *plan.contraction;
  const auto clear = [&](Value memory, int64_t count, Type element) {
    const int64_t lanes = isa.lanesOf(elementBytes(element)); // no more than there is room for behind the last one
    const auto type = VectorType::get({lanes}, element);
    const Value zero = c.number(cast<TypedAttr>(c.b.getZeroAttr(type)));
    forLoop(c.i64(0), c.i64(count), lanes, {}, [&](Value i, Carried) -> Values {
      LLVM::StoreOp::create(c.b, c.loc, zero, c.address(memory, i, element), elementBytes(element));
      return {};
    });
  };
  clear(scratchAt(dot.lhsOffset), dot.depthBlock, dot.lhsType());
  clear(scratchAt(dot.tileOffset), dot.rowBlock * dot.columnBlock, dot.accumulator());
}

} // namespace cupola::cpu
