//===- lib/Transforms/Fusion/Rules/Broadcast.cpp - elements that are read several times ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Cost.h"
#include "lib/Transforms/Fusion/Rules/Rule.h"

namespace cupola::fusion {

/// Ops that may be computed again for every element of a broadcast.
constexpr size_t maxRepeatedOps = 8;

std::optional<llvm::StringRef> refuseBroadcast(const Candidate &candidate) {
  if (!candidate.onlyReader() || !candidate.reads.broadcast)
    return std::nullopt;
  if (!isCostly(candidate.op) && candidate.kernels.chainFrom(candidate.op) <= maxRepeatedOps)
    return std::nullopt;
  return "it would be computed again for every element of a broadcast";
}

} // namespace cupola::fusion
