//===- lib/Import/Onnx/Ops/Ml/ForestByPlace.cpp - trees of nodes by their place in lists ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ml/Forest.h"
#include "lib/Import/Onnx/Ops/Ml/NodeAttributes.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace cupola::onnx_import::ml {
namespace {

struct NodesByPlace {
  Ints features, onTrue, onFalse, trueIsLeaf, falseIsLeaf, missing;
  Reals splits, modes, members;
};

NodesByPlace readPlacedNodes(OpBinder &op, bool &isFloat64) {
  NodesByPlace n;
  n.features = op.requiredInts("nodes_featureids");
  n.onTrue = op.requiredInts("nodes_truenodeids"), n.onFalse = op.requiredInts("nodes_falsenodeids");
  n.trueIsLeaf = op.requiredInts("nodes_trueleafs"), n.falseIsLeaf = op.requiredInts("nodes_falseleafs");
  n.missing = intsOf(op, "nodes_missing_value_tracks_true");
  n.splits = requiredReals(op, "nodes_splits", &isFloat64);
  n.modes = requiredReals(op, "nodes_modes");
  if (const Tensor members = op.tensorAttribute("membership_values"))
    n.members = realsOf(op, members, "membership_values");
  op.ignoreAttribute("nodes_hitrates");
  const size_t count = n.features.size();
  if (n.missing.empty())
    n.missing.assign(count, 0);
  requireCounts(op, count,
                {{"nodes_truenodeids", n.onTrue.size()},
                 {"nodes_falsenodeids", n.onFalse.size()},
                 {"nodes_trueleafs", n.trueIsLeaf.size()},
                 {"nodes_falseleafs", n.falseIsLeaf.size()},
                 {"nodes_missing_value_tracks_true", n.missing.size()},
                 {"nodes_splits", n.splits.size()},
                 {"nodes_modes", n.modes.size()}});
  return n;
}

/// The values of the next node that asks for membership: they end with a NaN.
Reals nextMembers(OpBinder &op, const Reals &members, size_t &at) {
  Reals values;
  for (; at < members.size() && !std::isnan(members[at]); ++at)
    values.push_back(members[at]);
  ++at;
  if (values.empty())
    op.bad("attribute 'membership_values' has no values for one of the nodes that compare by BRANCH_MEMBER");
  return values;
}

/// A comparison per value; all but the first are new nodes.
Forest::Node firstOfChain(Forest &forest, const Reals &members, int64_t feature, bool missing, int64_t onTrue,
                          int64_t onFalse) {
  int64_t next = onFalse;
  for (size_t k = members.size(); --k > 0;) {
    forest.nodes.push_back(forest.inner(Compare::Equal, feature, members[k], missing, onTrue, next));
    next = static_cast<int64_t>(forest.nodes.size()) - 1;
  }
  return forest.inner(Compare::Equal, feature, members[0], missing, onTrue, next);
}

} // namespace

Forest readForestByPlace(OpBinder &op) {
  Forest forest;
  const NodesByPlace n = readPlacedNodes(op, forest.isFloat64);
  forest.isFloat64 |= op.element(0, "X").isF64();
  forest.targets = op.intAttribute("n_targets", 1);
  const Ints leafTargets = op.requiredInts("leaf_targetids");
  const Reals values = requiredReals(op, "leaf_weights");
  requireCount(op, "leaf_weights", values.size(), leafTargets.size());
  const int64_t inner = static_cast<int64_t>(n.features.size()), leaves = static_cast<int64_t>(values.size());
  const auto child = [&](StringRef name, int64_t place, int64_t isLeaf) {
    requireWithin(op, name, place, isLeaf ? leaves : inner);
    return isLeaf ? inner + place : place;
  };
  forest.nodes.resize(inner + leaves);
  size_t member = 0;
  for (int64_t i = 0; i < inner; ++i) {
    requireWithin(op, "nodes_modes", static_cast<int64_t>(n.modes[i]), 7);
    requireWithin(op, "nodes_featureids", n.features[i], std::numeric_limits<int32_t>::max());
    const auto compare = static_cast<Compare>(static_cast<int>(n.modes[i]));
    const int64_t onTrue = child("nodes_truenodeids", n.onTrue[i], n.trueIsLeaf[i]);
    const int64_t onFalse = child("nodes_falsenodeids", n.onFalse[i], n.falseIsLeaf[i]);
    const bool missing = n.missing[i] != 0;
    forest.nodes[i] =
        compare == Compare::Member
            ? firstOfChain(forest, nextMembers(op, n.members, member), n.features[i], missing, onTrue, onFalse)
            : forest.inner(compare, n.features[i], n.splits[i], missing, onTrue, onFalse);
  }
  for (int64_t i = 0; i < leaves; ++i) {
    requireWithin(op, "leaf_targetids", leafTargets[i], forest.targets);
    forest.nodes[inner + i].holds = forest.nodes[inner + i].fails = inner + i;
    forest.weights.push_back({inner + i, leafTargets[i], values[i]});
  }
  forest.roots = op.requiredInts("tree_roots");
  for (int64_t root : forest.roots)
    requireWithin(op, "tree_roots", root, inner);
  return forest;
}

} // namespace cupola::onnx_import::ml
