//===- lib/Import/Onnx/Ops/Ml/ForestById.cpp - trees of nodes by (tree, id) ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ml/Forest.h"
#include "lib/Import/Onnx/Ops/Ml/NodeAttributes.h"
#include "lib/Import/Onnx/Text.h"

#include "llvm/ADT/StringSwitch.h"

#include <limits>
#include <map>

using namespace mlir;

namespace cupola::onnx_import::ml {
namespace {

struct NodesById {
  Ints trees, ids, features, onTrue, onFalse, missing;
  Reals splits;
  std::vector<std::string> modes;
  bool isFloat64 = false;
  std::map<std::pair<int64_t, int64_t>, int64_t> places;

  int64_t place(OpBinder &op, int64_t tree, int64_t id) const {
    const auto found = places.find({tree, id});
    if (found == places.end())
      op.bad("tree " + std::to_string(tree) + " has no node " + std::to_string(id));
    return found->second;
  }
};

NodesById readNodes(OpBinder &op) {
  NodesById n;
  n.trees = intsOf(op, "nodes_treeids"), n.ids = intsOf(op, "nodes_nodeids");
  n.features = intsOf(op, "nodes_featureids");
  n.onTrue = intsOf(op, "nodes_truenodeids"), n.onFalse = intsOf(op, "nodes_falsenodeids");
  n.missing = intsOf(op, "nodes_missing_value_tracks_true");
  n.splits = realsAttribute(op, "nodes_values", &n.isFloat64);
  n.modes = op.stringsAttribute("nodes_modes").value_or(std::vector<std::string>());
  op.ignoreAttribute("nodes_hitrates"); // how often a node was visited in training
  op.ignoreAttribute("nodes_hitrates_as_tensor");
  const size_t count = n.trees.size();
  if (count == 0)
    op.bad("attribute 'nodes_treeids' has no element, expected one per node");
  if (n.missing.empty())
    n.missing.assign(count, 0);
  requireCounts(op, count,
                {{"nodes_nodeids", n.ids.size()},
                 {"nodes_featureids", n.features.size()},
                 {"nodes_truenodeids", n.onTrue.size()},
                 {"nodes_falsenodeids", n.onFalse.size()},
                 {"nodes_missing_value_tracks_true", n.missing.size()},
                 {"nodes_values", n.splits.size()},
                 {"nodes_modes", n.modes.size()}});
  for (size_t i = 0; i < count; ++i)
    if (!n.places.try_emplace({n.trees[i], n.ids[i]}, i).second)
      op.bad("tree " + std::to_string(n.trees[i]) + " has two nodes " + std::to_string(n.ids[i]));
  return n;
}

/// Null: a leaf.
std::optional<Compare> compareOf(OpBinder &op, const std::string &mode) {
  if (mode == "LEAF")
    return std::nullopt;
  const auto compare = llvm::StringSwitch<std::optional<Compare>>(mode)
                           .Case("BRANCH_LEQ", Compare::LessEqual)
                           .Case("BRANCH_LT", Compare::Less)
                           .Case("BRANCH_GTE", Compare::GreaterEqual)
                           .Case("BRANCH_GT", Compare::Greater)
                           .Case("BRANCH_EQ", Compare::Equal)
                           .Case("BRANCH_NEQ", Compare::NotEqual)
                           .Default(std::nullopt);
  if (!compare)
    op.bad("attribute 'nodes_modes' has " + quoted(mode) + ", expected LEAF, BRANCH_LEQ, _LT, _GTE, _GT, _EQ or _NEQ");
  return compare;
}

/// The nodes that are no one's child, one per tree, in the order of the nodes.
Ints rootsOf(OpBinder &op, const NodesById &nodes, const Forest &forest) {
  std::vector<bool> isChild(forest.nodes.size());
  for (int64_t i = 0; i < static_cast<int64_t>(forest.nodes.size()); ++i)
    if (!forest.isLeaf(i))
      isChild[forest.nodes[i].holds] = isChild[forest.nodes[i].fails] = true;
  Ints roots;
  std::map<int64_t, int64_t> rootOf;
  for (size_t i = 0; i < forest.nodes.size(); ++i) {
    if (isChild[i])
      continue;
    if (!rootOf.try_emplace(nodes.trees[i], i).second)
      op.bad("tree " + std::to_string(nodes.trees[i]) + " has two nodes that are no node's child");
    roots.push_back(i);
  }
  if (roots.empty())
    op.bad("a node of the trees is beneath itself");
  return roots;
}

} // namespace

Forest readForestById(OpBinder &op, StringRef prefix, int64_t targets) {
  const NodesById n = readNodes(op);
  Forest forest;
  forest.targets = targets;
  forest.isFloat64 = n.isFloat64 || op.element(0, "X").isF64();
  for (size_t i = 0; i < n.ids.size(); ++i) {
    const int64_t self = static_cast<int64_t>(i);
    const auto compare = compareOf(op, n.modes[i]);
    if (!compare) {
      forest.nodes.emplace_back();
      forest.nodes.back().holds = forest.nodes.back().fails = self;
      continue;
    }
    if (n.features[i] < 0 || n.features[i] > std::numeric_limits<int32_t>::max())
      op.bad("attribute 'nodes_featureids' has " + std::to_string(n.features[i]) + ", expected numbers of features");
    forest.nodes.push_back(forest.inner(*compare, n.features[i], n.splits[i], n.missing[i] != 0,
                                        n.place(op, n.trees[i], n.onTrue[i]), n.place(op, n.trees[i], n.onFalse[i])));
  }
  forest.roots = rootsOf(op, n, forest);
  const std::string p = prefix.str();
  const Ints trees = intsOf(op, p + "_treeids"), ids = intsOf(op, p + "_nodeids"), of = intsOf(op, p + "_ids");
  const Reals values = realsAttribute(op, p + "_weights");
  requireCounts(op, trees.size(),
                {{p + "_nodeids", ids.size()}, {p + "_ids", of.size()}, {p + "_weights", values.size()}});
  for (size_t i = 0; i < trees.size(); ++i) {
    requireWithin(op, p + "_ids", of[i], targets);
    const int64_t leaf = n.place(op, trees[i], ids[i]);
    if (!forest.isLeaf(leaf))
      op.bad("tree " + std::to_string(trees[i]) + " has a weight at node " + std::to_string(ids[i]) +
             ", which is no leaf");
    forest.weights.push_back({leaf, of[i], values[i]});
  }
  return forest;
}

} // namespace cupola::onnx_import::ml
