//===- lib/Target/CUDA/OperandVectors.cpp - how threads share an operand's tile ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/OperandCopies.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {

void OperandVectors::plan(Operand &op, int64_t mostWidth) const {
  auto direction = [&](Value along, const Expr &extent) -> int64_t {
    bool runs = llvm::any_of(op.body->getOps<LoadOp>(), [&](LoadOp load) {
      return stepsByOne(vars.read(load.getPosition(), load.getIndices()), vars.name(along));
    });
    if (!runs)
      return 0;
    int64_t width = std::min(vectorWidth({{op.body, along}}, extent, vars, divisors), mostWidth);
    while (width > 1 && op.outer * op.depth % (threads * width) != 0)
      width /= 2;
    return width;
  };
  int64_t outerWidth = direction(op.outerIndex, op.outerExtent);
  int64_t kWidth = direction(op.kIndex, op.depthExtent);
  op.alongK = kWidth > outerWidth || outerWidth == 0;
  op.width = std::max<int64_t>(op.alongK ? kWidth : outerWidth, 1);
  if (op.alongK && op.width == 1)
    op.width = groupOf(op);
  op.count = op.outer * op.depth / (threads * op.width);
}

/// A width for groups, 1 if there are none.
int64_t OperandVectors::groupOf(Operand op) const {
  op.width = 4;
  const bool isWhole =
      op.outer * op.depth % (threads * op.width) == 0 && op.depthExtent.constant().value_or(1) % op.width == 0;
  return isWhole && groupLoad(op) ? op.width : 1;
}

/// Rows in pieces, whose places do not depend on the thread. Of eight neighbouring threads the rows are `side` apart:
/// an odd number of vectors between rows brings these to different banks. A staged operand's numbers take twice the
/// room of its bytes: there four threads have vectors of one row, and four of the next.
static std::pair<Expr, Expr> rowAndPiece(const Expr &i, const Expr &thread, int64_t threads, int64_t side,
                                         int64_t pieces, bool isStaged) {
  Expr row = floorDiv(thread, side);
  if (!isStaged && side < 8)
    row = floorDiv(row, 8) * 8 + mod(row, 8 / side) * side + floorDiv(mod(row, 8), 8 / side);
  return {floorDiv(i, pieces) * (threads / side) + row, mod(i, pieces) * side + mod(thread, side)};
}

std::pair<Expr, Expr> OperandVectors::placeOf(const Operand &op, const Expr &i, const Expr &thread) const {
  constexpr int64_t vectorsOfStagedRow = 4;
  const int64_t ofRow = (op.alongK ? op.depth : op.outer) / op.width, rows = op.alongK ? op.outer : op.depth;
  const int64_t common = std::gcd(ofRow, threads), power = common & -common; // of two
  const int64_t side = op.staged ? std::min(power, vectorsOfStagedRow) : power, pieces = ofRow / side,
                rowsAtOnce = threads / side;
  const bool isWhole = pieces > 1 && side > 1 && rows % rowsAtOnce == 0 && (side >= 8 || rowsAtOnce % 8 == 0);
  const Expr flat = i * threads + thread;
  const auto [row, vector] = isWhole ? rowAndPiece(i, thread, threads, side, pieces, bool(op.staged))
                                     : std::pair(floorDiv(flat, ofRow), mod(flat, ofRow));
  const Expr place = vector * op.width;
  return op.alongK ? std::pair(row, place) : std::pair(place, row);
}

LoadOp OperandVectors::groupLoad(const Operand &op) const {
  LoadOp load = plainLoad(*op.body);
  if (!load || !op.alongK || op.width == 1)
    return {};
  const Expr first = Expr::symbol("first"), place = Expr::symbol("place");
  Ranges ranges = vars.ranges();
  ranges["first"] = {Expr(0), floorDiv(op.depthExtent, op.width) - 1};
  ranges["place"] = {Expr(0), Expr(op.width - 1)};
  const Expr position = vars.read(load.getPosition(), load.getIndices());
  auto at = [&](const Expr &e) {
    return simplify(position.substitute({{vars.name(op.kIndex), first * op.width + e}}), ranges);
  };
  return at(place) - at(0) == place ? load : LoadOp();
}

LoadOp OperandVectors::vectorLoad(const Operand &op) const {
  LoadOp load = plainLoad(*op.body);
  return load && isWhole(op, {load, {}}) ? load : LoadOp();
}

bool OperandVectors::isWhole(const Operand &op, const ChosenLoad &part) const {
  const std::string var = vars.name(op.alongK ? op.kIndex : op.outerIndex);
  auto isShared = [&](ArrayAttr exprs, ValueRange indices) {
    return sharesMask(vars.read(exprs, indices), var, op.width, divisors);
  };
  LoadOp load = part.load;
  return op.width == 1 || (isContiguous(vars.read(load.getPosition(), load.getIndices()), var, op.width, divisors) &&
                           isShared(load.getMask(), load.getIndices()) && llvm::all_of(part.where, [&](auto condition) {
                             return isShared(condition.first.getExprs(), condition.first.getIndices());
                           }));
}

bool OperandVectors::canCopyAsync(const Operand &op) const {
  if (op.width < 2 || op.alongK == op.kMajor)
    return false;
  const auto loads = chosenLoads(*op.body);
  return !loads.empty() && llvm::all_of(loads, [&](const ChosenLoad &part) {
    LoadOp load = part.load;
    return op.width * graph::byteSize(load.getType()) >= 4 && hasZerosAround(load) && isWhole(op, part);
  });
}

bool OperandVectors::planStaged(Operand &op) const {
  Operand found = op;
  found.staged = byteLoad(*op.body);
  if (!found.staged)
    return false;
  plan(found, /*mostWidth=*/16);
  found.kMajor = !found.alongK;
  const bool isAsync = found.width >= 4 && isWhole(found, {found.staged, {}});
  if (isAsync)
    op = found;
  return isAsync;
}

AsyncOperands asyncOperands(DotOp dot, Variables &vars, const std::map<std::string, int64_t> &divisors) {
  const graph::Exprs extents = graph::exprsOf(dot.getExtents());
  Region &lhs = dot.getLhs(), &rhs = dot.getRhs();
  Operand a = {&lhs.front(), lhs.getArgument(0), lhs.getArgument(1), extents[0], 0, 64, extents[2], 64};
  Operand b = {&rhs.front(), rhs.getArgument(1), rhs.getArgument(0), extents[1], 0, 64, extents[2], 64};
  OperandVectors vectors{vars, divisors, /*threads=*/128};
  const int64_t bytes = graph::byteSize(lhs.front().getTerminator()->getOperand(0).getType());
  for (Operand *op : {&a, &b})
    vectors.plan(*op, /*mostWidth=*/16 / bytes);
  a.kMajor = false;
  b.kMajor = !b.alongK && bytes > 1;
  const bool canCopy = vectors.canCopyAsync(b);
  (void)vectors.planPacked(b);
  return {vectors.canCopyAsync(a), canCopy, b.packed};
}

} // namespace cupola::cuda
