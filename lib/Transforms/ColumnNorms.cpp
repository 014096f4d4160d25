//===- lib/Transforms/ColumnNorms.cpp - rows that lie in short pieces are normalised by columns ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_COLUMNNORMS
#include "lib/Transforms/Passes.h.inc"

namespace {
using graph::Exprs;

/// A smaller norm takes less time than it takes to begin further kernels.
constexpr int64_t leastElements = 1 << 13;
/// Of shorter rows a kernel keeps as many as there are lanes, and reads each once.
constexpr int64_t leastRow = 64;
/// Fewer columns are no vector.
constexpr int64_t leastColumns = 8;

/// The dimensions [.., rows, groups, piece] of a norm: `groups` is the last one that is no part of a row.
struct Pieces {
  int64_t groups; ///< the dimension
  int64_t piece;  ///< elements of a row side by side
};

/// Nothing where pieces have more than `longest` elements. Extents that are not known count as large.
std::optional<Pieces> piecesOf(graph::LayerNormOp op, int64_t longest, const Ranges &ranges) {
  const Exprs shape = graph::shapeOf(op.getInput());
  const auto isPartOfRow = [&](int64_t axis) { return llvm::is_contained(op.getAxes(), axis); };
  int64_t groups = static_cast<int64_t>(shape.size()) - 1;
  while (groups >= 0 && isPartOfRow(groups))
    --groups;
  if (groups < 1 || !isPartOfRow(groups - 1))
    return std::nullopt;
  const auto most = [&](const Expr &extent) { return bounds(extent, ranges).hi.value_or(INT64_MAX); };
  Expr row = 1;
  for (int64_t axis : op.getAxes())
    row *= shape[axis];
  const auto piece = graph::product(ArrayRef(shape).drop_front(groups + 1)).constant();
  if (!piece || *piece > longest || most(graph::product(ArrayRef(shape).drop_front(groups))) < leastColumns ||
      most(row) < leastRow || most(graph::product(shape)) < leastElements)
    return std::nullopt;
  return Pieces{groups, *piece};
}

class Rewriter {
public:
  Rewriter(graph::LayerNormOp op, Pieces pieces) : op(op), pieces(pieces), b(op), loc(op.getLoc()) {
    const Exprs shape = graph::shapeOf(op.getInput());
    columns.assign(shape.begin(), shape.begin() + pieces.groups);
    columns.push_back(graph::product(ArrayRef(shape).drop_front(pieces.groups)));
    x = match::castTo(b, loc, match::reshapeTo(b, loc, op.getInput(), columns), graph::momentType(elementOf(op)));
  }

  void run() {
    const Value mean = op.getRms() ? Value() : meanOfRows(x);
    const Value apart = without(mean);
    Value variance = meanOfRows(binary(graph::BinaryKind::Mul, apart, apart));
    const auto type = graph::typeOf(variance);
    variance = binary(graph::BinaryKind::Add, variance, match::splat(b, loc, op.getEpsilon().convertToDouble(), type));
    const Value scale = match::unary(b, loc, graph::UnaryKind::Rsqrt, variance);
    // x - mean once more: one value for two kernels would be a tensor.
    Value result = binary(graph::BinaryKind::Mul, without(mean), everywhere(scale));
    result = match::castTo(b, loc, result, elementOf(op));
    op.replaceAllUsesWith(match::reshapeTo(b, loc, result, graph::shapeOf(op.getInput())));
    op.erase();
  }

private:
  static Type elementOf(graph::LayerNormOp op) { return graph::elementOf(op.getInput()); }
  Value binary(graph::BinaryKind kind, Value lhs, Value rhs) { return graph::BinaryOp::create(b, loc, kind, lhs, rhs); }
  Value everywhere(Value ofColumns) { return graph::BroadcastOp::create(b, loc, graph::typeOf(x), ofColumns); }
  Value without(Value mean) { return mean ? binary(graph::BinaryKind::Sub, x, everywhere(mean)) : x; }
  Value meanOver(Value value, ArrayRef<int64_t> axes) {
    return axes.empty() ? value : graph::ReduceOp::create(b, loc, graph::ReduceKind::Mean, value, axes).getResult();
  }

  /// Of every column the mean of its row: first of columns, along the innermost dimension of rows, then of what these
  /// gave, once for each column of a group, so that no reader has to find the group of a column.
  Value meanOfRows(Value value) {
    const int64_t groups = pieces.groups;
    Exprs of = columns, apart, repeated;
    for (int64_t axis : op.getAxes())
      if (axis < groups)
        of[axis] = 1;
    Value means = meanOver(value, {groups - 1});
    apart.assign(columns.begin(), columns.end() - 1);
    apart[groups - 1] = 1;
    apart.append({floorDiv(columns.back(), pieces.piece), Expr(1), Expr(pieces.piece)});
    repeated = apart;
    repeated[groups + 1] = pieces.piece;
    SmallVector<int64_t> axes(op.getAxes().take_while([&](int64_t axis) { return axis < groups - 1; }));
    if (pieces.piece > 1) {
      means = match::reshapeTo(b, loc, means, apart);
      means = graph::BroadcastOp::create(b, loc, graph::tensorType(repeated, graph::elementOf(means)), means);
      axes.push_back(groups + 2);
    }
    return match::reshapeTo(b, loc, meanOver(means, axes), of);
  }

  graph::LayerNormOp op;
  const Pieces pieces;
  OpBuilder b;
  const Location loc;
  Exprs columns; ///< the shape with groups and pieces as one dimension
  Value x;
};

class ColumnNorms : public impl::ColumnNormsBase<ColumnNorms> {
public:
  using ColumnNormsBase::ColumnNormsBase;

  void runOnOperation() override {
    const Ranges ranges = graph::symbolRanges(getOperation()->getParentOfType<ModuleOp>());
    for (Block *body : graph::bodiesOf(getOperation()))
      for (auto op : llvm::make_early_inc_range(body->getOps<graph::LayerNormOp>()))
        if (const std::optional<Pieces> pieces = piecesOf(op, longestPiece, ranges))
          Rewriter(op, *pieces).run();
  }
};

} // namespace
} // namespace cupola
