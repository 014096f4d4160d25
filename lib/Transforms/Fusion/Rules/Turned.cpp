//===- lib/Transforms/Fusion/Rules/Turned.cpp - reductions whose results change their order -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A window or a row is reduced by vectors of channels. Where the channels move outward behind it, each lane would store
// far from the next: they are written as they are, and turned by squares of vectors. What a product makes may lie along
// its rows, but not where places move, too, as those that become channels or are made of them.

#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;

namespace cupola::fusion {
namespace {

/// Of a result; fewer elements take less than a kernel more.
constexpr int64_t kLeastElements = 4096;

/// Channels move over some other elements.
bool movesChannels(const Formation &kernels, graph::TransposeOp transpose) {
  const Value input = transpose.getInput();
  const int64_t last = graph::rankOf(input) - 1;
  const ArrayRef<int64_t> perm = transpose.getPerm();
  const auto behind = ArrayRef(llvm::find(perm, last), perm.end()).drop_front();
  const bool isMoved = llvm::any_of(behind, [&](int64_t axis) { return !graph::extentOf(input, axis).isConstant(1); });
  return isMoved && hasChannels(kernels, input) &&
         graph::elementCount(input).constant().value_or(kLeastElements) >= kLeastElements;
}

/// What `value` is made of by views and arithmetic has its channels outward, too: neighbours along other axes are
/// lanes.
bool isTurnedBefore(Value value) {
  SmallVector<Value> work{value};
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || (classOf(op) != graph::FusionClass::Pointwise && !isView(op)) || !seen.insert(op).second)
      continue;
    if (auto transpose = dyn_cast<graph::TransposeOp>(op); transpose && movesLast(transpose))
      return true;
    llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// What an op of the group computes its result of, as far as the group makes it; null if that are several values.
Value onlyMade(const Group &group, Operation *op) {
  Value only;
  for (Value operand : op->getOperands())
    if (Operation *maker = operand.getDefiningOp(); maker && group.ops.contains(maker)) {
      if (only)
        return {};
      only = operand;
    }
  return only;
}

/// Neighbours along the last axis but one of what `group` makes of its hero are neighbours as it stores them.
bool liesAlongRows(const Formation &kernels, const Group &group) {
  const Value made = group.hero->getResult(0);
  const int64_t rows = graph::rankOf(made) - 2;
  if (rows < 0 || graph::extentOf(made, rows).isConstant(1))
    return true;
  Ranges scope = kernels.ranges;
  const graph::Exprs place = placeOf(group.output, group.ops, scope);
  Expr position;
  for (auto [index, extent] : llvm::zip_equal(place, graph::shapeOf(group.output)))
    position = position * extent + index;
  const std::optional<Expr> step = simplify(position, scope).coefficient("d" + std::to_string(rows));
  return step && step->isConstant(1);
}

/// Ends the group before the first of its ops that turns channels.
void endBeforeTurn(Formation &kernels, Group &group, StringRef rule) {
  SmallVector<Operation *> behind, cut;
  Value kept;
  for (Value value = group.output; value.getDefiningOp() != group.hero;) {
    Operation *op = value.getDefiningOp();
    const Value input = onlyMade(group, op);
    behind.push_back(op);
    if (!input || !input.hasOneUse())
      break;
    if (auto transpose = dyn_cast<graph::TransposeOp>(op); transpose && movesChannels(kernels, transpose)) {
      cut = behind;
      kept = input;
    }
    value = input;
  }
  if (!cut.empty())
    kernels.cut(group, cut, kept, {rule, "lanes are channels, which would be stored far from each other"});
}

} // namespace

void endBeforeTurns(Formation &kernels, StringRef rule) {
  if (kernels.options.mixedChannels == 0)
    return;
  for (Operation &op : kernels.body)
    if (isHero(&op))
      for (Group *group : kernels.kernelsOf(&op))
        if (group->hero == &op && group->kept.empty() && !isAttention(*group) &&
            !(hasContraction(*group) ? liesAlongRows(kernels, *group) : isTurnedBefore(op.getOperand(0))))
          endBeforeTurn(kernels, *group, rule);
}

} // namespace cupola::fusion
