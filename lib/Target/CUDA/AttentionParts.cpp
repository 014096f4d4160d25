//===- lib/Target/CUDA/AttentionParts.cpp - kernels of two products with steps over keys ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/AttentionParts.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {

static bool hasRowsFirst(Operation &op, const Expr &rows) {
  ArrayAttr extents = extentsOf(&op);
  return extents && !extents.empty() && extents.size() <= 3 && graph::exprOf(extents[0]) == rows &&
         llvm::all_of(extents.getValue().drop_front(), [](Attribute e) { return graph::exprOf(e).constant(); });
}

/// The value is an element of a tile at the operand's own point, cast or not.
static ExtractOp extractOf(Region &operand) {
  Value value = operand.front().getTerminator()->getOperand(0);
  if (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  auto extract = value.getDefiningOp<ExtractOp>();
  return extract && isOwnPoint(extract, operand.getArguments()) ? extract : ExtractOp();
}

bool readsTiles(Region &body) {
  return body.walk([](ExtractOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool loadsScores(const AttentionParts &parts) {
  return llvm::any_of(ForOp(parts.steps).getBody().getOps<MapOp>(), [](MapOp map) {
    return map.walk([](LoadOp) { return WalkResult::interrupt(); }).wasInterrupted();
  });
}

/// Nothing but loops over rows, and over rows and columns, and what makes their elements; and the steps, if they are in
/// it, with loops that have nothing to do with tiles.
static bool isRowProgram(Block &block, const Expr &rows, Operation *steps = nullptr) {
  return llvm::all_of(block, [&](Operation &op) {
    if (auto each = dyn_cast<ForeachOp>(op); each && !readsTiles(each.getBody()))
      return steps && !each.getExtents().empty();
    if (isa<MapOp, ForeachOp, DotOp>(op))
      return hasRowsFirst(op, rows);
    return &op == steps || op.getNumRegions() == 0;
  });
}

std::optional<AttentionParts> attentionParts(FuncOp func) {
  auto loops = func.getBody().getOps<ForOp>();
  if (!llvm::hasSingleElement(loops))
    return std::nullopt;
  AttentionParts parts;
  parts.steps = *loops.begin();
  if (!llvm::all_of(parts.steps.getInits().getTypes(), llvm::IsaPred<TileType>))
    return std::nullopt;
  SmallVector<DotOp> dots(parts.steps.getBody().getOps<DotOp>());
  if (dots.size() != 2 || dots[0].getInit() || !dots[1].getInit() || readsTiles(dots[0].getLhs()) ||
      readsTiles(dots[0].getRhs()) || readsTiles(dots[1].getRhs()))
    return std::nullopt;
  parts.scores = dots[0];
  parts.result = dots[1];
  parts.weights = extractOf(parts.result.getLhs());
  parts.rows = graph::exprOf(parts.scores.getExtents()[0]);
  if (!parts.weights || !isRowProgram(func.getBody().front(), parts.rows, parts.steps) ||
      !isRowProgram(parts.steps.getBody().front(), parts.rows))
    return std::nullopt;
  auto extent = [](DotOp dot, unsigned i) { return *graph::exprOf(dot.getExtents()[i]).constant(); };
  parts.depth = extent(parts.scores, 2);
  parts.keys = extent(parts.scores, 1);
  parts.columns = extent(parts.result, 1);
  return parts;
}

} // namespace cupola::cuda
