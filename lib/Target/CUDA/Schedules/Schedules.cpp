//===- lib/Target/CUDA/Schedules/Schedules.cpp - the ordered table ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Schedules/Schedules.h"

using namespace mlir;

namespace cupola::cuda {

// clang-format off
static constexpr Candidates (*table[])(KernelFacts &, const GpuArchitecture &) = {
    MatvecAttr::candidates,
    RowMatvecAttr::candidates,
    GemmWgmmaAttr::candidates,
    ConvPatchAttr::candidates,
    GemmMmaAttr::candidates,
    GemmAttr::candidates,
    PointwiseAttr::candidates,
    TransposeAttr::candidates,
    ReductionAttr::candidates,
    WindowAttr::candidates,
    ColumnReductionAttr::candidates,
    RowReductionAttr::candidates,
    AttentionWgmmaAttr::candidates,
    AttentionMmaAttr::candidates,
    AttentionAttr::candidates,
    RecurrenceAttr::candidates,
};
// clang-format on

static bool hasSteps(kernel::FuncOp func) {
  return func.walk([](kernel::ForOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

Candidates allCandidates(KernelFacts &facts, const GpuArchitecture &target) {
  // Steps of attention and of recurrences are the only ones that any of them knows.
  if (!facts.attention && !facts.recurrence && hasSteps(facts.func))
    return {};
  Candidates all;
  for (auto candidates : table)
    llvm::append_range(all, candidates(facts, target));
  return all;
}

} // namespace cupola::cuda
