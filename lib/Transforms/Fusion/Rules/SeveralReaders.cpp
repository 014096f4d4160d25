//===- lib/Transforms/Fusion/Rules/SeveralReaders.cpp - stored once for all that read it ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Cost.h"
#include "lib/Transforms/Fusion/Rules/Rule.h"
#include "lib/Transforms/Positions.h"

using namespace mlir;

namespace cupola::fusion {

/// Two kernels may both compute what is cheap, and all what positions make, if none would refuse it as the only one.
std::optional<StringRef> refuseSeveralReaders(const Candidate &candidate) {
  if (candidate.readers.size() == 1)
    return std::nullopt;
  auto refuses = [&](Group *const &reader) {
    return refuse({candidate.kernels, candidate.op, ArrayRef<Group *>(reader), candidate.reads}).has_value();
  };
  const bool isCheap =
      (candidate.readers.size() == 2 && isCheapTwice(candidate.op)) || isMadeOfPositions(candidate.op->getResult(0));
  if (isCheap && !llvm::is_contained(candidate.readers, nullptr) && llvm::none_of(candidate.readers, refuses))
    return std::nullopt;
  return "more than one kernel reads it";
}

std::optional<Decision> decideSeveralReaders(const Edge &) {
  return Decision{false, "its result has readers outside of the kernel"};
}

} // namespace cupola::fusion
