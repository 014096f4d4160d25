//===- lib/Transforms/Layout/Carry.cpp - ops on tensors whose dimensions come in another order ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Layout/Carry.h"

#include "lib/Transforms/Match.h"
#include "lib/Transforms/Permuted.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace cupola::layout {

using graph::Exprs;

namespace {

/// Where dimensions [in, inEnd) of a reshape become [out, outEnd): one dimension is
/// split, or several are merged.
struct Group {
  size_t in, inEnd, out, outEnd;
};

/// The groups of a reshape, if it only splits and merges. Extents of 1 belong to the
/// dimension before them.
std::optional<SmallVector<Group>> groupsOf(ArrayRef<Expr> from, ArrayRef<Expr> to) {
  SmallVector<Group> groups;
  size_t i = 0, o = 0;
  while (i < from.size() && o < to.size()) {
    Group group{i, i + 1, o, o + 1};
    if (from[i] != to[o]) {
      Expr in = from[i], out = to[o];
      while (in != out && group.outEnd < to.size() && group.inEnd == i + 1)
        out *= to[group.outEnd++];
      if (in != out) {
        group.outEnd = o + 1;
        out = to[o];
        while (in != out && group.inEnd < from.size())
          in *= from[group.inEnd++];
      }
      if (in != out)
        return std::nullopt;
    }
    auto takeOnes = [](ArrayRef<Expr> dims, size_t &end, size_t limit) {
      while (end < limit && dims[end].isConstant(1))
        ++end;
    };
    // Ones that stand on one side only.
    size_t inOnes = group.inEnd, outOnes = group.outEnd;
    takeOnes(from, inOnes, from.size());
    takeOnes(to, outOnes, to.size());
    if (inOnes - group.inEnd > outOnes - group.outEnd && group.outEnd == o + 1)
      group.inEnd = inOnes - (outOnes - group.outEnd);
    else if (outOnes - group.outEnd > inOnes - group.inEnd && group.inEnd == i + 1)
      group.outEnd = outOnes - (inOnes - group.inEnd);
    i = group.inEnd;
    o = group.outEnd;
    groups.push_back(group);
  }
  if (i != from.size() || o != to.size())
    return std::nullopt;
  return groups;
}

std::optional<Perm> carriedBy(graph::GatherOp op, ArrayRef<int64_t> perm) {
  // One index per place along the axis, as of a resize.
  if (op.getBatchDims() != 0 || graph::rankOf(op.getIndices()) != 1)
    return std::nullopt;
  return Perm(perm);
}

/// The windowed dimensions have to be neighbours in the other order, too.
std::optional<Perm> carriedBy(graph::WindowOp op, ArrayRef<int64_t> perm) {
  const int64_t axis = op.getAxis(), dims = op.getSizes().size(), first = perm[axis];
  for (int64_t i = 0; i < dims; ++i)
    if (perm[axis + i] != first + i)
      return std::nullopt;
  Perm result;
  auto moved = [&](int64_t dim) { return dim < first + dims ? dim : dim + dims; };
  for (int64_t i = 0; i < axis + dims; ++i)
    result.push_back(moved(perm[i]));
  for (int64_t i = 0; i < dims; ++i)
    result.push_back(first + dims + i);
  for (size_t i = axis + dims; i < perm.size(); ++i)
    result.push_back(moved(perm[i]));
  return result;
}

/// The groups of a reshape in the order in which those of its operand are carried: splits stay splits; what is merged
/// has to be neighbours there, too.
std::optional<SmallVector<Group>> carriedGroups(graph::ReshapeOp op, ArrayRef<int64_t> perm) {
  auto groups = groupsOf(graph::shapeOf(op.getInput()), graph::shapeOf(op.getResult()));
  if (!groups)
    return std::nullopt;
  for (const Group &group : *groups)
    for (size_t i = group.in; i < group.inEnd; ++i)
      if (perm[i] != perm[group.in] + int64_t(i - group.in))
        return std::nullopt;
  llvm::sort(*groups, [&](const Group &a, const Group &b) { return perm[a.in] < perm[b.in]; });
  return groups;
}

std::optional<Perm> carriedBy(graph::ReshapeOp op, ArrayRef<int64_t> perm) {
  const auto groups = carriedGroups(op, perm);
  if (!groups)
    return std::nullopt;
  Perm result(graph::rankOf(op.getResult()));
  int64_t next = 0;
  for (const Group &group : *groups)
    for (size_t o = group.out; o < group.outEnd; ++o)
      result[o] = next++;
  return result;
}

/// Some first dimensions stay, then come `block` ones that are carried last, as channels that were split: their number,
/// and how many stay. {0, 0} for other orders.
std::pair<int64_t, int64_t> blockOf(ArrayRef<int64_t> perm) {
  const int64_t rank = perm.size();
  int64_t stay = 0;
  while (stay < rank && perm[stay] == stay)
    ++stay;
  if (stay == rank)
    return {0, 0};
  const int64_t block = rank - perm[stay];
  for (int64_t i = stay; i < rank; ++i)
    if (perm[i] != (i < stay + block ? rank - block + i - stay : i - block))
      return {0, 0};
  return {stay, block};
}

/// Parts of the channels go between the places, as in a shuffle of pixels: what is left of the channels is carried
/// last. Only in front of reshapes that make channels and places of it again: others want it as it is.
std::optional<Perm> carriedBy(graph::TransposeOp op, ArrayRef<int64_t> perm) {
  const auto [stay, block] = blockOf(perm);
  const ArrayRef<int64_t> moves = op.getPerm();
  const int64_t rank = moves.size();
  for (int64_t i = 0; i < stay; ++i)
    if (moves[i] != i)
      return std::nullopt;
  int64_t left = 0;
  while (stay + left < rank && moves[stay + left] >= stay && moves[stay + left] < stay + block)
    ++left;
  if (left == 0 || left == block)
    return std::nullopt;
  Perm result(rank);
  for (int64_t i = 0; i < rank; ++i)
    result[i] = i < stay ? i : i < stay + left ? rank - left + i - stay : i - left;
  auto mends = [&](Operation *user) {
    auto reshape = dyn_cast<graph::ReshapeOp>(user);
    const auto after = reshape ? carriedBy(reshape, result) : std::nullopt;
    return after && isChannelsLast(*after);
  };
  return llvm::all_of(op->getUsers(), mends) ? std::optional(result) : std::nullopt;
}

Perm turnedAxes(ArrayRef<int64_t> axes, ArrayRef<int64_t> perm) {
  Perm turned = llvm::map_to_vector(axes, [&](int64_t axis) { return perm[axis]; });
  llvm::sort(turned);
  return turned;
}

/// What is said of dimensions by the attributes of `copy`, in the order of what carries them.
void turnAttributes(Operation *copy, ArrayRef<int64_t> perm) {
  llvm::TypeSwitch<Operation *>(copy)
      .Case<graph::ReduceOp, graph::LayerNormOp>([&](auto op) { op.setAxes(turnedAxes(op.getAxes(), perm)); })
      .Case<graph::SoftmaxOp, graph::GatherOp, graph::WindowOp>([&](auto op) { op.setAxis(perm[op.getAxis()]); });
}

/// The shape behind the reshape of what carries its operand.
Exprs reshaped(graph::ReshapeOp op, ArrayRef<int64_t> perm) {
  const Exprs to = graph::shapeOf(op.getResult());
  const auto groups = carriedGroups(op, perm);
  Exprs shape;
  for (const Group &group : *groups)
    shape.append(to.begin() + group.out, to.begin() + group.outEnd);
  return shape;
}

/// From what carries the operand to what carries the result.
Perm movesBetween(graph::TransposeOp op, ArrayRef<int64_t> perm, ArrayRef<int64_t> result) {
  Perm moves(perm.size());
  for (auto [i, dim] : llvm::enumerate(op.getPerm()))
    moves[result[i]] = perm[dim];
  return moves;
}

} // namespace

