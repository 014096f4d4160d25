//===- lib/Transforms/Fusion/Rules/Broadcast.cpp - elements that are read several times ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Cost.h"
#include "lib/Transforms/Fusion/Rules/Rule.h"
#include "lib/Transforms/Match.h"

using namespace mlir;

namespace cupola::fusion {

/// Ops that may be computed again for every element of a broadcast, or of the windows that have it.
constexpr size_t maxRepeatedOps = 8;

/// Of two values that lie in memory or are computed: each place of a window would read both.
static bool readsSeveral(Operation *op) {
  return llvm::count_if(op->getOperands(), [](Value operand) { return !match::splatOf(operand); }) > 1;
}

std::optional<StringRef> refuseBroadcast(const Candidate &candidate) {
  const Reads &reads = candidate.reads;
  if (!candidate.onlyReader() || !(reads.broadcast || reads.windows) || choosesMatrices(candidate))
    return std::nullopt;
  if (isCostly(candidate.op) || candidate.kernels.chainFrom(candidate.op) > maxRepeatedOps ||
      (reads.windows && readsSeveral(candidate.op)))
    return "it would be computed again for every element of a broadcast, or every window";
  return std::nullopt;
}

} // namespace cupola::fusion
