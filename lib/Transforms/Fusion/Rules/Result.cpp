//===- lib/Transforms/Fusion/Rules/Result.cpp - what has to lie in memory at the end ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;

namespace cupola::fusion {

/// A view that leaves the body, or is a part of a joined tensor, and that no kernel
/// writes yet gets one that copies.
void copyResults(Formation &kernels, llvm::StringRef) {
  for (Operation &user : kernels.body)
    if (isOutside(&user))
      for (Value operand : user.getOperands())
        if (Operation *op = operand.getDefiningOp(); op && isView(op) && !kernels.isComputed(op))
          kernels.start(nullptr, op);
}

std::optional<StringRef> refuseResult(const Candidate &candidate) {
  if (candidate.readers.size() != 1 || candidate.readers.front())
    return std::nullopt;
  return "it is a result of the model, or a part of a joined tensor";
}

} // namespace cupola::fusion
