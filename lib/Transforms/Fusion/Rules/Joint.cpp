//===- lib/Transforms/Fusion/Rules/Joint.cpp - reductions of the same values ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Reductions of the same values along the same axes, as the smallest and the largest that a quantiser asks for, or the
// mean and the largest of an attention to channels, are one kernel, which reads the values once.

#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::fusion;

/// Windows have a schedule of their own, for one reduction.
static bool canBeJoint(const Formation &kernels, graph::ReduceOp op) {
  return !kernels.isComputed(op) && !op.getInput().getDefiningOp<graph::WindowOp>();
}

namespace cupola::fusion {

bool isJoint(const Group &group) {
  return group.core.size() > 1 && llvm::all_of(group.core, [](Operation *op) { return isa<graph::ReduceOp>(op); });
}

void formJoint(Formation &kernels, llvm::StringRef) {
  constexpr size_t mostTogether = 4; // results of a thread, each in registers
  if (!kernels.options.epilogues)
    return;
  for (auto first : kernels.body.getOps<graph::ReduceOp>()) {
    if (!canBeJoint(kernels, first))
      continue;
    llvm::SetVector<Operation *> core;
    for (auto other : kernels.body.getOps<graph::ReduceOp>())
      if (core.size() < mostTogether && !other->isBeforeInBlock(first) && canBeJoint(kernels, other) &&
          other.getInput() == first.getInput() && other.getAxes() == first.getAxes())
        core.insert(other);
    if (core.size() < 2)
      continue;
    Group &group = kernels.startCore(core, core.back());
    for (Operation *op : core.getArrayRef().drop_back())
      group.kept.push_back(op->getResult(0));
  }
}

std::optional<Decision> decideJoint(const Edge &edge) {
  if (!edge.isWithin || !isJoint(*edge.to) || !edge.to->core.contains(edge.producer))
    return std::nullopt;
  return Decision{true, "reductions of the same values are one kernel"};
}

} // namespace cupola::fusion
