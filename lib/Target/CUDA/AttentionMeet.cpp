//===- lib/Target/CUDA/AttentionMeet.cpp - parts of the steps, and how what they carry meets ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToPlan/GraphToPlan.h"
#include "lib/Target/CUDA/AttentionLowering.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace cupola::cuda {

/// All blocks where rows are few; one where these are enough: what is known at run time alone decides there.
Expr blocksOfSteps(const Expr &steps, const Expr &tiles, int64_t blocks) {
  constexpr int64_t leastSteps = 2; // of a part
  constexpr int64_t mostTiles = 256;
  static_assert(mostTiles <= kLaunchCounters);
  if (blocks == 1)
    return 1;
  const Expr most = max(min(Expr(blocks), floorDiv(steps, leastSteps)), 1);
  const Expr areFew = min(Expr(1), floorDiv(Expr(mostTiles), max(tiles, 1)));
  return simplify((most - 1) * areFew + 1, {});
}

void AttentionLowering::letSteps() {
  std::tie(firstStep, endStep) = parts.steps.stepsOfRows(firstRow(), firstRow() + (rows - 1));
  const Expr steps = parts.steps.getSteps(), all = blocks * of.groups;
  mostSteps = steps;
  if (!firstStep.constant())
    firstStep = low.let("firstSeen", firstStep, steps + 1);
  if (endStep != steps)
    endStep = low.let("endSeen", endStep, steps + 1);
  if (all.isConstant(1))
    return;
  const Expr count = endStep - firstStep, each = ceilDiv(count, all), end = endStep;
  mostSteps = each;
  // Behind the last step, where parts have none: by less than there are parts.
  const Expr bound = count.constant() && all.constant() ? (all - 1) * each + 1 : steps + of.groups * of.blocks;
  firstStep = low.let("first", firstStep + (part * of.groups + group) * each, bound);
  endStep = firstStep + each;
  if (mod(count, all).constant() != 0)
    endStep = low.let("end", min(endStep, end), steps + 1);
}

static int64_t elementsOf(Value registers) {
  return llvm::product_of(cast<RegistersType>(registers.getType()).getExtents());
}

int64_t AttentionLowering::carriedElements() {
  int64_t total = 0;
  for (Value registers : carried)
    total += elementsOf(registers);
  return total;
}

void AttentionLowering::forCarried(ValueRange registers,
                                   llvm::function_ref<void(Value, const graph::Exprs &, const Expr &)> body) {
  int64_t first = 0;
  for (Value tile : registers) {
    low.forElements(tile, [&](const graph::Exprs &index, const Expr &number) { body(tile, index, first + number); });
    first += elementsOf(tile);
  }
}

LogicalResult AttentionLowering::meetParts(const Expr &count,
                                           llvm::function_ref<Value(const Expr &, const Expr &)> load) {
  constexpr int64_t few = 8; // whose states are under way at once
  const bool unroll = count.constant().value_or(few + 1) <= few;
  kernel::ForOp op = parts.steps;
  return low.loop("p", 1, count, 1, unroll, [&](const Expr &p) -> LogicalResult {
    SmallVector<Value> behind;
    for (auto [before, other, registers] : llvm::zip_equal(op.getBefore(), op.getBehind(), carried)) {
      hold(before, registers);
      behind.push_back(hold(other));
    }
    forCarried(behind, [&](Value into, const graph::Exprs &index, const Expr &element) {
      low.set(load(p, element), into, index);
    });
    for (Operation &inner : op.getMeet().front())
      if (failed(statement(inner)))
        return failure();
    auto yield = cast<YieldOp>(op.getMeet().front().getTerminator());
    for (auto [both, registers] : llvm::zip_equal(yield.getValues(), carried))
      copy(heldOf(both), registers);
    return success();
  });
}

LogicalResult AttentionLowering::meetGroups() {
  if (of.groups == 1)
    return success();
  const int64_t lanes = threads / of.groups, elements = carriedElements();
  Value states = low.smem((of.groups - 1) * elements * lanes, low.builder.getF32Type());
  auto place = [&](const Expr &part, const Expr &element) {
    return ((part - 1) * elements + element) * lanes + mod(low.thread(), lanes);
  };
  (void)low.guard({group - 1}, [&] {
    forCarried(carried, [&](Value registers, const graph::Exprs &index, const Expr &element) {
      low.storeShared(low.get(registers, index), states, place(group, element));
    });
    return success();
  });
  barrier();
  return inFirstGroup([&] {
    return meetParts(of.groups,
                     [&](const Expr &p, const Expr &element) { return low.loadShared(states, place(p, element)); });
  });
}

/// Every block leaves its own in the workspace; the last one reads all of them again, so that their order never depends
/// on who is last.
LogicalResult AttentionLowering::meetBlocks(Lowering::Body rest) {
  const int64_t lanes = threads / of.groups, elements = carriedElements();
  const graph::Exprs grid = graph::exprsOf(low.func.getBlocks());
  const Expr tile = low.block();
  Value states = low.workspace(grid[0] * grid[1] * (elements * lanes), low.builder.getF32Type());
  Value counters = low.counters(grid[0]);
  auto place = [&](const Expr &part, const Expr &element) {
    return ((tile * blocks + part) * elements + element) * lanes + mod(low.thread(), lanes);
  };
  auto load = [&](const Expr &p, const Expr &element) { return low.load(states, {place(p, element), {}}); };
  (void)inFirstGroup([&] {
    forCarried(carried, [&](Value registers, const graph::Exprs &index, const Expr &element) {
      low.store(low.get(registers, index), states, place(part, element));
    });
    return success();
  });
  return low.lastBlock(counters, tile, blocks, [&]() -> LogicalResult {
    LogicalResult met = inFirstGroup([&] {
      forCarried(carried, [&](Value registers, const graph::Exprs &index, const Expr &element) {
        low.set(load(0, element), registers, index);
      });
      return meetParts(blocks, load);
    });
    return failed(met) ? met : rest();
  });
}

} // namespace cupola::cuda
