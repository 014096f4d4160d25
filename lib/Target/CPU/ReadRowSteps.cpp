//===- lib/Target/CPU/ReadRowSteps.cpp - what steps are, whatever their schedule ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/KernelPlan.h"

using namespace mlir;
using namespace cupola::kernel;
using cupola::graph::exprsOf;

namespace cupola::cpu {
namespace {

class Reader {
public:
  Reader(Variables &vars, FuncOp func) : vars(vars), func(func) {}

  Status read() {
    for (Operation &op : func.getBody().front())
      if (auto map = dyn_cast<MapOp>(op)) {
        steps.rows = exprsOf(map.getExtents())[0];
        break;
      }
    CUPOLA_TRY(checkBlock(func.getBody().front()));
    for (auto loop : func.getBody().getOps<ForOp>())
      CUPOLA_TRY(checkBlock(loop.getBody().front()));
    func.walk([&](DotOp dot) { readDot(dot); });
    return {};
  }

  RowSteps steps;

private:
  Status checkBlock(mlir::Block &block) {
    for (Operation &op : block)
      if (!isSupported(op))
        return Status::internal(("the CPU target has no code for such a " + op.getName().getStringRef() +
                                 " among the steps of kernel " + func.getSymName())
                                    .str());
    return {};
  }

  bool isSupported(Operation &op) {
    if (isWorkOfItsOwn(op))
      return op.getBlock() == &func.getBody().front();
    if (isa<MapOp, ForeachOp>(op))
      return isRowLoop(op);
    if (auto dot = dyn_cast<DotOp>(op))
      return isRowDot(dot);
    if (auto loop = dyn_cast<ForOp>(op))
      return op.getBlock() == &func.getBody().front() &&
             llvm::all_of(loop.getInits(), [](Value carried) { return isa<TileType>(carried.getType()); });
    return op.getNumRegions() == 0 && !isa<StoreOp, ExtractOp>(op);
  }

  bool hasRows(ArrayAttr extents) const { return graph::exprOf(extents[0]) == steps.rows; }

  /// Over rows, or rows and columns, of which a vector takes some; a single one needs none.
  bool isRowLoop(Operation &op) {
    ArrayAttr extents = extentsOf(&op);
    mlir::Block &body = op.getRegion(0).front();
    if (extents.empty() || extents.size() > 2 || !hasRows(extents) || !readsOwnRow(op.getRegion(0)))
      return false;
    bool nests = false;
    body.walk([&](Operation *inner) { nests |= isa<MapOp, ForeachOp, DotOp, ForOp>(inner); });
    if (nests || extents.size() == 1)
      return !nests;
    const Expr columns = graph::exprOf(extents[1]);
    return columns.isConstant(1) ||
           (columns.constant() && canVectorise(vars, vars.name(body.getArgument(1)), body, StoredTiles()));
  }

  static bool isRowTile(Value tile) { return cast<TileType>(tile.getType()).getExtents().size() <= 2; }

  bool isRowDot(DotOp dot) {
    graph::Exprs extents = exprsOf(dot.getExtents());
    bool readsTiles = !dot.getRhs().front().getOps<ExtractOp>().empty();
    return hasRows(dot.getExtents()) && extents[1].constant() && extents[2].constant() && !readsTiles &&
           readsOwnRow(dot.getLhs()) && dot.getTile().getType().getElement().isF32();
  }

