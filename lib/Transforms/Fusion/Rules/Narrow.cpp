//===- lib/Transforms/Fusion/Rules/Narrow.cpp - results in memory as they are narrowest ---===//
// SPDX-License-Identifier: Apache-2.0
//
// What follows a hero often ends as it is quantised and dequantised again: the bytes go to memory, and whoever reads
// them makes floats of them.

#include "lib/Transforms/Fusion/Rules/Cost.h"
#include "lib/Transforms/Fusion/Rules/Rule.h"
#include "lib/Transforms/Match.h"

using namespace mlir;

namespace cupola::fusion {
namespace {

int64_t widthOf(Value value) { return graph::byteSize(graph::elementOf(value)); }

/// One number for all elements.
bool isNumber(Value value) {
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  return match::splatOf(value) || (broadcast && graph::elementCount(broadcast.getInput()).isConstant(1));
}

/// What a cheap op of the group computes its result of, but for numbers; null if there are several or it is no such op.
Value onlyInput(const Group &group, Operation *op) {
  if (!op || !group.ops.contains(op) || op == group.hero || classOf(op) != graph::FusionClass::Pointwise ||
      isCostly(op))
    return {};
  Value only;
  for (Value operand : op->getOperands()) {
    if (isNumber(operand))
      continue;
    if (only)
      return {};
    only = operand;
  }
  return only;
}

/// Whatever reads a value, perhaps through views, has a kernel or is outside of all.
bool areReadersFormed(const Formation &kernels, Operation *op) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    return kernels.isComputed(user) || isOutside(user) || (isView(user) && areReadersFormed(kernels, user));
  });
}

/// One kernel reads all of it, and would compute `op` where it does.
bool isReadInOneKernel(const Formation &kernels, const Group &group, Operation *op) {
  const Reads reads = kernels.readsOf(op);
  return areReadersFormed(kernels, op) && reads.kernels.size() == 1 && reads.kernels.front() &&
         reads.kernels.front() != &group && !refuse({kernels, op, reads.kernels.getArrayRef(), reads});
}

/// Ends the group with the narrowest value of those from which its last ops alone are computed.
void endNarrow(Formation &kernels, Group &group, StringRef rule) {
  SmallVector<Operation *> behind, cut;
  Value narrowest = group.output;
  for (Value value = group.output; Value input = onlyInput(group, value.getDefiningOp()); value = input) {
    Operation *maker = input.getDefiningOp();
    behind.push_back(value.getDefiningOp());
    if (!maker || !group.ops.contains(maker) || !input.hasOneUse())
      break;
    if (widthOf(input) < widthOf(narrowest)) {
      narrowest = input;
      cut = behind;
    }
  }
  if (!cut.empty() && isReadInOneKernel(kernels, group, group.output.getDefiningOp()))
    kernels.cut(group, cut, narrowest, {rule, "what its only reader makes of it is wider"});
}

} // namespace

void endNarrowly(Formation &kernels, llvm::StringRef rule) {
  if (!kernels.options.prologues)
    return;
  for (Operation &op : kernels.body)
    if (isHero(&op))
      for (Group *group : kernels.kernelsOf(&op))
        if (group->hero == &op)
          endNarrow(kernels, *group, rule);
}

} // namespace cupola::fusion
