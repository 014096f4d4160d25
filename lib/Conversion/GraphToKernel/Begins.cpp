//===- lib/Conversion/GraphToKernel/Begins.cpp - where one of many parts begins, as a scalar ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A tensor of thousands of parts, written or read part by part, needs one kernel, not thousands: kernels that are alike
// but for a number are equal when the number is a scalar of the launch.
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GraphToKernel/Emitter.h"

#include <numeric>

using namespace mlir;
using namespace cupola;

static constexpr unsigned mostParts = 16;

void Emitter::declareConstant(const std::string &symbol, int64_t value, Range range, int64_t divisor) {
  known[symbol] = std::move(range);
  divisors[symbol] = divisor;
  toKernel[symbol] = Expr::symbol("n" + std::to_string(scalarSymbols.size()));
  scalarSymbols.push_back(symbol);
  scalarValues.push_back(value);
}

/// What `begin` along an axis of `shape` is a multiple of, as far as it aligns access: kernels that differ in more are
/// several for nothing.
static int64_t divisorOf(int64_t begin, ArrayRef<Expr> shape, size_t axis) {
  constexpr int64_t most = 64; // more aligns nothing
  const Expr step = graph::product(shape.drop_front(axis + 1));
  int64_t open = most; // that the step does not bring
  while (open > 1 && divisible(step, 2 * (most / open), {}))
    open /= 2;
  return std::gcd(begin, open);
}

void Emitter::declareBegin(unsigned result) {
  Value value = theFusion.getResult(result);
  graph::JoinOp join = graph::joinOf(value);
  const bool many = join && (join.getInputs().size() > mostParts || !sliceBegins.empty());
  if (!many)
    return;
  const graph::Placement place = graph::placementOf(value);
  const int64_t axis = join.getAxis();
  if (const std::optional<int64_t> begin = place.offset[axis].constant())
    declareConstant(beginOf(result), *begin, {Expr(0), place.storage[axis] - graph::extentOf(value, axis)},
                    divisorOf(*begin, place.storage, axis));
}

void Emitter::declareSliceBegins() {
  std::map<unsigned, SmallVector<graph::SliceOp>> slices; // by the operand that they are cut from
  for (auto slice : theFusion.getBody().getOps<graph::SliceOp>())
    if (auto argument = dyn_cast<BlockArgument>(slice.getInput()))
      slices[argument.getArgNumber()].push_back(slice);
  for (const auto &[argument, cuts] : slices) {
    if (!theFusion.getInputs()[argument].hasNUsesOrMore(mostParts / cuts.size() + 1))
      continue;
    for (graph::SliceOp slice : cuts)
      declareSliceBegin(slice, /*alone=*/cuts.size() == 1);
  }
}

/// Along the axes that it shortens. Where there are many in one kernel nothing is aligned, and all have one divisor.
void Emitter::declareSliceBegin(graph::SliceOp slice, bool alone) {
  const graph::Exprs starts = graph::exprsOf(slice.getStarts()), whole = graph::shapeOf(slice.getInput());
  for (auto [axis, extent] : llvm::enumerate(graph::shapeOf(slice))) {
    const std::optional<int64_t> begin = starts[axis].constant();
    if (!begin || slice.getSteps()[axis] != 1 || extent == whole[axis])
      continue;
    const std::string symbol = "slice" + std::to_string(sliceBegins.size()) + "_" + std::to_string(axis);
    declareConstant(symbol, *begin, {Expr(0), whole[axis] - extent}, alone ? divisorOf(*begin, whole, axis) : 1);
    sliceBegins[slice].push_back({static_cast<unsigned>(axis), Expr::symbol(symbol) - *begin});
  }
}
