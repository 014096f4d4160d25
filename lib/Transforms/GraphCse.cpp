//===- lib/Transforms/GraphCse.cpp - equal ops are computed once ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Unlike MLIR's pass it keeps the nodes of both ops in the location of the one that
// stays, and leaves splat constants and their views apart: they cost nothing, and
// every kernel that holds one should name its own node.

#include "dialects/Graph/Control.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_GRAPHCSE
#include "lib/Transforms/Passes.h.inc"

namespace {

class EqualOps {
public:
  /// Replaces `op` by an equal op seen before, or remembers it.
  void visit(Operation *op) {
    auto &candidates = seen[hash(op)];
    for (Operation *first : candidates)
      if (isEqual(first, op))
        return merge(first, op);
    candidates.push_back(op);
  }

  /// Splats that were left apart and whose readers were merged with those of the first one.
  void mergeUnread() {
    for (auto [op, first] : llvm::reverse(apart))
      if (op->use_empty())
        replace(op, first);
  }

  /// Gives every op that stays the nodes of those that it replaced: all at once, as a
  /// location made anew for each of n equal ops would take n * n / 2 entries.
  void nameMerged() {
    for (auto &[op, locations] : merged)
      op->setLoc(FusedLoc::get(op->getContext(), locations));
  }

private:
  Value representativeOf(Value value) const {
    auto found = representative.find(value);
    return found == representative.end() ? value : found->second;
  }

  size_t hash(Operation *op) {
    return OperationEquivalence::computeHash(
        op, [&](Value operand) { return llvm::hash_value(representativeOf(operand).getAsOpaquePointer()); },
        OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations);
  }

  bool isEqual(Operation *a, Operation *b) {
    return OperationEquivalence::isEquivalentTo(
        a, b, [&](Value x, Value y) { return success(representativeOf(x) == representativeOf(y)); }, nullptr,
        OperationEquivalence::IgnoreLocations);
  }

  void merge(Operation *first, Operation *op) {
    if (!match::splatOf(op->getResult(0)))
      return replace(op, first);
    representative[op->getResult(0)] = first->getResult(0);
    apart.push_back({op, first});
  }

  void replace(Operation *op, Operation *first) {
    SmallVector<Location> &locations = merged[first];
    if (locations.empty())
      locations.push_back(first->getLoc());
    locations.push_back(op->getLoc());
    op->replaceAllUsesWith(first);
    op->erase();
  }

  DenseMap<size_t, SmallVector<Operation *, 1>> seen;
  DenseMap<Value, Value> representative;
  SmallVector<std::pair<Operation *, Operation *>> apart; ///< a splat and the first one that it equals
  llvm::MapVector<Operation *, SmallVector<Location>> merged;
};

class GraphCse : public impl::GraphCseBase<GraphCse> {
public:
  void runOnOperation() override {
    for (Block *body : graph::bodiesOf(getOperation())) {
      EqualOps ops;
      llvm::DenseSet<std::tuple<Attribute, Attribute, Attribute>> facts;
      for (Operation &op : llvm::make_early_inc_range(*body))
        if (op.getNumResults() == 1 && op.getNumRegions() == 0 && isPure(&op))
          ops.visit(&op);
        else if (auto fact = dyn_cast<graph::AssumeOp>(op);
                 fact && !facts.insert({fact.getLhsAttr(), fact.getRelationAttr(), fact.getRhsAttr()}).second)
          fact.erase(); // it has been checked
      ops.mergeUnread();
      ops.nameMerged();
    }
  }
};

} // namespace
} // namespace cupola
