//===- lib/Transforms/Simplify/Gathers.cpp - gathers at known places ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Match.h"
#include "lib/Transforms/Simplify/Patterns.h"

using namespace mlir;

namespace cupola::simplification {
namespace {
using namespace cupola::match;
using graph::Exprs;

/// first, first + step, ..: `count` of them.
struct Progression {
  int64_t first, step, count;
  int64_t last() const { return first + step * (count - 1); }
};

/// The progression that a constant of rank 0 or 1 holds.
std::optional<Progression> progressionOf(Value indices) {
  auto constant = indices.getDefiningOp<graph::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!elements || elements.getType().getRank() > 1 || elements.getNumElements() == 0)
    return std::nullopt;
  SmallVector<int64_t> numbers;
  for (const APInt &number : elements.getValues<APInt>())
    numbers.push_back(number.getSExtValue());
  Progression result{numbers[0], numbers.size() > 1 ? numbers[1] - numbers[0] : 1, int64_t(numbers.size())};
  for (auto [i, number] : llvm::enumerate(numbers))
    if (number != result.first + result.step * int64_t(i))
      return std::nullopt;
  return result.step == 0 ? std::nullopt : std::optional(result);
}

/// A gather of places known to exist is a slice: it composes into addresses. Where a
/// dimension might be too short, the gather stays, for it reports the error of the run.
LogicalResult gatherToSlice(graph::GatherOp op, PatternRewriter &rewriter) {
  std::optional<Progression> places = op.getBatchDims() == 0 ? progressionOf(op.getIndices()) : std::nullopt;
  if (!places || (places->first < 0) != (places->last() < 0))
    return failure();
  Exprs shape = graph::shapeOf(op.getData()), starts(shape.size(), Expr(0));
  int64_t axis = op.getAxis();
  Expr base = places->first < 0 ? shape[axis] : Expr(0);
  Ranges ranges = graph::symbolRanges(op->getParentOfType<ModuleOp>());
  for (int64_t place : {places->first, places->last()})
    if (proveLess(base + place, shape[axis], ranges) != true || proveLessEqual(0, base + place, ranges) != true)
      return failure();
  SmallVector<int64_t> steps(shape.size(), 1);
  starts[axis] = base + places->first;
  steps[axis] = places->step;
  shape[axis] = places->count;
  auto type = graph::tensorType(shape, graph::elementOf(op.getResult()));
  auto loc = fusedLoc(rewriter, {op});
  Value slice =
      graph::SliceOp::create(rewriter, loc, type, op.getData(), graph::exprArray(op.getContext(), starts), steps);
  rewriter.replaceOp(op, reshapeTo(rewriter, loc, slice, graph::shapeOf(op.getResult())));
  return success();
}

} // namespace

void addGatherPatterns(RewritePatternSet &patterns) { patterns.add(gatherToSlice); }

} // namespace cupola::simplification
