//===- lib/Transforms/FlattenMatMul.cpp - one weight for all batches: one matrix ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_FLATTENMATMUL
#include "lib/Transforms/Passes.h.inc"

namespace {
using namespace cupola::match;
using graph::Exprs;

/// The tensor [1.., K, N] that `value` repeats over all batch dimensions, if it does.
Value repeatedTensor(Value value) {
  Exprs whole = graph::shapeOf(value);
  if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>())
    value = broadcast.getInput();
  Exprs shape = graph::shapeOf(value);
  bool repeats = llvm::all_of(ArrayRef(shape).drop_back(2), [](const Expr &e) { return e.isConstant(1); });
  return repeats && ArrayRef(shape).take_back(2) == ArrayRef(whole).take_back(2) ? value : Value();
}

void flatten(graph::MatMulOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Exprs shape = graph::shapeOf(op.getResult());
  Value rhs = shape.size() > 2 ? repeatedTensor(op.getRhs()) : Value();
  if (!rhs)
    return;
  Exprs matrix(ArrayRef(graph::shapeOf(rhs)).take_back(2));
  Expr rows = graph::product(ArrayRef(shape).drop_back(1));
  Value lhs = reshapeTo(b, loc, op.getLhs(), {rows, matrix.front()});
  rhs = reshapeTo(b, loc, rhs, matrix);
  Value flat = graph::MatMulOp::create(b, loc, lhs, rhs, op.getTf32Attr(), op.getInt8RowsAttr());
  op.replaceAllUsesWith(reshapeTo(b, loc, flat, shape));
  op.erase();
}

class FlattenMatMul : public impl::FlattenMatMulBase<FlattenMatMul> {
public:
  void runOnOperation() override {
    for (Block *body : graph::bodiesOf(getOperation())) {
      SmallVector<graph::MatMulOp> ops(body->getOps<graph::MatMulOp>());
      for (graph::MatMulOp op : ops)
        flatten(op);
      eraseDead(*body);
    }
  }
};

} // namespace
} // namespace cupola
