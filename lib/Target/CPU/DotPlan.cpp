//===- lib/Target/CPU/DotPlan.cpp - blocks and operands of a contraction ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Code.h"
#include "lib/Target/CPU/KernelPlan.h"

#include <algorithm>

using namespace mlir;
using namespace cupola::kernel;
using cupola::graph::exprsOf;

namespace cupola::cpu {
namespace {

constexpr int64_t kDepthBlock = 512;

/// The foreach ops read the tile at their own variables.
bool isEpilogue(ForeachOp loop, DotOp dot) {
  if (!llvm::equal(loop.getExtents(), ArrayRef(dot.getExtents().getValue()).take_front(2)))
    return false;
  WalkResult result = loop.walk([&](ExtractOp extract) {
    bool isOther = extract.getTile() != dot.getTile() || !isOwnPoint(extract, loop.getBody().getArguments());
    return isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

bool isSupported(FuncOp func, DotOp dot) {
  return llvm::all_of(func.getBody().front(), [&](Operation &op) {
    if (auto loop = dyn_cast<ForeachOp>(op))
      return isEpilogue(loop, dot);
    return &op == dot || (op.getNumRegions() == 0 && !isa<StoreOp>(op));
  });
}

/// A plain load of the tile's type whose neighbours along `var` are neighbours in
/// memory, and whose neighbours along `other` lie in equal distances.
bool isContiguous(Variables &vars, Region &region, const std::string &var, const std::string &other, Type accumulator) {
  LoadOp load = plainOperand(region);
  if (!load || load.getView().getType().getElement() != accumulator)
    return false;
  Expr position = vars.read(load.getPosition(), load.getIndices());
  std::optional<Expr> step = position.coefficient(var);
  return step && step->isConstant(1) && position.coefficient(other);
}

int64_t roundUp(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

/// A multiple of `unit` of about `wanted`, such that blocks of it are about equal.
int64_t blockOf(const Expr &extent, int64_t unit, int64_t wanted) {
  wanted = roundUp(wanted, unit);
  std::optional<int64_t> known = extent.constant();
  if (!known)
    return wanted;
  int64_t blocks = std::max<int64_t>(1, (*known + wanted / 2) / wanted);
  return std::max(unit, roundUp((*known + blocks - 1) / blocks, unit));
}

/// Rows and columns of an iteration: few, so that threads have something to share, but
/// an operand that is copied should serve many rows or columns.
void chooseBlocks(Contraction &c, const CpuArchitecture &isa) {
  bool copies = c.lhs == OperandForm::Copied;
  c.rowBlock = blockOf(c.rows, isa.tileRows, c.rhs == OperandForm::Copied ? 128 : copies ? 64 : 32);
  int64_t columns = !copies && estimate(c.depth) > 768 ? 48 : 96;
  c.columnBlock = blockOf(c.columns, c.panel, columns);
  // Threads share what there is.
  constexpr double kFewBlocks = 8;
  if (estimate(ceilDiv(c.columns, c.columnBlock) * ceilDiv(c.rows, c.rowBlock)) < kFewBlocks)
    c.columnBlock = std::min(c.columnBlock, 2 * c.panel);
}

OperandForm rhsForm(Variables &vars, FuncOp func, const Contraction &c, const CpuArchitecture &isa, Type accumulator) {
  DotOp dot = c.dot;
  LoadOp load = plainOperand(dot.getRhs());
  if (load && func.isPacked(cast<BlockArgument>(load.getView()).getArgNumber()))
    return OperandForm::Packed;
  if (!isContiguous(vars, dot.getRhs(), c.n, c.k, accumulator))
    return OperandForm::Copied;
  // Reading rows far from each other costs more than copying them, unless each is
  // read once or the row is short.
  std::optional<int64_t> rows = bounds(c.rows, vars.ranges()).hi, columns = bounds(c.columns, vars.ranges()).hi;
  bool isReadOnce = rows && *rows <= isa.tileRows;
  return isReadOnce || (columns && *columns <= c.panel) ? OperandForm::Direct : OperandForm::Copied;
}

} // namespace

LoadOp plainOperand(Region &region) {
  mlir::Block &body = region.front();
  auto load = dyn_cast<LoadOp>(body.front());
  if (!load || body.getOperations().size() != 2 || !load.getMask().empty())
    return nullptr;
  return llvm::all_of(load.getIndices(), [](Value index) { return isa<BlockArgument>(index); }) ? load : nullptr;
}

Result<Contraction> planContraction(Variables &vars, FuncOp func, DotOp dot, const CpuArchitecture &isa) {
  if (!isSupported(func, dot))
    return Status::internal("the CPU target has no code for a dot inside of loops or whose "
                            "tile is not read by a foreach over it, in kernel " +
                            func.getSymName().str());
  Type accumulator = dot.getTile().getType().getElement();
  graph::Exprs extents = exprsOf(dot.getExtents());
  Contraction c;
  c.dot = dot;
  DotIndices indices = indicesOf(dot);
  c.m = vars.name(indices.m);
  c.n = vars.name(indices.n);
  c.k = vars.name(indices.k);
  c.rows = extents[0];
  c.columns = extents[1];
  c.depth = extents[2];
  c.panel = isa.tileVectors * isa.lanesOf(elementBytes(accumulator));
  if (isContiguous(vars, dot.getLhs(), c.k, c.m, accumulator))
    c.lhs = OperandForm::Direct;
  else
    c.pieces = DepthPieces::of(vars, dot, dot.getLhs(), kDepthBlock, isa.lanes());
  c.depthBlock = blockOf(c.depth, std::max<int64_t>(c.pieces.size, 1), kDepthBlock);
  c.rhs = rhsForm(vars, func, c, isa, accumulator);
  chooseBlocks(c, isa);
  return c;
}

} // namespace cupola::cpu
