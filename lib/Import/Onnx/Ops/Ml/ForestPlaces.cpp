//===- lib/Import/Onnx/Ops/Ml/ForestPlaces.cpp - where the nodes of trees stand ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ml/ForestPlaces.h"

#include <algorithm>
#include <limits>
#include <tuple>

using namespace mlir;

namespace cupola::onnx_import::ml {
namespace {

class Placing {
public:
  explicit Placing(const Forest &forest) : forest(forest), placeOf(forest.nodes.size(), -1) {}

  ForestPlaces run() {
    for (int64_t root : forest.roots) {
      all.roots.push_back(add(root));
      for (std::vector<int64_t> open{all.roots.back()}; !open.empty();) {
        const int64_t place = open.back(), node = all.places[place].origin;
        open.pop_back();
        if (node < 0 || forest.isLeaf(node))
          continue;
        const int64_t next = all.places[place].next = add(forest.nodes[node].fails);
        open.insert(open.end(), {add(forest.nodes[node].holds), next});
      }
    }
    return std::move(all);
  }

private:
  /// The place behind the last one.
  int64_t add(int64_t node) {
    const auto place = static_cast<int64_t>(all.places.size());
    const bool isNew = placeOf[node] < 0;
    if (isNew)
      placeOf[node] = place;
    if (isNew && !forest.isLeaf(node)) {
      all.places.push_back({forest.nodes[node], 0, node});
    } else {
      all.places.push_back(ForestPlaces::Place::leadingTo(placeOf[node], isNew ? node : -1));
    }
    return place;
  }

  const Forest &forest;
  std::vector<int64_t> placeOf; ///< by node; -1: none yet
  ForestPlaces all;
};

/// Steps from each place to the last leaf beneath it.
class Depths {
public:
  Depths(OpBinder &op, const ForestPlaces &all, const Forest &forest)
      : op(op), all(all), forest(forest), depth(all.places.size(), unseen) {}

  int64_t of(int64_t root) {
    std::vector<int64_t> stack(1, root);
    while (!stack.empty()) {
      const int64_t at = stack.back();
      if (depth[at] == unseen) {
        depth[at] = open;
        pushUnseen(at, stack);
        continue;
      }
      stack.pop_back();
      if (depth[at] == open)
        depth[at] = finished(at);
    }
    return depth[root];
  }

private:
  static constexpr int64_t unseen = -1, open = -2;

  SmallVector<int64_t, 2> nextOf(int64_t at) const {
    const ForestPlaces::Place &place = all.places[at];
    if (place.origin < 0)
      return {place.next};
    return forest.isLeaf(place.origin) ? SmallVector<int64_t, 2>()
                                       : SmallVector<int64_t, 2>{place.next, place.next + 1};
  }

  void pushUnseen(int64_t at, std::vector<int64_t> &stack) {
    for (int64_t next : nextOf(at)) {
      if (depth[next] == open)
        op.bad("a node of the trees is beneath itself");
      if (depth[next] == unseen)
        stack.push_back(next);
    }
  }

  int64_t finished(int64_t at) const {
    int64_t most = -1;
    for (int64_t next : nextOf(at))
      most = std::max(most, depth[next]);
    return most + 1;
  }

  OpBinder &op;
  const ForestPlaces &all;
  const Forest &forest;
  std::vector<int64_t> depth;
};

} // namespace

ForestPlaces::Place ForestPlaces::Place::leadingTo(int64_t next, int64_t origin) {
  Forest::Node never;
  never.split = std::numeric_limits<double>::quiet_NaN();
  return {never, next, origin};
}

ForestPlaces placesOf(OpBinder &op, const Forest &forest) {
  ForestPlaces all = Placing(forest).run();
  Depths depths(op, all, forest);
  std::vector<std::pair<int64_t, int64_t>> trees;
  for (int64_t root : all.roots)
    trees.push_back({depths.of(root), root});
  llvm::sort(trees, [](const auto &a, const auto &b) {
    return std::tuple(-a.first, a.second) < std::tuple(-b.first, b.second);
  });
  for (auto [i, tree] : llvm::enumerate(trees)) {
    all.depths.push_back(tree.first);
    all.roots[i] = tree.second;
  }
  return all;
}

} // namespace cupola::onnx_import::ml
