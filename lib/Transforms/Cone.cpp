//===- lib/Transforms/Cone.cpp - what constants make ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Cone.h"

#include "lib/Reference/Reference.h"

using namespace mlir;

namespace cupola {

ValueRange madeOf(Operation *op) {
  auto host = dyn_cast<graph::HostOp>(op);
  return host ? ValueRange(host.getInputs()) : ValueRange(op->getOperands());
}

Cone coneOf(Value value) {
  Cone cone{value, {}, {}};
  SmallVector<Operation *> pending{value.getDefiningOp()};
  llvm::DenseSet<Operation *> seen{value.getDefiningOp()};
  while (!pending.empty()) { // no recursion: a model's chain may be long
    Operation *next = pending.pop_back_val();
    (isa<graph::ConstantOp>(next) ? cone.constants : cone.ops).push_back(next);
    for (Value operand : madeOf(next))
      if (seen.insert(operand.getDefiningOp()).second)
        pending.push_back(operand.getDefiningOp());
  }
  for (auto *list : {&cone.constants, &cone.ops})
    llvm::sort(*list, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return cone;
}

std::optional<reference::Tensor> evaluate(const Cone &cone) {
  llvm::DenseMap<Value, reference::Tensor> values;
  for (const auto *list : {&cone.constants, &cone.ops})
    for (Operation *part : *list) {
      const auto operands = llvm::map_to_vector(madeOf(part), [&](Value operand) { return values.lookup(operand); });
      Result<reference::Tensor> value = reference::evaluate(part, operands);
      if (value.failed())
        return std::nullopt;
      values[part->getResult(0)] = value.take();
    }
  return values.lookup(cone.value);
}

} // namespace cupola
