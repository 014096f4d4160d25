//===- lib/Transforms/JoinParts.cpp - many computed parts are written in place ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "lib/Transforms/Fusion/Formation.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_JOINPARTS
#include "lib/Transforms/Passes.h.inc"

namespace {

/// A kernel that reads a concat through its operands tests for every element which of them
/// it is in; up to this many tests cost less than a tensor that is written first.
constexpr size_t mostTests = 4;

class JoinParts : public impl::JoinPartsBase<JoinParts> {
public:
  void runOnOperation() override {
    for (Block *body : graph::bodiesOf(getOperation()))
      joinIn(*body);
  }

private:
  static void joinIn(Block &body) {
    shareBeginnings(body);
    SmallVector<graph::ConcatOp> all(body.getOps<graph::ConcatOp>());
    DenseSet<Operation *> joined;
    for (graph::ConcatOp last : llvm::reverse(all)) { // holds those before it
      if (joined.contains(last))
        continue;
      llvm::SetVector<Operation *> concats;
      SmallVector<OpOperand *> parts;
      collect(last, concats, parts);
      if (!isInside(concats) || !isBetterWritten(parts))
        continue;
      for (Operation *concat : concats) {
        joined.insert(concat);
        join(cast<graph::ConcatOp>(concat));
      }
    }
  }

  /// [a, b, c] after [a, b] becomes [[a, b], c].
  static void shareBeginnings(Block &body) {
    SmallVector<graph::ConcatOp> before;
    SmallVector<std::pair<graph::ConcatOp, graph::ConcatOp>> shortened;
    for (auto concat : body.getOps<graph::ConcatOp>()) {
      graph::ConcatOp longest;
      for (graph::ConcatOp other : before)
        if (other.getAxis() == concat.getAxis() && other.getInputs().size() < concat.getInputs().size() &&
            llvm::equal(other.getInputs(), concat.getInputs().take_front(other.getInputs().size())) &&
            (!longest || longest.getInputs().size() < other.getInputs().size()))
          longest = other;
      before.push_back(concat);
      if (longest)
        shortened.push_back({concat, longest});
    }
    for (auto &[concat, beginning] : llvm::reverse(shortened)) {
      SmallVector<Value> inputs{beginning.getResult()};
      llvm::append_range(inputs, concat.getInputs().drop_front(beginning.getInputs().size()));
      concat.getInputsMutable().assign(inputs);
    }
  }

  /// `concat`, those along the same axis that it is made of, and their parts.
  static void collect(graph::ConcatOp concat, llvm::SetVector<Operation *> &concats,
                      SmallVectorImpl<OpOperand *> &parts) {
    concats.insert(concat);
    for (OpOperand &input : concat->getOpOperands()) {
      auto inner = input.get().getDefiningOp<graph::ConcatOp>();
      if (inner && inner.getAxis() == concat.getAxis())
        collect(inner, concats, parts);
      else
        parts.push_back(&input);
    }
  }

  /// What stands in the first, the whole, is no result of the model and in no other.
  static bool isInside(const llvm::SetVector<Operation *> &concats) {
    return llvm::all_of(ArrayRef(concats.getArrayRef()).drop_front(),
                        [](Operation *concat) { return isOnlyIn(*llvm::find_if(concat->getUses(), isPlace)); });
  }

  /// The value of the operand needs no other memory than that in the operand's owner.
  static bool isOnlyIn(OpOperand &operand) {
    return llvm::all_of(operand.get().getUses(), [&](OpOperand &use) { return &use == &operand || !isPlace(use); });
  }
  static bool isPlace(OpOperand &use) {
    return isa<graph::ConcatOp>(use.getOwner()) || fusion::isOutside(use.getOwner());
  }

  /// The indices of interpolation are the same for whole rows; behind a test for the part they would be looked up for
  /// every element. What stands beside such parts is copied.
  static bool isBetterWritten(ArrayRef<OpOperand *> parts) {
    if (llvm::any_of(parts, [](OpOperand *part) { return isOnlyIn(*part) && fusion::isInterpolated(part->get()); }))
      return true;
    return parts.size() > mostTests && llvm::all_of(parts, [](OpOperand *part) { return isWritten(*part); });
  }

  static bool isWritten(OpOperand &part) { return isOnlyIn(part) && endsAKernel(part.get().getDefiningOp()); }

  /// A hero, or what nothing else reads of it: its epilogue.
  static bool endsAKernel(Operation *op) {
    if (!op)
      return false;
    auto endsThere = [](Value operand) { return operand.hasOneUse() && endsAKernel(operand.getDefiningOp()); };
    switch (fusion::classOf(op)) {
    case graph::FusionClass::Contraction:
    case graph::FusionClass::RowNormal:
    case graph::FusionClass::Reduction:
      return true;
    case graph::FusionClass::Pointwise:
      return llvm::any_of(op->getOperands(), endsThere);
    case graph::FusionClass::View:
      return isa<graph::ReshapeOp, graph::TransposeOp>(op) && endsThere(op->getOperand(0));
    default:
      return false;
    }
  }

  static void join(graph::ConcatOp concat) {
    OpBuilder b(concat);
    auto join = graph::JoinOp::create(b, concat.getLoc(), concat.getInputs(), concat.getAxis());
    concat.replaceAllUsesWith(join.getResult());
    concat.erase();
  }
};

} // namespace
} // namespace cupola
