//===- lib/Transforms/Fusion/Rules/Limits.cpp - kernels that take nothing more ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Rule.h"

namespace cupola::fusion {

std::optional<llvm::StringRef> refuseDisabled(const Candidate &candidate) {
  if (!candidate.onlyReader() || candidate.kernels.options.prologues)
    return std::nullopt;
  return "prologues are switched off";
}

std::optional<llvm::StringRef> refuseSize(const Candidate &candidate) {
  if (!candidate.onlyReader() || candidate.onlyReader()->ops.size() < maxOps)
    return std::nullopt;
  return "the kernel has its limit of ops";
}

} // namespace cupola::fusion
