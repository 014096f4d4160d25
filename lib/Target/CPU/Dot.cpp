//===- lib/Target/CPU/Dot.cpp - contractions ---===//
// SPDX-License-Identifier: Apache-2.0
//
// An iteration computes a block of rows and columns: for each block of k it copies
// what cannot be read in place, then runs the micro-kernel tile by tile; after the
// last block of k the epilogue runs on each tile while it is in the first cache, or,
// where results lie along the rows, on all tiles of a panel, which are long enough.
// Sums run along k in one order, whatever the block.

#include "lib/Target/CPU/Access.h"
#include "lib/Target/CPU/Emitter.h"
#include "lib/Target/CPU/MicroKernel.h"

using namespace mlir;
using namespace cupola::kernel;
using arith::CmpIPredicate;

namespace cupola::cpu {

void Emitter::emitContraction(ArrayRef<Value> iteration) {
  const Contraction &dot = *plan.contraction;
  for (auto [index, value] : llvm::zip(func.getPoint(), iteration))
    variables[vars.name(index)] = value;
  for (Operation &op : func.getBody().front())
    if (op.getNumRegions() == 0)
      emitOp(&op);
  block.column = c.muli(iteration[iteration.size() - 2], c.i64(dot.columnBlock));
  block.columns = c.minsi(c.i64(dot.columnBlock), c.subi(index(dot.columns), block.column));
  block.row = c.muli(iteration.back(), c.i64(dot.rowBlock));
  block.rows = c.minsi(c.i64(dot.rowBlock), c.subi(index(dot.rows), block.row));
  Value depth = index(dot.depth);
  // Without any k the sums are 0, so one block always runs.
  Value end = c.maxsi(depth, c.i64(1));
  forLoop(c.i64(0), end, dot.depthBlock, {}, [&](Value first, Carried) -> Values {
    block.depth = first;
    block.depths = c.minsi(c.i64(dot.depthBlock), c.subi(depth, first));
    emitDepthBlock();
    return {};
  });
}

void Emitter::emitDepthBlock() {
  const Contraction &dot = *plan.contraction;
  if (dot.lhs == OperandForm::Copied)
    copyLhs();
  else if (dot.lhs == OperandForm::Runs)
    findRuns();
  if (!servesFewRows())
    return emitTiles();
  const Value areFew = c.cmpi(CmpIPredicate::sle, block.rows, c.i64(kFewRows));
  OpBuilder::InsertionGuard guard(c.b);
  auto branch = scf::IfOp::create(c.b, c.loc, areFew, /*withElseRegion=*/true);
  c.b.setInsertionPointToStart(branch.thenBlock());
  chooseSize(block.rows, {1, 2, kFewRows}, [&](int64_t height) {
    forLoop(c.i64(0), block.columns, dot.panel, {}, [&](Value panel, Carried) -> Values {
      multiplyFewRows(panel, height);
      behindDepth([&] { emitEpilogue(panel, c.i64(0), dot.tileRows, /*alongRows=*/false); });
      return {};
    });
  });
  c.b.setInsertionPointToStart(branch.elseBlock());
  emitTiles();
}

void Emitter::emitTiles() {
  const Contraction &dot = *plan.contraction;
  const bool alongRows = liesAlongRows();
  if (dot.rhs == OperandForm::Copied)
    copyRhs();
  if (dot.blockSize)
    copyBlockParts();
  forLoop(c.i64(0), block.columns, dot.panel, {}, [&](Value panel, Carried) -> Values {
    forLoop(c.i64(0), block.rows, dot.tileRows, {}, [&](Value row, Carried) -> Values {
      multiplyTile(panel, row, tileAt(panel, row));
      if (!alongRows)
        behindDepth([&] { emitEpilogue(panel, row, dot.tileRows, /*alongRows=*/false); });
      return {};
    });
    if (alongRows)
      behindDepth([&] { emitEpilogue(panel, c.i64(0), dot.rowBlock, /*alongRows=*/true); });
    return {};
  });
}

/// What follows the last block of k.
void Emitter::behindDepth(function_ref<void()> body) {
  const Contraction &dot = *plan.contraction;
  std::optional<int64_t> depth = dot.depth.constant();
  if (depth && *depth <= dot.depthBlock)
    return body();
  Value done = c.addi(block.depth, block.depths);
  Value isLast = c.cmpi(CmpIPredicate::sge, done, index(dot.depth));
  scf::IfOp::create(c.b, c.loc, isLast, [&](OpBuilder &b, Location loc) {
    body();
    scf::YieldOp::create(b, loc);
  });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// A panel's tiles, one below the other, are rows of its width.
Value Emitter::tileAt(Value panel, Value row) {
  const Contraction &dot = *plan.contraction;
  Value offset = c.addi(c.muli(panel, c.i64(dot.rowBlock)), c.muli(row, c.i64(dot.panel)));
  return c.address(scratchAt(dot.tileOffset), offset, valueType(dot.accumulator()));
}

/// The numbers of rows that tiles have, ascending: a whole tile's, and for what is left
/// at the end half of it or one.
SmallVector<int64_t> Emitter::tileHeights(const Expr &rows, int64_t whole) const {
  if (divisible(rows, whole, divisors))
    return {whole};
  std::optional<int64_t> known = rows.constant();
  if (!known)
    return {1, whole / 2, whole};
  int64_t rest = *known % whole, height = rest == 1 ? 1 : rest <= whole / 2 ? whole / 2 : whole;
  return height == whole || *known < whole ? SmallVector<int64_t>{height} : SmallVector<int64_t>{height, whole};
}

/// Runs `body` with the smallest of `sizes` (ascending) that is at least `value`, or with
/// the last.
void Emitter::chooseSize(Value value, ArrayRef<int64_t> sizes, function_ref<void(int64_t)> body) {
  if (sizes.size() == 1)
    return body(sizes[0]);
  Value fits = c.cmpi(CmpIPredicate::sle, value, c.i64(sizes[0]));
  OpBuilder::InsertionGuard guard(c.b);
  auto branch = scf::IfOp::create(c.b, c.loc, fits, /*withElseRegion=*/true);
  c.b.setInsertionPointToStart(branch.thenBlock());
  body(sizes[0]);
  c.b.setInsertionPointToStart(branch.elseBlock());
  chooseSize(value, sizes.drop_front(), body);
}

void Emitter::multiplyTile(Value panel, Value row, Value tile) {
  const Contraction &dot = *plan.contraction;
  if (dot.isAlongDepth)
    return multiplyFewColumns(panel, row, tile);
  DotOp op = dot.dot;
  Type element = op.getTile().getType().getElement();
  MicroCall call;
  call.element = dot.sumType();
  call.left = lhsAt(row);
  call.right = rhsAt(panel);
  call.columns = c.minsi(c.i64(dot.panel), c.subi(block.columns, panel));
  call.rows = c.subi(block.rows, row);
  call.depth = unitsOf(block.depths);
  call.unit = dot.depthUnit;
  call.tile = tile;
  call.accumulate = c.convert<arith::ExtUIOp>(c.cmpi(CmpIPredicate::sgt, block.depth, c.i64(0)), c.b.getI64Type());
  // The rows share the block that follows in the packed operand: a line each per step.
  call.prefetches = dot.rhs == OperandForm::Packed;
  call.ahead = call.right.pointer;
  call.nibbles = dot.areNibbles;
  if (call.prefetches) {
    const Value steps = dot.areNibbles ? c.binary<arith::DivUIOp>(call.depth, c.i64(2)) : call.depth;
    Value lines = c.muli(steps, c.binary<arith::DivUIOp>(row, c.i64(dot.tileRows)));
    call.ahead = c.address(call.right.pointer, c.muli(steps, call.right.stride), element);
    call.ahead = c.address(call.ahead, c.muli(lines, c.i64(64)), c.b.getI8Type());
  }
  call.isDirect = dot.rhs == OperandForm::Direct;
  call.panel = call.tileStride = dot.panel;
  call.tileRows = dot.tileRows;
  if (dot.blockSize)
    addBlocks(call, panel, row);
  callMicroKernel(call, dot.rows, dot.columns);
}

/// Depths that a micro-kernel is made for: their loop is unrolled.
static constexpr int64_t kShortDepth = 128;

/// The word that the runtime writes; objects of one image share it.
static LLVM::GlobalOp extensionsWord(ModuleOp module) {
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(kCpuExtensionsSymbol))
    return known;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::GlobalOp::create(b, module.getLoc(), b.getI32Type(), /*isConstant=*/false, LLVM::Linkage::WeakODR,
                                kCpuExtensionsSymbol, b.getI32IntegerAttr(0));
}

Value Emitter::ifExtended(LLVM::LLVMFuncOp with, LLVM::LLVMFuncOp without) {
  Value word = LLVM::AddressOfOp::create(c.b, c.loc, extensionsWord(c.module));
  Value bits = LLVM::LoadOp::create(c.b, c.loc, c.b.getI32Type(), word, 4);
  Value has = c.cmpi(CmpIPredicate::ne, c.andi(bits, c.integer(isa.dots.bit, bits)), c.integer(0, bits));
  return c.select(has, LLVM::AddressOfOp::create(c.b, c.loc, with), LLVM::AddressOfOp::create(c.b, c.loc, without));
}

/// The smallest micro-kernel that covers the panel's columns and the tile's rows.
void Emitter::callMicroKernel(const MicroCall &call, const Expr &allRows, const Expr &allColumns) {
  const int64_t lanes = isa.lanesOf(elementBytes(call.element));
  SmallVector<int64_t> widths{call.panel};
  for (int64_t vectors = call.panel / lanes; --vectors > 0 && !divisible(allColumns, call.panel, divisors);)
    widths.insert(widths.begin(), vectors * lanes);
  const bool masked = call.isDirect && !divisible(allColumns, lanes, divisors);
  const int64_t known = getConstantIntValue(call.depth).value_or(0), depth = known <= kShortDepth ? known : 0;
  chooseSize(call.rows, tileHeights(allRows, call.tileRows), [&](int64_t height) {
    chooseSize(call.columns, widths, [&](int64_t width) {
      MicroKernel shape{call.element,
                        static_cast<unsigned>(height),
                        static_cast<unsigned>(width / lanes),
                        masked,
                        call.prefetches,
                        call.tileStride,
                        depth,
                        call.unit,
                        call.block,
                        call.nibbles};
      const LLVM::LLVMFuncOp function = microKernel(c.module, shape, isa);
      Values arguments{call.left.pointer, call.left.stride, call.rows,       call.right.pointer, call.right.stride,
                       call.depth,        call.tile,        call.accumulate, call.columns,       call.ahead};
      if (call.block)
        arguments.append({call.starts.pointer, call.columnScales, call.rowScales.pointer, call.rowScales.stride});
      if (call.unit == 1) {
        LLVM::CallOp::create(c.b, c.loc, function, arguments);
        return;
      }
      shape.extended = true;
      arguments.insert(arguments.begin(), ifExtended(microKernel(c.module, shape, isa), function));
      LLVM::CallOp::create(c.b, c.loc, LLVM::LLVMFuncOp(function).getFunctionType(), arguments);
    });
  });
}

/// Whether all that follows the product is best done with lanes along the rows, as where channels become planes of an
/// image: gathering from tiles in the first cache takes less than scattering to memory.
bool Emitter::liesAlongRows() {
  return llvm::all_of(func.getBody().getOps<ForeachOp>(), [&](ForeachOp loop) {
    return chooseVector(vars, vars.names(loop.getBody().getArguments()), graph::exprsOf(loop.getExtents()),
                        loop.getBody().front(), plan.tiles, isa.lanes()) == 0u;
  });
}

/// Of so many rows of a panel.
void Emitter::emitEpilogue(Value panel, Value row, int64_t rows, bool alongRows) {
  const Contraction &dot = *plan.contraction;
  DotOp op = dot.dot;
  Value firstRow = c.addi(block.row, row), firstColumn = c.addi(block.column, panel);
  Value endRow = c.addi(block.row, c.minsi(block.rows, c.addi(row, c.i64(rows))));
  Value endColumn = c.addi(block.column, c.minsi(block.columns, c.addi(panel, c.i64(dot.panel))));
  variables["window_row"] = firstRow;
  variables["window_column"] = firstColumn;
  window = {op.getTile(), tileAt(panel, row), dot.panel};
  for (auto loop : func.getBody().getOps<ForeachOp>()) {
    const std::vector<std::string> names = vars.names(loop.getBody().getArguments());
    const std::string &serial = names[alongRows ? 1 : 0];
    auto inside = [&](Value at) {
      variables[serial] = at;
      emitBlock(loop.getBody().front());
      return Values();
    };
    if (alongRows)
      forLoop(firstColumn, endColumn, 1, {}, [&](Value n, Carried) {
        return vectorLoop(names[0], firstRow, endRow, lengthInParts(dot.rows, dot.rowBlock), {},
                          [&](Carried) { return inside(n); });
      });
    else
      vectorLoop(names[1], firstColumn, endColumn, lengthInParts(dot.columns, dot.panel), {}, [&](Carried) {
        return forLoop(firstRow, endRow, 1, {}, [&](Value m, Carried) { return inside(m); });
      });
  }
}

} // namespace cupola::cpu