Perm channelsLast(int64_t rank) {
  Perm perm = {0, rank - 1};
  for (int64_t i = 1; i < rank - 1; ++i)
    perm.push_back(i);
  return perm;
}

bool isChannelsLast(ArrayRef<int64_t> perm) { return perm.size() >= 3 && Perm(perm) == channelsLast(perm.size()); }

std::optional<Perm> carried(OpOperand &use, ArrayRef<int64_t> perm) {
  Operation *op = use.getOwner();
  if (match::isPointwise(op))
    return Perm(perm);
  return llvm::TypeSwitch<Operation *, std::optional<Perm>>(op)
      .Case<graph::PadOp, graph::SliceOp, graph::ConcatOp, graph::ReduceOp, graph::LayerNormOp, graph::SoftmaxOp,
            graph::BroadcastOp>([&](auto) { return Perm(perm); })
      .Case<graph::WindowOp, graph::ReshapeOp, graph::TransposeOp>([&](auto op) { return carriedBy(op, perm); })
      .Case([&](graph::GatherOp op) {
        return use.getOperandNumber() == 0 ? carriedBy(op, perm) : std::nullopt; // not its indices
      })
      .Default([](Operation *) { return std::nullopt; });
}

Value carry(OpBuilder &b, Operation *op, ArrayRef<int64_t> perm, ArrayRef<int64_t> result,
            llvm::function_ref<Value(Value)> turn) {
  SmallVector<Value> operands(op->getOperands());
  for (auto [i, operand] : llvm::enumerate(operands))
    if (!isa<graph::GatherOp>(op) || i == 0)
      operand = turn(operand);
  if (isa<graph::PadOp, graph::SliceOp, graph::ConcatOp>(op))
    return unpermutedView(b, op, operands, perm);
  if (auto transpose = dyn_cast<graph::TransposeOp>(op))
    return graph::TransposeOp::create(b, op->getLoc(), operands.front(), movesBetween(transpose, perm, result));
  auto reshape = dyn_cast<graph::ReshapeOp>(op);
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  copy->getResult(0).setType(
      graph::tensorType(reshape ? reshaped(reshape, perm) : unpermuted<Expr>(graph::shapeOf(op->getResult(0)), result),
                        graph::elementOf(op->getResult(0))));
  turnAttributes(copy, perm);
  return copy->getResult(0);
}

} // namespace cupola::layout
