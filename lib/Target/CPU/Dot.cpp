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
  if (dot.lhs == OperandForm::Places)
    clearPlaces();
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
  else if (dot.lhs == OperandForm::Places)
    findPlaces();
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
  const bool alongRows = dot.resultRows.has_value();
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
  call.run = dot.runs ? std::min(dot.runs->size, dot.depthBlock) : dot.lhs == OperandForm::Places ? dot.depthBlock : 0;
  call.tile = tile;
  const bool hasPlaces = dot.lhs == OperandForm::Places;
  call.accumulate =
      hasPlaces ? c.i64(1)
                : c.convert<arith::ExtUIOp>(c.cmpi(CmpIPredicate::sgt, block.depth, c.i64(0)), c.b.getI64Type());
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
  if (!hasPlaces)
    return callMicroKernel(call, dot.rows, dot.columns);
  const Value flag = LLVM::LoadOp::create(c.b, c.loc, c.b.getI64Type(), placeFlagAt(row), 8);
  scf::IfOp::create(c.b, c.loc, c.cmpi(CmpIPredicate::ne, flag, c.i64(0)), [&](OpBuilder &b, Location loc) {
    callMicroKernel(call, dot.rows, dot.columns);
    scf::YieldOp::create(b, loc);
  });
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
                        call.run,
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

/// Of so many rows of a panel.
void Emitter::emitEpilogue(Value panel, Value row, int64_t rows, bool alongRows) {
  const Contraction &dot = *plan.contraction;
  DotOp op = dot.dot;
  const Value firstRow = c.addi(block.row, row), firstColumn = c.addi(block.column, panel);
  const Value endRow = c.addi(block.row, c.minsi(block.rows, c.addi(row, c.i64(rows))));
  const Value endColumn = c.addi(block.column, c.minsi(block.columns, c.addi(panel, c.i64(dot.panel))));
  variables["window_row"] = firstRow;
  variables["window_column"] = firstColumn;
  if (alongRows && dot.turnedOffset)
    window = {op.getTile(), turnResults(panel), 1, dot.turnedPitch(isa.lanes())};
  else
    window = {op.getTile(), tileAt(panel, row), dot.panel, 1};
  if (!alongRows)
    return forEachResult([&](mlir::Block &body, const std::string &m, const std::string &n) {
      vectorLoop(n, firstColumn, endColumn, lengthInParts(dot.columns, dot.panel), {}, [&](Carried) {
        return scalarLoop(m, firstRow, endRow, {}, [&](Carried) {
          emitBlock(body);
          return Values();
        });
      });
    });
  forResultRows(firstRow, endRow, [&](Value first, Value end, StringRef place) {
    forEachResult([&](mlir::Block &body, const std::string &m, const std::string &n) {
      const std::string var = place.empty() ? m : place.str();
      scalarLoop(n, firstColumn, endColumn, {}, [&](Carried) {
        return vectorLoop(var, first, end, lengthInParts(*dot.resultRows, dot.rowBlock), {}, [&](Carried) {
          emitBlock(body);
          return Values();
        });
      });
    });
  });
}

/// Squares of a panel's results change rows and columns, which takes less than gathering lanes from rows. Rows that do
/// not exist have something in them, too.
Value Emitter::turnResults(Value panel) {
  const Contraction &dot = *plan.contraction;
  const Type bits = c.b.getI32Type(), vector = VectorType::get({static_cast<int64_t>(c.lanes)}, bits);
  const Value from = tileAt(panel, c.i64(0)), to = scratchAt(*dot.turnedOffset);
  const Value columns = c.minsi(c.i64(dot.panel), c.subi(block.columns, panel));
  forLoop(c.i64(0), block.rows, c.lanes, {}, [&](Value row, Carried) -> Values {
    forLoop(c.i64(0), columns, c.lanes, {}, [&](Value column, Carried) -> Values {
      Values square;
      for (unsigned i = 0; i < c.lanes; ++i) {
        const Value at = c.addi(c.muli(c.addi(row, c.i64(i)), c.i64(dot.panel)), column);
        square.push_back(LLVM::LoadOp::create(c.b, c.loc, vector, c.address(from, at, bits), 4));
      }
      c.transpose(square);
      for (auto [i, values] : llvm::enumerate(square)) {
        const Value at = c.addi(c.muli(c.addi(column, c.i64(i)), c.i64(dot.turnedPitch(c.lanes))), row);
        LLVM::StoreOp::create(c.b, c.loc, values, c.address(to, at, bits), 4);
      }
      return {};
    });
    return {};
  });
  return to;
}

/// Calls `body` with each loop over results that follows the product, and the names of its row and column.
void Emitter::forEachResult(function_ref<void(mlir::Block &, const std::string &, const std::string &)> body) {
  for (auto loop : func.getBody().getOps<ForeachOp>()) {
    const std::vector<std::string> names = vars.names(loop.getBody().getArguments());
    body(loop.getBody().front(), names[0], names[1]);
  }
}

/// The rows [first, end) in parts whose results are neighbours. `place`: of the variable that runs over them; empty:
/// the row itself.
void Emitter::forResultRows(Value first, Value end, function_ref<void(Value, Value, StringRef place)> body) {
  const Contraction &dot = *plan.contraction;
  if (*dot.resultRows == dot.rows)
    return body(first, end, "");
  const Value size = index(*dot.resultRows);
  const Value firstPiece = c.binary<arith::DivUIOp>(first, size),
              lastPiece = c.binary<arith::DivUIOp>(c.subi(end, c.i64(1)), size);
  forLoop(firstPiece, c.addi(lastPiece, c.i64(1)), 1, {}, [&](Value piece, Carried) -> Values {
    variables[kRowPiece] = piece;
    const Value start = c.muli(piece, size);
    const Aliases outer = aliases;
    forEachResult([&](mlir::Block &, const std::string &m, const std::string &) {
      aliases.merge(piecesOfRow(m, *dot.resultRows));
    });
    live[kRowPlace] = {Expr(0), *dot.resultRows};
    body(c.maxsi(c.subi(first, start), c.i64(0)), c.minsi(c.subi(end, start), size), kRowPlace);
    live.erase(kRowPlace);
    aliases = outer;
    return {};
  });
}

} // namespace cupola::cpu
