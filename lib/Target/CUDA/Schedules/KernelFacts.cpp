//===- lib/Target/CUDA/Schedules/KernelFacts.cpp - what the choice of a schedule asks of a kernel ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Schedules/KernelFacts.h"

#include "lib/Target/CUDA/AttentionLowering.h"
#include "lib/Target/CUDA/ProductRows.h"
#include "lib/Target/CUDA/Schedules/Transpose.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {

/// What a symbolic extent is taken for.
static constexpr int64_t typicalExtent = 256;

static int64_t typical(const Expr &extent, int64_t symbols = typicalExtent) {
  std::map<std::string, int64_t> values;
  for (const std::string &symbol : extent.symbols())
    values[symbol] = symbols;
  return extent.evaluate(values).value_or(typicalExtent);
}

/// The iteration of a loop op and its innermost index value.
static std::pair<Block *, Value> innermost(Operation *loop) {
  return {&loop->getRegion(0).front(), loop->getRegion(0).getArguments().back()};
}
static Expr innermostExtent(Operation *loop) { return graph::exprsOf(extentsOf(loop)).back(); }

/// One step has nothing to share.
static bool canShare(Operation *loop) { return !extentsOf(loop).empty(); }

SmallVector<std::pair<Block *, Value>> innermost(ArrayRef<Operation *> loops) {
  return llvm::map_to_vector(loops, [](Operation *loop) { return innermost(loop); });
}

Expr iterationsOf(Operation *loop) { return graph::product(graph::exprsOf(extentsOf(loop))); }

KernelFacts::KernelFacts(FuncOp func) : func(func), vars(func), divisors(scalarDivisors(func.getScalars())) {
  if (auto dots = func.getBody().getOps<DotOp>(); !dots.empty()) {
    product = productOf(*dots.begin());
    collectLoops();
    product->isAlone = llvm::hasSingleElement(dots) && loops.empty();
    if (product->isAlone)
      patch = imagePatch(func, *dots.begin(), vars);
    if (!loops.empty())
      vector = widest();
    return;
  }
  if (std::optional<AttentionParts> parts = attentionParts(func)) {
    attention = attentionOf(*parts);
    return;
  }
  recurrence = recurrenceParts(func);
  if (recurrence)
    return;
  collectLoops();
  points = gridPoints().constant();
  window = windowParts(func, vars);
  sharesLoops = !loops.empty() && llvm::all_of(loops, canShare);
  if (!sharesLoops)
    return;
  isElementwise = hasOnly<ForeachOp>() && func.getGrid().empty();
  readsAlongRows = loadsAlongRows();
  vector = widest();
  peeledVector = vector == 1 ? widestPeeled() : 1;
  if (isElementwise && loops.size() == 1)
    transposedAxis = cuda::transposedAxis(cast<ForeachOp>(loops.front()), vars);
}

void KernelFacts::collectLoops() {
  for (Operation &op : func.getBody().front())
    if (isa<DotOp>(op))
      return;
    else if (product && RowScalars::areIn(&op, product->dot))
      product->rowBytes += RowScalars::bytesOfRow(cast<MapOp>(op));
    else if (isa<ForeachOp, MapOp, kernel::ReduceOp, ArgReduceOp>(op))
      loops.push_back(&op);
}

Expr KernelFacts::gridPoints() const { return graph::product(graph::exprsOf(kernel::FuncOp(func).getGrid())); }

ProductFacts KernelFacts::productOf(DotOp dot) const {
  graph::Exprs extents = graph::exprsOf(dot.getExtents());
  auto isConstant = [](const Expr &extent) { return extent.constant().has_value(); };
  const bool isStatic = llvm::all_of(extents, isConstant) && isConstant(gridPoints());
  return {dot,      typical(extents[0]), typical(extents[1]), typical(extents[2]), typical(gridPoints()),
          isStatic, /*isAlone=*/true};
}

/// A few rows are new tokens, each of which meets all before it: of a batch of one, for which latency counts.
AttentionFacts KernelFacts::attentionOf(const AttentionParts &parts) const {
  constexpr int64_t manyKeys = 2048;
  kernel::ForOp loop = parts.steps;
  const int64_t rows = typical(parts.rows);
  const bool isDecode = rows <= fewTokens;
  // Where positions hide some, the mean of the first, a middle and the last row.
  int64_t steps = 0, samples = 0;
  for (int64_t row : {int64_t(0), rows / 2, rows - 1}) {
    const auto [first, end] = loop.stepsOfRows(row, row);
    steps += typical(max(end - first, 0), isDecode ? manyKeys : typicalExtent);
    ++samples;
  }
  return {parts, rows, llvm::divideCeilSigned(steps, samples), typical(gridPoints(), isDecode ? 1 : typicalExtent)};
}

bool AttentionFacts::canMeet(int64_t rowsOfTile, int64_t groups, int64_t split) const {
  kernel::ForOp loop = parts.steps;
  const Expr tilesOfRows = ceilDiv(parts.rows, rowsOfTile) * batch;
  if (loop.getMeet().empty() || groups * split > steps)
    return false;
  return split == 1 || !blocksOfSteps(loop.getSteps(), tilesOfRows, split).isConstant(1);
}

bool KernelFacts::stepsByOne(LoadOp load, Value index) {
  return cuda::stepsByOne(vars.read(load.getPosition(), load.getIndices()), vars.name(index));
}

bool KernelFacts::loadsAlongRows() {
  return llvm::any_of(loops, [&](Operation *loop) {
    auto [block, index] = innermost(loop);
    return llvm::any_of(block->getOps<LoadOp>(), [&, index = index](LoadOp load) { return stepsByOne(load, index); });
  });
}

/// Every loop could take vectors of one width along its innermost axis.
static bool agree(ArrayRef<Operation *> loops) {
  return llvm::all_of(loops, [&](Operation *loop) {
    const auto [block, index] = innermost(loop);
    return innermostExtent(loop) == innermostExtent(loops.front()) && reducesVectors(*block, index);
  });
}

int64_t KernelFacts::widest() {
  return agree(loops) ? vectorWidth(innermost(loops), innermostExtent(loops.front()), vars, divisors) : 1;
}

std::optional<Expr> originOfRow(ArrayRef<Operation *> loops, Variables &vars) {
  const bool haveOneAxis = llvm::all_of(loops, [](Operation *loop) { return extentsOf(loop).size() == 1; });
  return !loops.empty() && haveOneAxis && agree(loops) ? originOf(innermost(loops), vars) : std::nullopt;
}

int64_t KernelFacts::widestPeeled() {
  if (!originOfRow(loops, vars))
    return 1;
  int64_t bytes = 1; // of an element
  for (Operation *loop : loops)
    for (Operation &op : loop->getRegion(0).front())
      if (auto load = dyn_cast<LoadOp>(op))
        bytes = std::max(bytes, graph::byteSize(load.getType()));
      else if (auto store = dyn_cast<StoreOp>(op))
        bytes = std::max(bytes, graph::byteSize(store.getValue().getType()));
  return Lowering::accessBytes / bytes;
}

} // namespace cupola::cuda
