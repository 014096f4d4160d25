//===- lib/Transforms/TurnColumns.cpp - the pass `graph-turn-columns` ------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_TURNCOLUMNS
#include "lib/Transforms/Passes.h.inc"

namespace {
using namespace cupola::match;
using graph::Exprs;

/// Whether it lies in memory: what computes it, but for views, is no part of the kernel of a product.
bool isRead(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && cast<graph::ClassInterface>(op).getFusionClass() == graph::FusionClass::View)
    op = op->getNumOperands() == 1 ? op->getOperand(0).getDefiningOp() : nullptr;
  if (!op)
    return true;
  const graph::FusionClass kind = cast<graph::ClassInterface>(op).getFusionClass();
  return kind == graph::FusionClass::Constant || kind == graph::FusionClass::Gather ||
         kind == graph::FusionClass::Contraction;
}

Exprs swapped(Exprs shape) {
  std::swap(shape.back(), shape[shape.size() - 2]);
  return shape;
}

bool turn(graph::MatMulOp op) {
  const Exprs shape = graph::shapeOf(op.getResult());
  const Expr &rows = shape[shape.size() - 2], depth = graph::shapeOf(op.getLhs()).back();
  if (!shape.back().isConstant(1) || rows.isConstant(1) || depth.isConstant(1) ||
      !isa<FloatType>(graph::elementOf(op.getResult())) || !isRead(op.getLhs()))
    return false;
  OpBuilder b(op);
  const Location loc = op.getLoc();
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(shape.size())));
  std::swap(perm.back(), perm[perm.size() - 2]);
  const Value row = reshapeTo(b, loc, op.getRhs(), swapped(graph::shapeOf(op.getRhs())));
  const Value columns = graph::TransposeOp::create(b, loc, op.getLhs(), perm);
  const Value turned = graph::MatMulOp::create(b, loc, row, columns, op.getTf32Attr(), op.getInt8RowsAttr());
  op.replaceAllUsesWith(reshapeTo(b, loc, turned, shape));
  op.erase();
  return true;
}

class TurnColumns : public impl::TurnColumnsBase<TurnColumns> {
public:
  void runOnOperation() override {
    const bool changed = rewriteBodies(getOperation(), [](Block &body) {
      bool here = false;
      for (auto product : llvm::make_early_inc_range(body.getOps<graph::MatMulOp>()))
        here |= turn(product);
      return here;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace cupola
