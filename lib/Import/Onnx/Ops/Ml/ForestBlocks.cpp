//===- lib/Import/Onnx/Ops/Ml/ForestBlocks.cpp - trees that are walked together ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ml/ForestBlocks.h"

#include <cmath>
#include <map>

using namespace mlir;

namespace cupola::onnx_import::ml {
namespace {

/// Trees of about one depth are one kernel: those of up to so many levels, of up to twice as many, ..
constexpr int64_t kDepthStep = 8;
/// Trees of a block: as many as a long vector has lanes.
constexpr int64_t kBlock = 16;
/// Records that the second cache of a core holds beside all else.
constexpr int64_t kCachedBytes = 256 << 10;

/// By tree the target that all its leaves add to; none where some tree has several.
class TargetsOfTrees {
public:
  TargetsOfTrees(const Forest &forest, const ForestPlaces &places)
      : forest(forest), places(places), targetOf(forest.nodes.size(), none), seenBy(places.places.size(), none) {
    for (const Forest::Weight &weight : forest.weights) {
      int64_t &target = targetOf[weight.leaf];
      const bool isOne = target == none || target == weight.target;
      target = isOne && std::isfinite(weight.value) ? weight.target : several; // a sum by a product has no infinities
    }
  }

  std::optional<Ints> run() {
    Ints targets;
    for (int64_t root : places.roots) {
      const int64_t target = of(root);
      if (target == several)
        return std::nullopt;
      targets.push_back(target == none ? 0 : target);
    }
    return targets;
  }

private:
  static constexpr int64_t none = -1, several = -2;

  int64_t of(int64_t root) {
    int64_t found = none;
    for (std::vector<int64_t> open{root}; !open.empty();) {
      const int64_t at = open.back();
      open.pop_back();
      if (seenBy[at] == root)
        continue;
      seenBy[at] = root;
      const ForestPlaces::Place &place = places.places[at];
      if (place.origin < 0) {
        open.push_back(place.next);
      } else if (!forest.isLeaf(place.origin)) {
        open.insert(open.end(), {place.next, place.next + 1});
      } else if (const int64_t target = targetOf[place.origin]; target != none) {
        if (target == several || (found != none && found != target))
          return several;
        found = target;
      }
    }
    return found;
  }

  const Forest &forest;
  const ForestPlaces &places;
  Ints targetOf; ///< by node
  Ints seenBy;   ///< by place: a root
};

/// Trees by depth; those of a depth by target.
using Classes = std::map<int64_t, std::map<int64_t, Ints>, std::greater<>>;

Classes classesOf(const ForestPlaces &places, const std::optional<Ints> &targets) {
  Classes classes;
  for (auto [tree, root] : llvm::enumerate(places.roots))
    classes[llvm::divideCeil(places.depths[tree], kDepthStep)][targets ? (*targets)[tree] : 0].push_back(root);
  return classes;
}

/// What filling blocks up makes of the number of trees.
int64_t filled(const Classes &classes) {
  int64_t count = 0;
  for (const auto &[depth, byTarget] : classes)
    for (const auto &[target, roots] : byTarget)
      count += static_cast<int64_t>(llvm::alignTo(roots.size(), kBlock));
  return count;
}

} // namespace

ForestBlocks blocksOf(const Forest &forest, ForestPlaces &places, int64_t recordBytes) {
  ForestBlocks blocks;
  const auto trees = static_cast<int64_t>(places.roots.size());
  const bool isLarge = static_cast<int64_t>(places.places.size()) * recordBytes > kCachedBytes;
  Classes classes = classesOf(places, std::nullopt);
  if (isLarge && forest.targets > 1)
    if (const std::optional<Ints> targets = TargetsOfTrees(forest, places).run()) {
      Classes byTarget = classesOf(places, targets);
      blocks.areByTarget = 4 * filled(byTarget) <= 5 * trees;
      if (blocks.areByTarget)
        classes = std::move(byTarget);
    }
  int64_t begin = 0; // the deepest trees come first
  for (const auto &[depth, byTarget] : classes) {
    ForestGroup group;
    group.levels = places.depths[begin];
    for (const auto &[target, roots] : byTarget) {
      const auto count = static_cast<int64_t>(roots.size());
      group.size = isLarge && (count > kBlock || blocks.areByTarget) ? kBlock : count;
      const int64_t whole = static_cast<int64_t>(llvm::alignTo(count, group.size));
      if (whole != count && blocks.empty < 0)
        blocks.empty = static_cast<int64_t>(places.places.size());
      llvm::append_range(group.roots, roots);
      group.roots.insert(group.roots.end(), whole - count, blocks.empty);
      group.targets.insert(group.targets.end(), whole / group.size, target);
      begin += count;
    }
    blocks.groups.push_back(std::move(group));
  }
  if (blocks.empty >= 0)
    places.places.push_back(ForestPlaces::Place::leadingTo(blocks.empty, /*origin=*/-1));
  return blocks;
}

} // namespace cupola::onnx_import::ml
