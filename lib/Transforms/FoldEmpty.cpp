//===- lib/Transforms/FoldEmpty.cpp - the pass `fold-empty` ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Nothing after it meets a tensor that has no elements whatever the shapes: no schedule, no
// target and no library has to be able to make tiles of nothing.

#include "dialects/Graph/Control.h"
#include "dialects/Graph/Neutral.h"
#include "dialects/Graph/Provenance.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_FOLDEMPTY
#include "lib/Transforms/Passes.h.inc"

namespace {

bool isEmpty(Value value) {
  return llvm::any_of(graph::shapeOf(value), [](const Expr &extent) { return extent.isConstant(0); });
}

/// What every element of a result is that is made of no element at all; null for other results.
Attribute valueOfNothing(Operation *op) {
  if (!op->getNumOperands() || !isEmpty(op->getOperand(0)))
    return {};
  if (auto reduce = dyn_cast<graph::ReduceOp>(op))
    return graph::emptyReduction(reduce.getKind(), graph::elementOf(reduce.getResult()));
  if (auto pad = dyn_cast<graph::PadOp>(op))
    return pad.getMode() == graph::PadMode::Constant ? pad.getValue() : TypedAttr();
  if (isa<graph::MatMulOp, graph::ConvOp>(op))
    return Builder(op->getContext()).getZeroAttr(graph::elementOf(op->getResult(0)));
  return {};
}

/// Whether the op makes its result of what it reads: joins lie in the memory of arguments, and
/// splats are what is made here.
bool isComputed(Operation *op) {
  return op->getNumResults() == 1 && isa<graph::ClassInterface>(op) && !isa<graph::ConstantOp, graph::JoinOp>(op) &&
         !match::splatOf(op->getResult(0));
}

class FoldEmpty : public impl::FoldEmptyBase<FoldEmpty> {
public:
  void runOnOperation() override {
    const graph::NodeNames before = graph::namedNodes(getOperation());
    const SmallVector<Block *> bodies = graph::bodiesOf(getOperation());
    bool changed = false;
    for (Block *body : bodies)
      for (Operation &op : llvm::make_early_inc_range(body->without_terminator()))
        changed |= isComputed(&op) && (fold(&op) || dropEmptyParts(&op));
    if (!changed)
      return markAllAnalysesPreserved();
    for (Block *body : llvm::reverse(bodies)) // what only a dead loop reads is dead after it
      match::eraseDead(*body);
    graph::recordGone(getOperation(), before, graph::Fate::Dead);
  }

private:
  static bool fold(Operation *op) {
    const Value result = op->getResult(0);
    const Attribute value = isEmpty(result) ? Attribute(Builder(op->getContext()).getZeroAttr(graph::elementOf(result)))
                                            : valueOfNothing(op);
    if (!value)
      return false;
    OpBuilder b(op);
    op->replaceAllUsesWith(ValueRange(match::splat(b, op->getLoc(), value, graph::typeOf(result))));
    op->erase();
    return true;
  }

  static bool dropEmptyParts(Operation *op) {
    auto concat = dyn_cast<graph::ConcatOp>(op);
    if (!concat || llvm::none_of(concat.getInputs(), isEmpty))
      return false;
    SmallVector<Value> parts(llvm::make_filter_range(concat.getInputs(), [](Value part) { return !isEmpty(part); }));
    if (parts.size() == 1) {
      concat.replaceAllUsesWith(parts.front());
      concat.erase();
    } else {
      concat.getInputsMutable().assign(parts);
    }
    return true;
  }
};

} // namespace
} // namespace cupola
