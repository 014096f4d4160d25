//===- lib/Transforms/Fusion/Rules/KeptSteps.cpp - stored by the kernel that reads it ---===//
// SPDX-License-Identifier: Apache-2.0
//
// What leaves the body has to lie in memory. Where one kernel reads it, too, element by element, that kernel computes
// it and writes both: the cell of an LSTM beside its output.

#include "dialects/Graph/Control.h"
#include "dialects/Graph/Placement.h"
#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;

namespace cupola::fusion {
namespace {

/// From `value` to the group's output there are pointwise ops alone: at each place they read its element of that place.
/// What takes it out of the body comes behind the kernel, which stands where its output is computed.
bool isReadInPlace(const Group &group, Value value) {
  SmallVector<Value> work{value};
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    Value current = work.pop_back_val();
    if (graph::shapeOf(current) != graph::shapeOf(group.output))
      return false;
    for (Operation *user : current.getUsers()) {
      if (graph::leavesBody(user)) {
        if (user->isBeforeInBlock(group.output.getDefiningOp()))
          return false;
        continue;
      }
      if (!group.ops.contains(user) || classOf(user) != graph::FusionClass::Pointwise)
        return false;
      if (seen.insert(user).second)
        work.push_back(user->getResult(0));
    }
  }
  return true;
}

} // namespace

Group *keeperOf(const Candidate &candidate) {
  Value value = candidate.op->getResult(0);
  if (candidate.readers.size() != 2 || !llvm::is_contained(candidate.readers, nullptr) || !graph::isDense(value) ||
      classOf(candidate.op) != graph::FusionClass::Pointwise)
    return nullptr;
  Group *const &reader = candidate.readers[candidate.readers.front() ? 0 : 1];
  const bool isLeft = reader->hero || !isReadInPlace(*reader, value) ||
                      refuse({candidate.kernels, candidate.op, ArrayRef<Group *>(reader), candidate.reads});
  return isLeft ? nullptr : reader;
}

std::optional<Decision> decideKept(const Edge &edge) {
  if (!edge.isWithin || !llvm::is_contained(edge.to->kept, edge.producer->getResult(0)))
    return std::nullopt;
  return Decision{true, "the kernel that reads it computes and stores it"};
}

} // namespace cupola::fusion
