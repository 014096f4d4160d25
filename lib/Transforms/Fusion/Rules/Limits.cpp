//===- lib/Transforms/Fusion/Rules/Limits.cpp - kernels that take nothing more ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Rule.h"

namespace cupola::fusion {

std::optional<llvm::StringRef> refuseDisabled(const Candidate &candidate) {
  if (!candidate.onlyReader() || candidate.kernels.options.prologues)
    return std::nullopt;
  return "prologues are switched off";
}

/// A walk along records, from one index that needs no check to the next, holds one number between its steps: two
/// kernels would store it, and no register is saved.
static size_t limitOf(const Group &group) {
  constexpr size_t maxWalk = 1024;
  const bool isWalk = llvm::any_of(group.ops, [](mlir::Operation *op) {
    auto gather = llvm::dyn_cast<graph::GatherOp>(op);
    return gather && gather.getInRange() && gathersIn(gather.getIndices(), 1) != 0;
  });
  return isWalk ? maxWalk : maxOps;
}

std::optional<llvm::StringRef> refuseSize(const Candidate &candidate) {
  const Group *reader = candidate.onlyReader();
  if (!reader || reader->ops.size() < maxOps || reader->ops.size() < limitOf(*reader))
    return std::nullopt;
  return "the kernel has its limit of ops";
}

} // namespace cupola::fusion
