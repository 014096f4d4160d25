//===- lib/Target/CPU/DotPlan.cpp - a contraction as its schedule says ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Code.h"
#include "lib/Target/CPU/KernelPlan.h"

using namespace mlir;
using namespace cupola::kernel;
using cupola::graph::exprsOf;

namespace cupola::cpu {
namespace {

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

/// A plain load of this type, whose neighbours along `var` are neighbours in memory, and
/// whose neighbours along `other` lie in equal distances.
bool isContiguous(Variables &vars, Region &region, const std::string &var, const std::string &other, Type element) {
  LoadOp load = plainOperand(region);
  if (!load || load.getView().getType().getElement() != element)
    return false;
  Expr position = vars.read(load.getPosition(), load.getIndices());
  std::optional<Expr> step = position.coefficient(var);
  return step && step->isConstant(1) && position.coefficient(other);
}

/// Blocks are whole tiles of the micro-kernel, and operands lie as the schedule says.
bool suits(ContractionAttr schedule, Variables &vars, FuncOp func, Contraction &c, const CpuArchitecture &isa) {
  return schedule.getRows() % isa.tileRows == 0 && schedule.getPanel() == panelWidth(c.accumulator(), isa) &&
         (schedule.getLhs() != OperandForm::Direct || c.isLhsContiguous(vars)) &&
         (schedule.getRhs() != OperandForm::Direct || c.isRhsContiguous(vars)) &&
         (schedule.getRhs() == OperandForm::Packed) == c.isPacked(func);
}

} // namespace

LoadOp plainOperand(Region &region) {
  mlir::Block &body = region.front();
  auto load = dyn_cast<LoadOp>(body.front());
  if (!load || body.getOperations().size() != 2 || !load.getMask().empty())
    return nullptr;
  return llvm::all_of(load.getIndices(), [](Value index) { return isa<BlockArgument>(index); }) ? load : nullptr;
}

DotOp dotOf(FuncOp func) {
  DotOp dot;
  func.walk([&](DotOp op) { dot = op; });
  return dot;
}

int64_t panelWidth(Type accumulator, const CpuArchitecture &isa) {
  return isa.tileVectors * isa.lanesOf(elementBytes(accumulator));
}

bool Contraction::isLhsContiguous(Variables &vars) { return isContiguous(vars, dot.getLhs(), k, m, accumulator()); }
bool Contraction::isRhsContiguous(Variables &vars) { return isContiguous(vars, dot.getRhs(), n, k, accumulator()); }

bool Contraction::isPacked(FuncOp func) {
  LoadOp load = plainOperand(dot.getRhs());
  return load && func.isPacked(cast<BlockArgument>(load.getView()).getArgNumber());
}

Result<Contraction> readContraction(Variables &vars, FuncOp func) {
  DotOp dot = dotOf(func);
  if (!isSupported(func, dot))
    return Status::internal("the CPU target has no code for a dot inside of loops or whose "
                            "tile is not read by a foreach over it, in kernel " +
                            func.getSymName().str());
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
  return c;
}

Result<Contraction> planContraction(Variables &vars, FuncOp func, ContractionAttr schedule,
                                    const CpuArchitecture &isa) {
  Result<Contraction> read = readContraction(vars, func);
  CUPOLA_TRY(read.status());
  Contraction &c = *read;
  std::optional<DepthPieces> pieces = DepthPieces::ofSize(vars, c.dot, c.dot.getLhs(), schedule.getPiece());
  if (!pieces || !suits(schedule, vars, func, c, isa))
    return doesNotSuit(func, isa);
  c.lhs = schedule.getLhs();
  c.rhs = schedule.getRhs();
  c.rowBlock = schedule.getRows();
  c.columnBlock = schedule.getColumns();
  c.depthBlock = schedule.getDepth();
  c.panel = schedule.getPanel();
  c.pieces = *pieces;
  return read;
}

} // namespace cupola::cpu
