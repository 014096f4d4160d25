//===- lib/Target/CPU/Runs.cpp - rows of a left operand that lie in memory as runs ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Runs.h"
#include "lib/Target/CPU/DepthPieces.h"
#include "lib/Target/CPU/Emitter.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

/// The value that e has at an end of the depth if it is nowhere less: e >= 0 is true of all of the depth where it is
/// there.
static std::optional<Expr> leastOf(const Expr &e, const std::string &depth, int64_t last, const Ranges &ranges) {
  for (int64_t end : {int64_t(0), last}) {
    const Expr there = simplify(e.substitute({{depth, Expr(end)}}), ranges);
    std::optional<int64_t> least = bounds(simplify(e - there, ranges), ranges).lo;
    if (least && *least >= 0)
      return there;
  }
  return std::nullopt;
}

std::optional<Runs> runsOf(Variables &vars, DotOp dot, Type element, int64_t lanes) {
  LoadOp load = onlyLoad(dot.getLhs());
  const std::optional<int64_t> depth = graph::exprsOf(dot.getExtents())[2].constant();
  if (!load || load.getType() != element || !depth || *depth == 0)
    return std::nullopt;
  const std::string k = vars.name(indicesOf(dot).k);
  Ranges ranges = vars.ranges();
  Runs runs;
  for (const Expr &condition : vars.read(load.getMask(), load.getIndices())) {
    std::optional<Expr> least = leastOf(condition, k, *depth - 1, ranges);
    if (!least)
      return std::nullopt;
    runs.inside.push_back(*least);
  }
  const Expr position = vars.read(load.getPosition(), load.getIndices());
  runs.begin = simplify(position.substitute({{k, Expr(0)}}), ranges);
  std::set<int64_t> sizes = depthDivisors(vars, dot, dot.getLhs());
  sizes.insert(*depth);
  for (int64_t size : llvm::reverse(sizes)) {
    if (*depth % size != 0 || size % lanes != 0)
      continue;
    ranges[kPiece] = {Expr(0), Expr(*depth / size - 1)};
    ranges[kPlace] = {Expr(0), Expr(size - 1)};
    const Expr parts =
        simplify(position.substitute({{k, Expr::symbol(kPiece) * size + Expr::symbol(kPlace)}}) - runs.begin, ranges);
    std::optional<Expr> step = parts.coefficient(kPlace), distance = parts.coefficient(kPiece);
    if (!step || !step->isConstant(1) || !distance || !distance->constant())
      continue;
    runs.size = size;
    runs.distance = *distance->constant();
    return runs;
  }
  return std::nullopt;
}

/// A row of the table: where its first run begins, and the distance of runs in elements.
Value Emitter::runsAt(Value row) {
  return c.address(scratchAt(plan.contraction->tableOffset), c.muli(row, c.i64(2)), c.b.getI64Type());
}

/// Elements from where a row's first run begins to a block of the depth.
Value Emitter::runOffset() {
  const Runs &runs = *plan.contraction->runs;
  const Value size = c.i64(runs.size), run = c.binary<arith::DivUIOp>(block.depth, size);
  return c.addi(c.muli(run, c.i64(runs.distance)), c.binary<arith::RemUIOp>(block.depth, size));
}

void Emitter::writeRun(Value row, Value pointer, int64_t distance) {
  LLVM::StoreOp::create(c.b, c.loc, pointer, runsAt(row), 8);
  LLVM::StoreOp::create(c.b, c.loc, c.i64(distance), c.address(runsAt(row), c.i64(1), c.b.getI64Type()), 8);
}

/// Of a block of the depth. Rows that a border meets are copied, run behind run.
void Emitter::findRuns() {
  const Contraction &dot = *plan.contraction;
  const Runs &runs = *dot.runs;
  DotOp op = dot.dot;
  const Type element = dot.lhsType();
  const Value image = buffers.lookup(onlyLoad(op.getLhs()).getView()), offset = runOffset();
  forLoop(c.i64(0), block.rows, 1, {}, [&](Value row, Carried) -> Values {
    variables[dot.m] = c.addi(block.row, row);
    const auto inPlace = [&] {
      const Value begin = address(image, element, runs.begin).pointer;
      writeRun(row, c.address(begin, offset, storageType(element)), runs.distance);
    };
    const Value inside = conjunction(runs.inside).all;
    if (!inside) {
      inPlace();
      return {};
    }
    OpBuilder::InsertionGuard guard(c.b);
    auto branch = scf::IfOp::create(c.b, c.loc, inside, /*withElseRegion=*/true);
    c.b.setInsertionPointToStart(branch.thenBlock());
    inPlace();
    c.b.setInsertionPointToStart(branch.elseBlock());
    const Value target = lhsRowAt(row);
    copyLhsRow(target);
    writeRun(row, target, std::min(runs.size, dot.depthBlock));
    return {};
  });
}

} // namespace cupola::cpu
