//===- lib/Target/CPU/ReadContraction.cpp - what a contraction is, whatever its schedule ---===//
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

} // namespace

bool isContiguous(Variables &vars, Region &region, const std::string &var, const std::string &other, Type element) {
  LoadOp load = plainOperand(region);
  if (!load || load.getView().getType().getElement() != element)
    return false;
  Expr position = vars.read(load.getPosition(), load.getIndices());
  std::optional<Expr> step = position.coefficient(var);
  return step && step->isConstant(1) && position.coefficient(other);
}

bool liesAlong(Variables &vars, Region &operand, const std::string &var, const std::string &other, int64_t lanes) {
  bool some = false, all = true;
  operand.walk([&](LoadOp load) {
    const Expr position = vars.read(load.getPosition(), load.getIndices());
    const std::optional<Expr> step = stepWithin(position, var, lanes, vars.ranges()),
                              across = position.coefficient(other);
    some |= position.uses(var);
    all &= across && !across->isConstant(1) &&
           (step ? step->isConstant(0) || step->isConstant(1) : repeatsOf(position, var, vars.ranges()) > 1);
  });
  return some && all;
}

LoadOp plainOperand(Region &region) {
  mlir::Block &body = region.front();
  auto load = dyn_cast<LoadOp>(body.front());
  if (!load || body.getOperations().size() != 2 || !load.getMask().empty())
    return nullptr;
  const auto isKnown = [&](Value index) { // a loop's or the grid's, or what chooses a matrix
    return isa<BlockArgument>(index) || !region.isAncestor(index.getParentRegion());
  };
  return llvm::all_of(load.getIndices(), isKnown) ? load : nullptr;
}

DotOp dotOf(FuncOp func) {
  DotOp dot;
  func.walk([&](DotOp op) { dot = op; });
  return dot;
}

Type yieldedBy(Region &region) { return region.front().getTerminator()->getOperand(0).getType(); }

Type sumTypeOf(DotOp dot) { return dot.getBlock() ? yieldedBy(dot.getStart()) : dot.getTile().getType().getElement(); }

int64_t depthUnitOf(DotOp dot) {
  const Type left = yieldedBy(dot.getLhs()), right = yieldedBy(dot.getRhs());
  const Type sums = sumTypeOf(dot);
  if (dot.getBlock())
    return *dot.getBlock() % 4 == 0 && right.isUnsignedInteger(8) ? 4 : 1;
  if (left == sums || left.isSignlessInteger(8) || graph::productOf(left, right) != sums)
    return 1;
  return left == right ? 2 : 4;
}

Type operandType(Region &region) {
  auto dot = cast<DotOp>(region.getParentOp());
  return depthUnitOf(dot) == 1 ? sumTypeOf(dot) : yieldedBy(region);
}

Type Contraction::lhsType() const { return operandType(dot->getRegion(0)); }
Type Contraction::rhsType() const { return operandType(dot->getRegion(1)); }
Type Contraction::sumType() const { return sumTypeOf(dot); }

static int64_t lanesOf(DotOp dot, const CpuArchitecture &isa) {
  return isa.lanesOf(elementBytes(dot.getTile().getType().getElement()));
}

/// A sum of lanes costs about four instructions.
bool hasFewColumns(DotOp dot, const Expr &of, const CpuArchitecture &isa) {
  const int64_t lanes = lanesOf(dot, isa);
  const std::optional<int64_t> columns = of.constant(), depth = exprsOf(dot.getExtents())[2].constant();
  if (!columns || !depth || dot.getBlock() || depthUnitOf(dot) != 1 ||
      !mlir::isa<FloatType>(dot.getTile().getType().getElement()))
    return false;
  return *columns > 0 && 2 * *columns <= lanes && *columns * ((*depth + lanes - 1) / lanes + 4) < *depth;
}

/// Of a tile: each has its place in a register for addresses.
static constexpr int64_t mostTileRows = 8;

PanelShape panelOf(DotOp dot, const CpuArchitecture &isa) {
  const int64_t lanes = lanesOf(dot, isa), usual = isa.tileVectors * lanes, wide = isa.wideVectors * lanes;
  const Expr extent = exprsOf(dot.getExtents())[1];
  const std::optional<int64_t> columns = extent.constant();
  if (hasFewColumns(dot, extent, isa))
    return {*columns, static_cast<int64_t>(llvm::bit_floor<uint64_t>(lanes / *columns)), /*alongDepth=*/true};
  const bool isWide = wide != 0 && !dot.getBlock() && columns && *columns % usual != 0 && *columns % wide == 0;
  const bool isNarrow = !dot.getBlock() && columns && *columns > 0 && *columns < usual;
  const int64_t panel = isNarrow ? static_cast<int64_t>(llvm::alignTo(*columns, lanes)) : isWide ? wide : usual;
  const int64_t rows = isa.tileRows * isa.tileVectors / (panel / lanes);
  return {panel, std::min(rows, mostTileRows), /*alongDepth=*/false};
}

int64_t packedUnitOf(DotOp dot, const CpuArchitecture &isa) {
  return panelOf(dot, isa).alongDepth ? lanesOf(dot, isa) : depthUnitOf(dot);
}

/// How the parameter is packed that a region of a dot is nothing but a load of; null: it is none.
static PackedAttr packedPart(FuncOp func, Region &region) {
  LoadOp load = plainOperand(region);
  return load ? func.getPackedOperand(cast<BlockArgument>(load.getView()).getArgNumber()) : PackedAttr();
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
  c.depthUnit = depthUnitOf(dot);
  if (dot.getBlock()) {
    c.blockSize = static_cast<int64_t>(*dot.getBlock());
    c.b = vars.name(indices.b);
    c.areScalesPacked = static_cast<bool>(packedPart(func, dot.getRhsScale()));
  }
  c.isLhsContiguous = isContiguous(vars, dot.getLhs(), c.k, c.m, c.lhsType()) &&
                      divisible(c.depth, c.depthUnit, scalarDivisors(func.getScalars()));
  c.isRhsContiguous = c.depthUnit == 1 && isContiguous(vars, dot.getRhs(), c.n, c.k, c.rhsType());
  const PackedAttr packed = packedPart(func, dot.getRhs());
  c.isPacked = static_cast<bool>(packed);
  c.areNibbles = packed && packed.getNibbles();
  return c;
}

} // namespace cupola::cpu
