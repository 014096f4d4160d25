//===- lib/Transforms/SplitNorms.cpp - few long rows are normalised in two stages ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_SPLITNORMS
#include "lib/Transforms/Passes.h.inc"

namespace {
using graph::Exprs;

/// Every element of the second stage combines the moments of at most so many parts.
constexpr int64_t maxParts = 64;
/// Fewer parts gain less than another pass over the row costs.
constexpr int64_t minParts = 4;

/// Into how many equal parts an extent divides: the fewest that are enough, else the most.
int64_t partsOf(int64_t extent, int64_t enough) {
  for (int64_t parts = enough; parts <= maxParts; ++parts)
    if (extent % parts == 0)
      return parts;
  int64_t parts = enough;
  while (extent % parts != 0)
    --parts;
  return parts;
}

/// `parts` of equal size along `axis`, and why.
struct Split {
  int64_t axis, parts;
  std::string reason;
};

/// A program per row is right where the rows are many, or short enough to be read once and
/// kept; all bounds hold for every value of the symbols.
class Rule {
public:
  Rule(int64_t multiprocessors, int64_t keptElements, Ranges ranges)
      : multiprocessors(multiprocessors), keptElements(keptElements), ranges(std::move(ranges)) {}

  std::optional<Split> operator()(graph::LayerNormOp op) const {
    Expr rows = 1, columns = 1;
    for (auto [axis, extent] : llvm::enumerate(graph::shapeOf(op.getInput())))
      (llvm::is_contained(op.getAxes(), static_cast<int64_t>(axis)) ? columns : rows) *= extent;
    std::optional<int64_t> most = bounds(rows, ranges).hi, least = bounds(columns, ranges).lo;
    // RMS norms have the short rows of language models.
    if (op.getRms() || !most || *most < 1 || *most * 2 > multiprocessors || !least || *least <= keptElements)
      return std::nullopt;
    const int64_t wanted = std::min(llvm::divideCeilSigned(multiprocessors, *most), maxParts);
    Split best{0, 0, {}};
    for (int64_t axis : op.getAxes())
      if (std::optional<int64_t> extent = graph::extentOf(op.getInput(), axis).constant();
          extent && best.parts < wanted)
        if (int64_t parts = partsOf(*extent, wanted); parts > best.parts)
          best = {axis, parts, reason(*most, *least, parts)};
    if (best.parts >= minParts)
      return best;
    return std::nullopt;
  }

private:
  std::string reason(int64_t rows, int64_t columns, int64_t parts) const {
    return std::to_string(rows) + " rows of " + std::to_string(columns) + " elements would leave " +
           std::to_string(multiprocessors - rows) + " of " + std::to_string(multiprocessors) +
           " multiprocessors idle; " + std::to_string(parts) + " parts of each row share them";
  }

  int64_t multiprocessors, keptElements;
  Ranges ranges;
};

void rewrite(graph::LayerNormOp op, const Split &split) {
  OpBuilder b(op);
  const Location loc = op.getLoc();
  Exprs shape = graph::shapeOf(op.getInput());
  const Expr part = floorDiv(shape[split.axis], split.parts);
  shape[split.axis] = split.parts;
  shape.insert(shape.begin() + split.axis + 1, part);
  SmallVector<int64_t> axes, within;
  for (int64_t axis : op.getAxes()) {
    if (axis == split.axis)
      axes.push_back(axis);
    const int64_t moved = axis < split.axis ? axis : axis + 1;
    axes.push_back(moved);
    within.push_back(moved);
  }
  Value apart = match::reshapeTo(b, loc, op.getInput(), shape);
  Value moments = graph::MomentsOp::create(b, loc, apart, within);
  auto norm = graph::NormalizeOp::create(b, loc, apart, moments, axes, op.getEpsilon(),
                                         graph::ReasonAttr::get(b.getContext(), split.reason));
  op.replaceAllUsesWith(match::reshapeTo(b, loc, norm, graph::shapeOf(op.getInput())));
  op.erase();
}

class SplitNorms : public impl::SplitNormsBase<SplitNorms> {
public:
  using SplitNormsBase::SplitNormsBase;

  void runOnOperation() override {
    const Rule rule(multiprocessors, keptElements, graph::symbolRanges(getOperation()->getParentOfType<ModuleOp>()));
    for (Block *body : graph::bodiesOf(getOperation()))
      for (auto op : llvm::make_early_inc_range(body->getOps<graph::LayerNormOp>()))
        if (std::optional<Split> split = rule(op))
          rewrite(op, *split);
  }
};

} // namespace
} // namespace cupola
