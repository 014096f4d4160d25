//===- lib/Target/CUDA/RecurrenceTiles.cpp - which part of a recurrence a block has ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/RecurrenceTiles.h"

#include "lib/Target/CUDA/Schedules/Schedules.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {

static constexpr int64_t usualWarps = 8;
/// Weights that a thread has beside what it computes with, which is more with several rows and with each further
/// product.
static constexpr int64_t mostWeights = 64, lessForMore = 16;
/// Of a left operand that a block has in shared memory.
static constexpr int64_t mostStaged = 4096;
/// Of the states: more are multiplied step by step, where all multiprocessors share them. So many at once, whose sums a
/// thread has in registers, and of a number that is not known before.
static constexpr int64_t mostRows = 32, rowsAtOnce = 8, usualRows = 4;

std::optional<RecurrenceTiles> chooseTiles(const RecurrenceShape &shape, const GpuArchitecture &target) {
  const int64_t products = shape.gates.size(), gates = *llvm::max_element(shape.gates);
  if (shape.rows.value_or(1) > mostRows || gates > usualWarps)
    return std::nullopt;
  RecurrenceTiles tiles{1, 0, 1, 0};
  const int64_t most = std::min(rowsAtOnce, shape.rows.value_or(usualRows));
  const int64_t weights = mostWeights - (products - (most > 1 ? 0 : 1)) * lessForMore;
  while (tiles.depth(shape.width) / tiles.split * products > weights)
    if ((tiles.split *= 2) > lanes)
      return std::nullopt;
  const int64_t columns = lanes / tiles.split; // of a warp
  const int64_t all = llvm::divideCeilSigned(shape.width, columns);
  const int64_t ofGate = std::min(usualWarps / gates, all); // warps
  tiles.units = ofGate * columns;
  tiles.warps = ofGate * gates;
  while (tiles.rows < most && 2 * tiles.rows * tiles.units <= tiles.threads() &&
         2 * tiles.rows * tiles.depth(shape.width) <= mostStaged)
    tiles.rows *= 2;
  return multiprocessorsFor(shape, tiles) <= target.multiprocessors ? std::optional(tiles) : std::nullopt;
}

uint32_t multiprocessorsFor(const RecurrenceShape &shape, const RecurrenceTiles &tiles) {
  const int64_t blocks = tiles.blocksOf(shape.width);
  return blocks == 1 ? 0 : llvm::divideCeilSigned(blocks * shape.directions, RecurrenceTiles::resident);
}

std::optional<RecurrenceShape> shapeOf(const graph::Recurrence &loop) {
  RecurrenceShape shape{*loop.directions.constant(), *loop.width.constant(), loop.rows.constant(), {}};
  for (graph::MatMulOp product : loop.products) {
    if (!graph::accumulatorOf(graph::elementOf(product.getResult())).isF32())
      return std::nullopt;
    shape.gates.push_back(*graph::shapeOf(product.getResult()).back().constant() / shape.width);
  }
  return shape;
}

ExtractOp RecurrenceParts::leftOf(DotOp dot) {
  auto extract = dot.getLhs().front().getTerminator()->getOperand(0).getDefiningOp<ExtractOp>();
  return extract && isOwnPoint(extract, dot.getLhs().getArguments()) ? extract : ExtractOp();
}

/// Nothing but loops over the elements of states, and products for all of them.
static bool isOfElements(Block &block, ArrayRef<Attribute> extents, Operation *steps = nullptr) {
  return llvm::all_of(block, [&](Operation &op) {
    if (isa<MapOp, ForeachOp>(op))
      return extentsOf(&op).getValue() == extents;
    auto dot = dyn_cast<DotOp>(op);
    return dot ? RecurrenceParts::leftOf(dot) != nullptr : &op == steps || op.getNumRegions() == 0;
  });
}

std::optional<RecurrenceParts> recurrenceParts(FuncOp func) {
  auto loops = func.getBody().getOps<ForOp>();
  if (func.getGrid().size() > 1 || !llvm::hasSingleElement(loops) || !(*loops.begin()).getMeet().empty())
    return std::nullopt;
  RecurrenceParts parts;
  parts.steps = *loops.begin();
  if (parts.steps.getInits().empty() || !llvm::all_of(parts.steps.getInits().getTypes(), llvm::IsaPred<TileType>))
    return std::nullopt;
  const auto first = cast<TileType>(parts.steps.getInits().getTypes().front()).getExtents();
  const SmallVector<Attribute> extents(first.begin(), first.end());
  if (extents.size() != 2 || !isOfElements(func.getBody().front(), extents, parts.steps) ||
      !isOfElements(parts.steps.getBody().front(), extents))
    return std::nullopt;
  parts.rows = graph::exprOf(extents[0]);
  const graph::Exprs grid = graph::exprsOf(func.getGrid());
  parts.shape = {
      grid.empty() ? 1 : *grid[0].constant(), *graph::exprOf(extents[1]).constant(), parts.rows.constant(), {}};
  for (auto dot : parts.steps.getBody().getOps<DotOp>()) {
    parts.dots.push_back(dot);
    parts.shape.gates.push_back(*graph::exprOf(dot.getExtents()[1]).constant() / parts.shape.width);
  }
  return parts.dots.empty() ? std::nullopt : std::optional(parts);
}

} // namespace cupola::cuda
