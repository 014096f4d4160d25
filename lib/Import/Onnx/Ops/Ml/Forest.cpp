//===- lib/Import/Onnx/Ops/Ml/Forest.cpp - every tree for every row at once ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The state is the node at which each row stands in each tree, [rows, trees]. A step looks its node up in tables of all
// nodes, compares, and looks the next node up: no branch, so that all steps are one kernel. There are as many steps as
// the deepest tree has levels.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ml/Forest.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;

namespace cupola::onnx_import::ml {
namespace {

/// A bound on the kernel's length; trees of libraries have up to a few dozen levels.
constexpr int64_t kMaxDepth = 256;

/// Levels beneath each root; a node that leads back to itself by way of others is an error.
int64_t depthOf(OpBinder &op, const Forest &forest) {
  constexpr int64_t unseen = -1, open = -2;
  std::vector<int64_t> depth(forest.nodes.size(), unseen);
  std::vector<int64_t> stack(forest.roots.begin(), forest.roots.end());
  while (!stack.empty()) {
    const int64_t node = stack.back();
    const Forest::Node &n = forest.nodes[node];
    if (depth[node] >= 0 || forest.isLeaf(node)) {
      depth[node] = std::max<int64_t>(depth[node], 0);
      stack.pop_back();
    } else if (depth[node] == unseen) {
      depth[node] = open;
      for (int64_t child : {n.holds, n.fails}) {
        if (depth[child] == open)
          op.bad("a node of the trees is beneath itself");
        if (depth[child] == unseen)
          stack.push_back(child);
      }
    } else {
      depth[node] = 1 + std::max(depth[n.holds], depth[n.fails]);
      stack.pop_back();
    }
  }
  int64_t most = 0;
  for (int64_t root : forest.roots)
    most = std::max(most, depth[root]);
  return most;
}

/// Constants with an element per node.
struct Tables {
  Value split, feature, next; ///< next: [2 * nodes], where the comparison fails, and where it holds
  Value isEqual, nanHolds;    ///< null: none does
};

template <class T> Value column(OpBinder &op, const std::vector<T> &values, Type element) {
  return op.b.constant(DenseElementsAttr::get(RankedTensorType::get({static_cast<int64_t>(values.size())}, element),
                                              ArrayRef<T>(values)));
}

Value flags(OpBinder &op, const Forest &forest, bool Forest::Node::*flag) {
  SmallVector<bool> values;
  for (const Forest::Node &node : forest.nodes)
    values.push_back(node.*flag);
  if (llvm::none_of(values, [](bool value) { return value; }))
    return nullptr;
  const auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, IntegerType::get(op.b.context(), 1));
  return op.b.constant(DenseElementsAttr::get(type, values));
}

Tables tablesOf(OpBinder &op, const Forest &forest, Type type) {
  const Type index = IntegerType::get(op.b.context(), 32);
  std::vector<double> split;
  std::vector<int32_t> feature, next;
  for (const Forest::Node &node : forest.nodes) {
    split.push_back(node.split);
    feature.push_back(static_cast<int32_t>(node.feature));
    next.push_back(static_cast<int32_t>(node.fails));
    next.push_back(static_cast<int32_t>(node.holds));
  }
  return {table(op, split, {static_cast<int64_t>(split.size())}, type), column(op, feature, index),
          column(op, next, index), flags(op, forest, &Forest::Node::isEqual),
          flags(op, forest, &Forest::Node::nanHolds)};
}

/// From the nodes at which the rows stand to the next ones.
Value step(OpBinder &op, const Tables &tables, Value x, Value at) {
  const auto of = [&](Value values) { return op.b.gather(values, at, 0); };
  Value value = op.b.gather(x, of(tables.feature), 1, 1), split = of(tables.split);
  Value holds = op.b.binary(BinaryKind::LessEqual, value, split);
  if (tables.isEqual)
    holds = op.b.select(of(tables.isEqual), op.b.binary(BinaryKind::Equal, value, split), holds);
  if (tables.nanHolds)
    holds = op.b.select(op.b.unary(UnaryKind::IsNaN, value), of(tables.nanHolds), holds);
  const Type index = op.b.element(at);
  Value place = op.b.binary(BinaryKind::Mul, at, op.b.intScalar(2, index));
  return op.b.gather(tables.next, op.b.binary(BinaryKind::Add, place, op.b.cast(holds, index)), 0);
}

/// [nodes, targets]: what a leaf adds to a target.
Value weightTable(OpBinder &op, const Forest &forest, Type type) {
  const int64_t count = static_cast<int64_t>(forest.nodes.size());
  if (count > std::numeric_limits<int32_t>::max() / 2 / forest.targets)
    op.unsupported("the trees have " + std::to_string(count) + " nodes and " + std::to_string(forest.targets) +
                   " targets, supported are 2^30 weights");
  std::vector<double> values(count * forest.targets);
  for (const Forest::Weight &weight : forest.weights)
    values[weight.leaf * forest.targets + weight.target] += weight.value;
  return table(op, values, {count, forest.targets}, type);
}

/// A least or a greatest weight of no weight at all would be infinite.
void requireWeights(OpBinder &op, const Forest &forest) {
  std::vector<bool> isSet(forest.nodes.size() * forest.targets);
  for (const Forest::Weight &weight : forest.weights)
    isSet[weight.leaf * forest.targets + weight.target] = true;
  for (int64_t node = 0; node < static_cast<int64_t>(forest.nodes.size()); ++node)
    for (int64_t target = 0; target < forest.targets; ++target)
      if (forest.isLeaf(node) && !isSet[node * forest.targets + target])
        op.unsupported("a leaf has no weight for target " + std::to_string(target) +
                       ", with MIN or MAX supported are leaves with a weight for each target");
}

} // namespace

