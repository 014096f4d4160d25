//===- lib/Transforms/Fusion/Rules/Interpolation.cpp - where lanes would look up what they read ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;

namespace cupola::fusion {
namespace {

bool isStorable(const Formation &kernels, Operation *op) {
  return op && classOf(op) == graph::FusionClass::Pointwise && !kernels.isComputed(op);
}

/// What is mixed of neighbours along other axes is read several times by one that looks up places along the last, and
/// has vectors without it. Not where much more is read than written.
bool readsMixed(graph::GatherOp gather) {
  const int64_t last = graph::rankOf(gather.getData()) - 1;
  if (static_cast<int64_t>(gather.getAxis()) != last || graph::rankOf(gather.getIndices()) != 1)
    return false;
  const std::optional<int64_t> in = graph::extentOf(gather.getData(), last).constant();
  const std::optional<int64_t> out = graph::extentOf(gather.getResult(), last).constant();
  return !in || !out || *in <= 2 * *out;
}

/// What computes an index or a weight for every place along the last axis, the same for all rows.
SmallVector<Operation *> lookups(graph::GatherOp gather) {
  SmallVector<Operation *> ops{gather.getIndices().getDefiningOp()};
  for (Operation *user : gather->getUsers())
    if (auto product = dyn_cast<graph::BinaryOp>(user); product && product.getKind() == graph::BinaryKind::Mul) {
      Operation *weight = product.getRhs().getDefiningOp();
      while (weight && isView(weight) && weight->getNumOperands() == 1)
        weight = weight->getOperand(0).getDefiningOp();
      ops.push_back(weight);
    }
  return ops;
}

void storeMixed(Formation &kernels, graph::GatherOp gather, Operation *mixed, StringRef rule) {
  kernels.store(mixed, {rule, "each lane would look up several places; what they mix is made by whole vectors"});
  for (Operation *op : lookups(gather))
    if (isStorable(kernels, op) && graph::rankOf(op->getResult(0)) == 1)
      kernels.store(op, {rule, "it is the same for all rows"});
}

} // namespace

bool movesLast(graph::TransposeOp transpose) {
  return transpose.getPerm().back() != graph::rankOf(transpose.getInput()) - 1;
}

bool hasChannels(const Formation &kernels, Value value) {
  const std::optional<int64_t> channels = graph::extentOf(value, graph::rankOf(value) - 1).constant();
  return channels && *channels >= kernels.options.mixedChannels;
}

bool turnsChannels(const Formation &kernels, graph::TransposeOp transpose) {
  return movesLast(transpose) && hasChannels(kernels, transpose.getInput());
}

void storeInterpolated(Formation &kernels, StringRef rule) {
  if (kernels.options.mixedChannels == 0)
    return;
  for (Operation &op : kernels.body) {
    auto transpose = dyn_cast<graph::TransposeOp>(op);
    auto gather = dyn_cast<graph::GatherOp>(op);
    const bool turns = transpose && turnsChannels(kernels, transpose);
    if (!turns && !(gather && readsMixed(gather)))
      continue;
    const Value value = reshaped(op.getOperand(0));
    Operation *mixed = value.getDefiningOp();
    if (!isStorable(kernels, mixed) || !isInterpolated(value))
      continue;
    if (turns)
      kernels.store(mixed,
                    {rule, "each lane would look up where to read; along the channels all read at the same places"});
    else
      storeMixed(kernels, gather, mixed, rule);
  }
}

} // namespace cupola::fusion
