//===- lib/Target/CPU/Schedules/Nest.cpp - which loops are vectors, iterations, pieces ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/KernelPlan.h"
#include "lib/Target/CPU/Schedules/Schedules.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {
namespace {

/// Iterations below this many elements of work spend more on finding their indices than on
/// the work.
constexpr double kIterationWork = 128;
constexpr int64_t kChunk = 4096;

/// A reduction that runs for every vector of the outer loop spends its time on finding
/// positions and waiting for the sum before: several vectors share the one and fill the
/// other. A step costs about as much as kStep vectors; vectors beyond the end count, too.
int64_t costOf(int64_t vectors, int64_t extent, const CpuArchitecture &isa) {
  constexpr int64_t kStep = 6;
  int64_t wide = vectors * isa.lanes();
  return (extent + wide - 1) / wide * (kStep + vectors);
}

/// Of equal costs, the fewest.
unsigned chooseVectors(const Nest &nest, const StoredTiles &tiles, const CpuArchitecture &isa) {
  std::optional<int64_t> extent = nest.vectorised ? nest.extents.back().constant() : std::nullopt;
  if (!extent || !tiles.empty() ||
      llvm::none_of(*nest.body, [](Operation &op) { return llvm::isa<kernel::ReduceOp>(op); }))
    return 1;
  unsigned best = 1;
  for (unsigned vectors : {2, 4})
    if (costOf(vectors, *extent, isa) < costOf(best, *extent, isa))
      best = vectors;
  return best;
}

/// Outer loops are iterations of the grid; those of known extent stay inside where an
/// iteration would be tiny.
void chooseParallel(Nest &nest) {
  nest.parallel = nest.vars.size() - nest.vectorised;
  if (nest.vectorised) {
    std::optional<int64_t> extent = nest.extents.back().constant();
    if (!extent || *extent > kChunk)
      nest.chunk = kChunk;
  }
  while (nest.parallel > 1 && !nest.chunk && iterationWork(nest) < kIterationWork &&
         nest.extents[nest.parallel - 1].constant())
    --nest.parallel;
}

} // namespace

NestAttr chooseNest(FuncOp func, const CpuArchitecture &isa) {
  KernelPlan plan(func);
  Nest nest = collectLoops(plan.vars, func);
  std::optional<unsigned> vector =
      chooseVector(plan.vars, nest.vars, nest.extents, *nest.body, plan.tiles, isa.lanes());
  if (vector)
    nest.vectorise(*vector);
  nest.vectors = chooseVectors(nest, plan.tiles, isa);
  chooseParallel(nest);
  return NestAttr::get(func.getContext(), nest.parallel, vector, nest.vectors, nest.chunk);
}

} // namespace cupola::cpu
