//===- lib/Target/CPU/DepthVectors.cpp - products by vectors along the depth ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Few columns leave most of a vector of them empty, and few rows are not worth a copy of what lies along the depth.
// Sums are vectors along the depth then, whose lanes are added at its end.

#include "lib/Target/CPU/DepthKernel.h"
#include "lib/Target/CPU/Emitter.h"

#include <numeric>

using namespace mlir;
using namespace cupola::kernel;
using arith::CmpIPredicate;

namespace cupola::cpu {

/// All of them, and all of the depth, by vectors along it.
void Emitter::multiplyFewColumns(Value panel, Value row, Value tile) {
  const Contraction &dot = *plan.contraction;
  if (dot.lhs == OperandForm::Computed)
    return multiplyComputedRows(panel, row, tile);
  const int64_t lanes = packedUnitOf(dot.dot, isa), depth = *dot.depth.constant();
  const int64_t piece = dot.runs ? dot.runs->size : depth;
  const Operand left = lhsAt(row), right = rhsAt(panel);
  const Value rows = c.subi(block.rows, row);
  chooseSize(rows, tileHeights(dot.rows, dot.tileRows), [&](int64_t height) {
    const DepthKernel shape{dot.accumulator(), static_cast<unsigned>(height),        static_cast<unsigned>(dot.panel),
                            piece / lanes,     static_cast<unsigned>(piece % lanes), dot.runs ? depth / piece : 0};
    LLVM::CallOp::create(c.b, c.loc, depthKernel(c.module, shape, isa),
                         Values{left.pointer, left.stride, rows, right.pointer, tile});
  });
}

/// Rows of which nothing is stored: every vector of one is multiplied by those of all columns.
void Emitter::multiplyComputedRows(Value panel, Value row, Value tile) {
  const Contraction &dot = *plan.contraction;
  DotOp op = dot.dot;
  const Value right = rhsAt(panel).pointer, last = c.subi(block.rows, c.i64(1));
  c.lanes = packedUnitOf(op, isa);
  const auto type = VectorType::get({static_cast<int64_t>(c.lanes)}, dot.accumulator());
  const Value zero = c.number(cast<TypedAttr>(c.b.getZeroAttr(type)));
  const Values sums = vectorLoop(
      dot.k, c.i64(0), index(dot.depth), dot.depth, Values(dot.tileRows * dot.panel, zero), [&](Carried all) {
        const Value first = c.muli(c.binary<arith::DivUIOp>(variables[dot.k], c.i64(c.lanes)), c.i64(dot.panel));
        Values columns, next;
        for (int64_t j = 0; j < dot.panel; ++j) {
          const Value at = c.address(right, c.addi(first, c.i64(j)), type);
          columns.push_back(LLVM::LoadOp::create(c.b, c.loc, type, at, elementBytes(dot.accumulator())));
        }
        for (int64_t i = 0; i < dot.tileRows; ++i) {
          variables[dot.m] = c.addi(block.row, c.minsi(c.addi(row, c.i64(i)), last));
          const Value computed = c.splat(operandByTable(op.getLhs())),
                      left = mask ? c.select(mask, computed, zero) : computed;
          for (int64_t j = 0; j < dot.panel; ++j)
            next.push_back(c.fma(left, columns[j], all[i * dot.panel + j]));
        }
        return next;
      });
  // What it writes behind the tile belongs to the next one, which follows.
  LLVM::StoreOp::create(c.b, c.loc, c.addLanes(sums), tile, elementBytes(dot.accumulator()));
  c.lanes = isa.lanes();
}

/// A copy of it would be turned, which takes longer than a few products of vectors along the depth.
bool Emitter::servesFewRows() {
  const Contraction &dot = *plan.contraction;
  DotOp op = dot.dot;
  const std::optional<int64_t> least = bounds(dot.rows, vars.ranges()).lo, known = dot.rows.constant();
  return dot.rhs == OperandForm::Copied && !dot.isAlongDepth && !dot.blockSize && dot.depthUnit == 1 &&
         dot.lhs != OperandForm::Runs && dot.lhs != OperandForm::Places && dot.accumulator().isF32() &&
         dot.tileRows >= kFewRows && (known ? *known <= kFewRows : !least || *least <= kFewRows) &&
         !plainOperand(op.getRhs()) && liesAlong(vars, op.getRhs(), dot.k, dot.n, c.lanes);
}

/// Some lanes of the sums of a depth block, to what those before it gave.
void Emitter::addToTile(Value sums, int64_t first, int64_t count, Value tile) {
  const Type element = getElementTypeOrSelf(sums.getType());
  const Value sum = c.part(sums, first, count);
  const Value before = LLVM::LoadOp::create(c.b, c.loc, VectorType::get({count}, element), tile, elementBytes(element));
  const Value isFirst = c.cmpi(CmpIPredicate::eq, block.depth, c.i64(0));
  LLVM::StoreOp::create(c.b, c.loc, c.select(isFirst, sum, c.addf(before, sum)), tile, elementBytes(element));
}

/// Over vectors of the depth block, two at a time where these are whole: weights of four bits often are the low and the
/// high bits of the same bytes, with one scale. `body` is told where vectors begin.
Emitter::Values Emitter::depthLoop(ValueRange init, function_ref<Values(Carried, ArrayRef<Value> places)> body) {
  const Contraction &dot = *plan.contraction;
  const int64_t lanes = c.lanes, unit = std::gcd(lanes, dot.depthBlock);
  const Value end = c.addi(block.depth, block.depths);
  if (dot.depthBlock % (2 * lanes) != 0 || !divisible(dot.depth, 2 * lanes, divisors))
    return vectorLoop(
        dot.k, block.depth, end, lengthInParts(dot.depth, dot.depthBlock), init,
        [&](Carried all) { return body(all, variables[dot.k]); }, /*interleave=*/nullptr, unit);
  vectorVar = dot.k;
  vectorUnit = unit;
  const Values all = forLoop(block.depth, end, 2 * lanes, init, [&](Value first, Carried carried) {
    return body(carried, {first, c.addi(first, c.i64(lanes))});
  });
  vectorVar.clear();
  return all;
}

/// As many columns at a time as sums of all rows are lanes.
void Emitter::multiplyFewRows(Value panel, int64_t height) {
  const Contraction &dot = *plan.contraction;
  DotOp op = dot.dot;
  const int64_t lanes = c.lanes, group = lanes / height;
  const Type element = dot.accumulator();
  const Value count = c.minsi(c.i64(dot.panel), c.subi(block.columns, panel)), lastColumn = c.subi(count, c.i64(1));
  const auto type = VectorType::get({lanes}, element);
  const Value zero = c.number(cast<TypedAttr>(c.b.getZeroAttr(type)));
  Values rows;
  for (int64_t i = 0; i < height; ++i)
    rows.push_back(lhsAt(c.minsi(c.i64(i), c.subi(block.rows, c.i64(1)))).pointer);
  forLoop(c.i64(0), count, group, {}, [&](Value column, Carried) -> Values {
    const Values sums = depthLoop(Values(lanes, zero), [&](Carried all, ArrayRef<Value> places) {
      Values next(all);
      SmallVector<Values> left;
      for (Value place : places)
        left.push_back(llvm::map_to_vector(rows, [&](Value row) {
          const Value at = c.address(row, c.subi(place, block.depth), element);
          return load({at, /*contiguous=*/true}, element, {}, {}, /*invariant=*/false);
        }));
      for (int64_t j = 0; j < group; ++j) {
        variables[dot.n] = c.addi(c.addi(block.column, panel), c.minsi(c.addi(column, c.i64(j)), lastColumn));
        for (auto [place, ofRows] : llvm::zip_equal(places, left)) {
          variables[dot.k] = place;
          Value right = c.splat(operandByTable(op.getRhs()));
          if (mask)
            right = c.select(mask, right, zero);
          for (int64_t i = 0; i < height; ++i)
            next[i * group + j] = c.fma(ofRows[i], right, next[i * group + j]);
        }
      }
      return next;
    });
    const Value totals = c.addLanes(sums);
    for (int64_t i = 0; i < height; ++i)
      addToTile(totals, i * group, group, c.address(tileAt(panel, c.i64(i)), column, element));
    return {};
  });
}

} // namespace cupola::cpu
