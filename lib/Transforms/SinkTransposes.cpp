//===- lib/Transforms/SinkTransposes.cpp - chains of convolutions stay channels last ---===//
// SPDX-License-Identifier: Apache-2.0
//
// One sweep in program order: an op that reads a sunk transpose computes on the
// transpose's input instead, and a transpose of its result takes over.

#include "dialects/Graph/Control.h"
#include "dialects/Graph/Provenance.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Permuted.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_SINKTRANSPOSES
#include "lib/Transforms/Passes.h.inc"

namespace {
using namespace cupola::match;
using graph::Exprs;
using Perm = SmallVector<int64_t>;

/// [N, spatial.., C] -> [N, C, spatial..]
bool isChannelsFirst(graph::TransposeOp op) {
  ArrayRef<int64_t> perm = op.getPerm();
  int64_t rank = perm.size();
  if (rank < 3 || perm[0] != 0 || perm[1] != rank - 1)
    return false;
  for (int64_t i = 2; i < rank; ++i)
    if (perm[i] != i - 1)
      return false;
  return true;
}

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

/// What an op becomes: the op on the transpose's input, and the permutation that makes
/// the old result of its result. No value: the transpose stays where it is.
struct Sunk {
  Value value;
  Perm perm;
};

class Sinker {
public:
  explicit Sinker(func::FuncOp func) : func(func) {}

  void run() {
    for (Block *body : graph::bodiesOf(func))
      sinkIn(*body);
    graph::recordGone(func, moved, graph::Fate::Dead); // their transposes met
  }

private:
  void sinkIn(Block &body) {
    for (Operation &op : llvm::make_early_inc_range(body)) {
      auto transpose = dyn_cast<graph::TransposeOp>(op);
      if (transpose && meetsInverse(transpose))
        continue;
      if (transpose && isChannelsFirst(transpose)) {
        transposed.insert(transpose.getResult());
        addNodes(transpose);
      }
      sink(&op);
    }
    eraseDead(body);
  }

  void addNodes(graph::TransposeOp op) {
    for (const graph::NodeRef &node : graph::nodesOf(op.getLoc()))
      moved.insert(node.name);
  }

  graph::TransposeOp sunkTranspose(Value value) {
    return transposed.contains(value) ? value.getDefiningOp<graph::TransposeOp>() : nullptr;
  }

  /// A sunk transpose that the model turns back is gone: what follows is no longer
  /// channels first. For three dimensions the inverse would look like another one.
  bool meetsInverse(graph::TransposeOp op) {
    graph::TransposeOp found = sunkTranspose(op.getInput());
    if (!found || Perm(op.getPerm()) != inverse(found.getPerm()))
      return false;
    op.replaceAllUsesWith(found.getInput());
    addNodes(op);
    return true;
  }

  void sink(Operation *op) {
    graph::TransposeOp found;
    for (Value operand : op->getOperands())
      if (!found)
        found = sunkTranspose(operand);
    if (!found)
      return;
    OpBuilder b(op);
    Perm perm(found.getPerm());
    Sunk sunk = rebuild(b, op, perm);
    if (!sunk.value)
      return;
    // The views in front are part of what the op computes now.
    auto result = graph::TransposeOp::create(b, found.getLoc(), sunk.value, sunk.perm);
    op->getResult(0).replaceAllUsesWith(result);
    transposed.insert(result.getResult());
    op->erase();
  }

  /// `value` with its dimensions in the order of the transpose's input.
  Value unpermute(OpBuilder &b, Value value, ArrayRef<int64_t> perm) {
    if (auto transpose = sunkTranspose(value); transpose && transpose.getPerm() == perm)
      return transpose.getInput();
    const RankedTensorType type = unpermutedType(value, perm);
    if (std::optional<double> number = splatOf(value))
      return splat(b, value.getLoc(), *number, type);
    if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>())
      return graph::BroadcastOp::create(b, broadcast.getLoc(), type, unpermute(b, broadcast.getInput(), perm));
    // An argument's or a constant's location may name no node.
    return graph::TransposeOp::create(b, sinking->getLoc(), value, inverse(perm));
  }

  SmallVector<Value> unpermutedOperands(OpBuilder &b, Operation *op, ArrayRef<int64_t> perm) {
    return llvm::map_to_vector(op->getOperands(), [&](Value operand) { return unpermute(b, operand, perm); });
  }

  /// Clones `op` with other operands and another shape; `change` adapts attributes.
  template <class Op>
  Value clone(OpBuilder &b, Op op, ValueRange operands, ArrayRef<Expr> shape, function_ref<void(Op)> change = {}) {
    Operation *copy = b.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(graph::tensorType(shape, graph::elementOf(op->getResult(0))));
    if (change)
      change(cast<Op>(copy));
    return copy->getResult(0);
  }

  Sunk rebuild(OpBuilder &b, Operation *op, const Perm &perm) {
    sinking = op;
    if (isPointwise(op))
      return sameShape(b, op, perm);
    return llvm::TypeSwitch<Operation *, Sunk>(op)
        .Case<graph::PadOp, graph::SliceOp, graph::ConcatOp>([&](auto view) { return rebuildView(b, view, perm); })
        .Case<graph::ReduceOp, graph::WindowOp, graph::GatherOp, graph::BroadcastOp, graph::ReshapeOp, graph::SoftmaxOp,
              graph::LayerNormOp>([&](auto typed) { return rebuildOp(b, typed, perm); })
        .Default([](Operation *) { return Sunk(); });
  }

