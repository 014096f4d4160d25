//===- lib/Transforms/RecognizeGroupNorm.cpp - groups of channels as flat rows ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_RECOGNIZEGROUPNORM
#include "lib/Transforms/Passes.h.inc"

namespace {
using namespace cupola::match;
using graph::Exprs;

/// [N, G, C / G, rest..] where [N, C, rest..] is flattened to [N, G, row]; nothing where
/// a row is not made of whole channels.
std::optional<Exprs> groupedShape(ArrayRef<Expr> shape, ArrayRef<Expr> rows) {
  if (shape.size() < 3 || rows.size() != 3 || shape[0] != rows[0])
    return std::nullopt;
  std::optional<int64_t> channels = shape[1].constant(), groups = rows[1].constant();
  if (!channels || !groups || *groups <= 0 || *channels % *groups != 0)
    return std::nullopt;
  Exprs grouped{shape[0], rows[1], Expr(*channels / *groups)};
  grouped.append(shape.begin() + 2, shape.end());
  if (graph::product(ArrayRef<Expr>(grouped).drop_front(2)) != rows[2])
    return std::nullopt;
  return grouped;
}

LogicalResult recognizeFlatGroups(graph::LayerNormOp op, PatternRewriter &rewriter) {
  auto flatten = op.getInput().getDefiningOp<graph::ReshapeOp>();
  if (!flatten || op.getAxes() != ArrayRef<int64_t>{2} || !op->hasOneUse())
    return failure();
  auto restore = dyn_cast<graph::ReshapeOp>(*op->getUsers().begin());
  if (!restore || restore.getType() != flatten.getInput().getType())
    return failure();
  auto grouped = groupedShape(graph::shapeOf(restore.getResult()), graph::shapeOf(op.getInput()));
  if (!grouped)
    return failure();
  Value apart = reshapeTo(rewriter, flatten.getLoc(), flatten.getInput(), *grouped);
  SmallVector<int64_t> axes;
  for (size_t axis = 2; axis < grouped->size(); ++axis)
    axes.push_back(axis);
  Value norm = graph::LayerNormOp::create(rewriter, op.getLoc(), apart, axes, op.getEpsilon(), op.getRms());
  rewriter.replaceOpWithNewOp<graph::ReshapeOp>(restore, restore.getType(), norm);
  return success();
}

class RecognizeGroupNorm : public impl::RecognizeGroupNormBase<RecognizeGroupNorm> {
public:
  void runOnOperation() override {
    if (failed(rewriteAll(getOperation(), "the search for group norms", recognizeFlatGroups)))
      signalPassFailure();
  }
};

} // namespace
} // namespace cupola