  /// All tiles are read in the row of the region's first argument.
  static bool readsOwnRow(Region &region) {
    return !region
                .walk([&](ExtractOp extract) {
                  bool isOwn = bareIndex(extract, 0) == region.getArgument(0) && isRowTile(extract.getTile());
                  return isOwn ? WalkResult::advance() : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  /// The region is nothing but the element of a tile at its own point.
  static Value wholeTile(Region &region) {
    auto extract = dyn_cast<ExtractOp>(region.front().front());
    bool isAll = extract && region.front().getOperations().size() == 2 && isOwnPoint(extract, region.getArguments());
    return isAll ? extract.getTile() : Value();
  }

  /// It reads nothing of a step.
  bool isFixed(Region &region) {
    bool fixed = true;
    region.walk([&](Operation *op) {
      fixed &= !isa<ExtractOp>(op);
      for (Value operand : op->getOperands())
        fixed &= region.isAncestor(operand.getParentRegion()) || operand.getParentRegion() == &func.getBody();
    });
    return fixed;
  }

  bool isAlongDepth(const RowDot &read) {
    DotOp dot = read.dot;
    bool found = false;
    dot.getRhs().walk([&](LoadOp load) {
      std::optional<Expr> step = vars.read(load.getPosition(), load.getIndices()).coefficient(read.k);
      found |= step && step->isConstant(1) && read.depth > 1;
    });
    return found;
  }

  void readDot(DotOp dot) {
    RowDot read;
    DotIndices indices = indicesOf(dot);
    read.dot = dot;
    read.m = vars.name(indices.m);
    read.n = vars.name(indices.n);
    read.k = vars.name(indices.k);
    graph::Exprs extents = exprsOf(dot.getExtents());
    read.columns = *extents[1].constant();
    read.depth = *extents[2].constant();
    read.lhsTile = wholeTile(dot.getLhs());
    read.lhsIsFixed = isFixed(dot.getLhs());
    read.isAlongDepth = isAlongDepth(read);
    steps.dots[dot] = read;
  }

  Variables &vars;
  FuncOp func;
};

/// The right operand may be read where it lies.
bool isRhsReadable(Variables &vars, const RowSteps &steps, RowDot &dot) {
  if (dot.isAlongDepth)
    return !dot.dot.getInit();
  LoadOp load = onlyLoad(dot.dot.getRhs());
  if (!load || load.getView().getType().getElement() != dot.element())
    return false;
  for (const Expr &condition : vars.read(load.getMask(), load.getIndices()))
    if (!steps.live || !steps.live->conditions.count(dot.k) || condition != steps.live->conditions.at(dot.k))
      return false;
  Expr position = vars.read(load.getPosition(), load.getIndices());
  std::optional<Expr> step = position.coefficient(dot.n);
  return step && step->isConstant(1) && position.coefficient(dot.k);
}

/// Vectors of the right operand's columns may be computed for each row: what several parts make up, as a cache and its
/// new rows.
bool isRhsComputable(Variables &vars, RowDot &dot, int64_t lanes) {
  constexpr int64_t sums = 8; // that stay in registers beside the operands
  if (dot.isAlongDepth || dot.columns % lanes != 0 || dot.columns > sums * lanes)
    return false;
  bool isContiguous = true;
  dot.dot.getRhs().walk([&](LoadOp load) {
    std::optional<Expr> step = vars.read(load.getPosition(), load.getIndices()).coefficient(dot.n);
    isContiguous &= step && step->isConstant(1);
  });
  return isContiguous;
}

} // namespace

ForOp stepsOf(FuncOp func) {
  auto loops = func.getBody().getOps<ForOp>();
  return loops.empty() ? ForOp() : *loops.begin();
}

bool isWorkOfItsOwn(Operation &op) {
  auto loop = dyn_cast<ForeachOp>(op);
  return loop && !loop.walk([](ExtractOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool reducesFirst(MapOp map) {
  bool isOwn = map.getExtents().size() == 1;
  for (Operation &op : map.getBody().front()) {
    isOwn &= op.getNumRegions() == 0 || isa<kernel::ReduceOp>(op);
    for (Region &region : op.getRegions())
      region.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          isOwn &= region.isAncestor(operand.getParentRegion()) || isa<BlockArgument>(operand) ||
                   operand.getParentRegion() != &map.getBody();
      });
  }
  return isOwn;
}

LoadOp onlyLoad(Region &region) {
  auto load = region.front().getTerminator()->getOperand(0).getDefiningOp<LoadOp>();
  bool isAll = load && llvm::all_of(region.front(),
                                    [&](Operation &op) { return &op == load || isa<kernel::ConstantOp, YieldOp>(op); });
  return isAll ? load : LoadOp();
}

Result<RowSteps> readSteps(Variables &vars, FuncOp func, int64_t lanes) {
  Reader reader(vars, func);
  CUPOLA_TRY(reader.read());
  RowSteps &steps = reader.steps;
  steps.live = findLiveColumns(vars, steps, lanes);
  for (auto &[op, dot] : steps.dots) {
    dot.isReadable = isRhsReadable(vars, steps, dot);
    dot.isComputable = isRhsComputable(vars, dot, lanes);
  }
  return std::move(steps);
}

} // namespace cupola::cpu