  Exprs resultShape(Operation *op, ArrayRef<int64_t> perm) {
    return unpermuted<Expr>(graph::shapeOf(op->getResult(0)), perm);
  }

  Sunk sameShape(OpBuilder &b, Operation *op, const Perm &perm) {
    return {clone(b, op, unpermutedOperands(b, op, perm), resultShape(op, perm)), perm};
  }

  template <class Op> Sunk rebuildOverAxes(OpBuilder &b, Op op, const Perm &perm) {
    Perm axes = llvm::map_to_vector(op.getAxes(), [&](int64_t axis) { return perm[axis]; });
    llvm::sort(axes);
    return {clone<Op>(b, op, unpermute(b, op.getInput(), perm), resultShape(op, perm),
                      [&](Op copy) { copy.setAxes(axes); }),
            perm};
  }
  Sunk rebuildOp(OpBuilder &b, graph::ReduceOp op, const Perm &perm) { return rebuildOverAxes(b, op, perm); }
  Sunk rebuildOp(OpBuilder &b, graph::LayerNormOp op, const Perm &perm) { return rebuildOverAxes(b, op, perm); }

  Sunk rebuildOp(OpBuilder &b, graph::SoftmaxOp op, const Perm &perm) {
    return {clone<graph::SoftmaxOp>(b, op, unpermute(b, op.getInput(), perm), resultShape(op, perm),
                                    [&](graph::SoftmaxOp copy) { copy.setAxis(perm[op.getAxis()]); }),
            perm};
  }

  /// The windowed dimensions have to be neighbours in the input, too.
  Sunk rebuildOp(OpBuilder &b, graph::WindowOp op, const Perm &perm) {
    int64_t axis = op.getAxis(), dims = op.getSizes().size(), first = perm[axis];
    for (int64_t i = 0; i < dims; ++i)
      if (perm[axis + i] != first + i)
        return {};
    Perm result;
    auto moved = [&](int64_t dim) { return dim < first + dims ? dim : dim + dims; };
    for (int64_t i = 0; i < axis + dims; ++i)
      result.push_back(moved(perm[i]));
    for (int64_t i = 0; i < dims; ++i)
      result.push_back(first + dims + i);
    for (size_t i = axis + dims; i < perm.size(); ++i)
      result.push_back(moved(perm[i]));
    return {clone<graph::WindowOp>(b, op, unpermute(b, op.getInput(), perm), resultShape(op, result),
                                   [&](graph::WindowOp copy) { copy.setAxis(first); }),
            result};
  }

  Sunk rebuildView(OpBuilder &b, Operation *op, const Perm &perm) {
    return {unpermutedView(b, op, unpermutedOperands(b, op, perm), perm), perm};
  }

  /// One index per place along the axis, as of a resize.
  Sunk rebuildOp(OpBuilder &b, graph::GatherOp op, const Perm &perm) {
    if (op.getBatchDims() != 0 || graph::rankOf(op.getIndices()) != 1 || !sunkTranspose(op.getData()))
      return {};
    return {clone<graph::GatherOp>(b, op, {unpermute(b, op.getData(), perm), op.getIndices()}, resultShape(op, perm),
                                   [&](graph::GatherOp copy) { copy.setAxis(perm[op.getAxis()]); }),
            perm};
  }

  Sunk rebuildOp(OpBuilder &b, graph::BroadcastOp op, const Perm &perm) {
    return {clone<graph::BroadcastOp>(b, op, unpermute(b, op.getInput(), perm), resultShape(op, perm)), perm};
  }

  /// Splits stay splits; what is merged has to be neighbours in the input, too.
  Sunk rebuildOp(OpBuilder &b, graph::ReshapeOp op, const Perm &perm) {
    Exprs from = graph::shapeOf(op.getInput()), to = graph::shapeOf(op.getResult());
    auto groups = groupsOf(from, to);
    if (!groups)
      return {};
    // For every dimension of the input: the group that begins there.
    SmallVector<const Group *> at(from.size(), nullptr);
    for (const Group &group : *groups) {
      for (size_t i = group.in; i < group.inEnd; ++i)
        if (perm[i] != perm[group.in] + int64_t(i - group.in))
          return {};
      at[perm[group.in]] = &group;
    }
    Exprs shape;
    Perm result(to.size());
    for (const Group *group : at)
      for (size_t o = group ? group->out : 0; group && o < group->outEnd; ++o) {
        result[o] = shape.size();
        shape.push_back(to[o]);
      }
    return {clone<graph::ReshapeOp>(b, op, unpermute(b, op.getInput(), perm), shape), result};
  }

  func::FuncOp func;
  graph::NodeNames moved; ///< transposes of the model that sink, and their inverses
  Operation *sinking = nullptr;
  DenseSet<Value> transposed;
};

class SinkTransposes : public impl::SinkTransposesBase<SinkTransposes> {
public:
  void runOnOperation() override { Sinker(getOperation()).run(); }
};

} // namespace
} // namespace cupola