Forest::Node Forest::inner(Compare compare, int64_t feature, double split, bool missingHolds, int64_t onTrue,
                           int64_t onFalse) const {
  const bool opposite = compare == Compare::GreaterEqual || compare == Compare::Greater || compare == Compare::NotEqual;
  Node node{false, missingHolds, feature, split, onTrue, onFalse};
  if (opposite) {
    std::swap(node.holds, node.fails);
    // NaN is not greater than anything, but it is not equal to anything either.
    node.nanHolds = compare != Compare::NotEqual && !missingHolds;
  }
  node.isEqual = compare == Compare::Equal || compare == Compare::NotEqual;
  // x < split where x <= the number before it
  if (compare == Compare::Less || compare == Compare::GreaterEqual) {
    const double before = isFloat64
                              ? std::nextafter(split, -std::numeric_limits<double>::infinity())
                              : std::nextafterf(static_cast<float>(split), -std::numeric_limits<float>::infinity());
    node.split = before == split ? std::numeric_limits<double>::quiet_NaN() : before; // nothing is before -inf
  }
  return node;
}

Value scoresOf(OpBinder &op, const Forest &forest, Aggregate aggregate, Value x) {
  const int64_t depth = depthOf(op, forest);
  if (depth > kMaxDepth)
    op.unsupported("a tree has " + std::to_string(depth) + " levels, supported are " + std::to_string(kMaxDepth));
  int64_t features = 0;
  for (const Forest::Node &node : forest.nodes)
    features = std::max(features, node.feature + 1);
  const Exprs shape = op.b.shape(x);
  op.b.atMost(Expr(features), shape[1], "the features that the trees look at, and those of input 0 (X)");
  const Type type = op.b.element(x);
  const Tables tables = tablesOf(op, forest, type);
  const std::vector<int32_t> roots(forest.roots.begin(), forest.roots.end());
  const int64_t trees = static_cast<int64_t>(roots.size());
  Value at = op.b.broadcast(column(op, roots, IntegerType::get(op.b.context(), 32)), {shape[0], Expr(trees)});
  for (int64_t i = 0; i < depth; ++i)
    at = step(op, tables, x, at);
  if (aggregate == Aggregate::Min || aggregate == Aggregate::Max)
    requireWeights(op, forest);
  Value found = op.b.gather(weightTable(op, forest, type), at, 0); // [rows, trees, targets]
  const ReduceKind kind = aggregate == Aggregate::Min   ? ReduceKind::Min
                          : aggregate == Aggregate::Max ? ReduceKind::Max
                                                        : ReduceKind::Sum;
  Value scores = op.b.squeeze(op.b.reduce(kind, found, {1}), {1});
  return aggregate == Aggregate::Average
             ? op.b.binary(BinaryKind::Div, scores, op.b.scalar(static_cast<double>(trees), type))
             : scores;
}

} // namespace cupola::onnx_import::ml
