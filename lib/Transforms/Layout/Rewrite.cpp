//===- lib/Transforms/Layout/Rewrite.cpp - chains become channels last ---===//
// SPDX-License-Identifier: Apache-2.0
//
// One sweep in program order: a convolution, or an op that reads what is carried, computes
// on what carries its operands, and a transpose of its result takes over.

#include "lib/Transforms/Layout/Rewrite.h"

#include "lib/Transforms/Layout/Carry.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Permuted.h"

#include <numeric>

using namespace mlir;

namespace cupola::layout {
namespace {

class Rewriter {
public:
  Rewriter(const DenseSet<Operation *> &last, graph::NodeNames &gone) : last(last), gone(gone) {}

  void run(Block &body) {
    for (Operation &op : llvm::make_early_inc_range(body)) {
      auto transpose = dyn_cast<graph::TransposeOp>(op);
      if (transpose && meetsInverse(transpose))
        continue;
      if (last.contains(&op)) {
        turn(&op);
      } else if (!pass(&op) && transpose && isChannelsLast(transpose.getPerm())) {
        carriers.insert(transpose.getResult());
        addGone(transpose);
      }
    }
    match::eraseDead(body);
  }

private:
  void addGone(graph::TransposeOp op) {
    for (const graph::NodeRef &node : graph::nodesOf(op.getLoc()))
      gone.insert(node.name);
  }

  graph::TransposeOp carrier(Value value) {
    return carriers.contains(value) ? value.getDefiningOp<graph::TransposeOp>() : nullptr;
  }

  /// A transpose that the model turns back is gone: what follows is no longer
  /// channels first. For three dimensions the inverse would look like another one.
  bool meetsInverse(graph::TransposeOp op) {
    graph::TransposeOp found = carrier(op.getInput());
    if (!found || Perm(op.getPerm()) != inverse(found.getPerm()))
      return false;
    op.replaceAllUsesWith(found.getInput());
    addGone(op);
    return true;
  }

  void turn(Operation *op) {
    OpBuilder b(op);
    current = op;
    const Perm perm = channelsLast(graph::rankOf(op->getOperand(0)));
    if (auto conv = dyn_cast<graph::ConvOp>(op))
      return replace(b, op, op->getLoc(), turned(b, conv, perm), perm);
    const Perm result = *carried(op->getOpOperand(0), perm); // of a window, which any order has
    Value value = carry(b, op, perm, result, [&](Value input) { return inputOf(b, input, perm); });
    replace(b, op, op->getLoc(), value, result);
  }

  Value turned(OpBuilder &b, graph::ConvOp conv, const Perm &perm) {
    const int64_t rank = perm.size();
    Perm filter; // [O, C, w..] -> [w.., C, O]
    for (int64_t i = 2; i < rank; ++i)
      filter.push_back(i);
    filter.append({1, 0});
    Value weights = graph::TransposeOp::create(b, conv.getLoc(), conv.getWeights(), filter);
    const RankedTensorType type = unpermutedType(conv.getResult(), perm);
    return graph::ConvOp::create(b, conv.getLoc(), type, inputOf(b, conv.getInput(), perm), weights,
                                 graph::ConvLayout::ChannelsLast, conv.getStrides(), conv.getDilations(),
                                 conv.getGroups(), conv.getTf32Attr());
  }

  /// Whether the op computes on what carries its operands now; it is gone then.
  bool pass(Operation *op) {
    OpOperand *use = llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) { return carrier(operand.get()); });
    if (use == op->getOpOperands().end())
      return false;
    graph::TransposeOp found = carrier(use->get());
    const Perm perm(found.getPerm());
    const std::optional<Perm> result = carried(*use, perm);
    if (!result)
      return false;
    OpBuilder b(op);
    current = op;
    Value value = carry(b, op, perm, *result, [&](Value operand) { return unpermute(b, operand, perm); });
    replace(b, op, found.getLoc(), value, *result); // the views in front are part of what it computes now
    return true;
  }

  void replace(OpBuilder &b, Operation *op, Location loc, Value value, ArrayRef<int64_t> perm) {
    auto result = graph::TransposeOp::create(b, loc, value, perm);
    op->getResult(0).replaceAllUsesWith(result);
    carriers.insert(result.getResult());
    op->erase();
  }

  /// What a convolution reads: borders are made behind the transpose, as libraries and schedules expect.
  Value inputOf(OpBuilder &b, Value value, ArrayRef<int64_t> perm) {
    auto pad = value.getDefiningOp<graph::PadOp>();
    if (!pad || carrier(value))
      return unpermute(b, value, perm);
    return unpermutedView(b, pad, inputOf(b, pad.getInput(), perm), perm);
  }

  /// `value` with its dimensions in the order of what carries it.
  Value unpermute(OpBuilder &b, Value value, ArrayRef<int64_t> perm) {
    if (auto transpose = carrier(value); transpose && transpose.getPerm() == perm)
      return transpose.getInput();
    const RankedTensorType type = unpermutedType(value, perm);
    if (std::optional<double> number = match::splatOf(value)) // whose nodes nothing else may name
      return match::splat(b, b.getFusedLoc({value.getLoc(), match::constantBehind(value).getLoc()}), *number, type);
    if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>())
      return graph::BroadcastOp::create(b, broadcast.getLoc(), type, unpermute(b, broadcast.getInput(), perm));
    // An argument's or a constant's location may name no node.
    return graph::TransposeOp::create(b, current->getLoc(), value, inverse(perm));
  }

  const DenseSet<Operation *> &last;
  graph::NodeNames &gone;
  Operation *current = nullptr;
  DenseSet<Value> carriers; ///< transposes of what carries their results
};

} // namespace

void carryChannelsLast(Block &body, const DenseSet<Operation *> &last, graph::NodeNames &gone) {
  Rewriter(last, gone).run(body);
}

} // namespace cupola::layout
