//===- lib/Target/CUDA/Schedules/Schedules.cpp - the ordered table ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Schedules/Schedules.h"

namespace cupola::cuda {

static constexpr Candidates (*table[])(KernelFacts &, const GpuArchitecture &) = {
    matvecCandidates,    gemmMmaCandidates,         gemmCandidates,         pointwiseCandidates,    transposeCandidates,
    reductionCandidates, columnReductionCandidates, rowReductionCandidates, attentionMmaCandidates, attentionCandidates,
};

Candidates allCandidates(KernelFacts &facts, const GpuArchitecture &target) {
  Candidates all;
  for (auto candidates : table)
    llvm::append_range(all, candidates(facts, target));
  return all;
}

} // namespace cupola::cuda
