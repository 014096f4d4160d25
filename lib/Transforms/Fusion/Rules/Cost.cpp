//===- lib/Transforms/Fusion/Rules/Cost.cpp - what computing again costs ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Cost.h"

#include "lib/Transforms/Fusion/Grouping.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::fusion;
using graph::FusionClass;

bool fusion::isCostly(Operation *op) {
  if (auto unary = dyn_cast<graph::UnaryOp>(op))
    switch (unary.getKind()) {
    case graph::UnaryKind::Neg:
    case graph::UnaryKind::Abs:
    case graph::UnaryKind::Relu:
    case graph::UnaryKind::Not:
    case graph::UnaryKind::IsNaN:
      return false;
    default:
      return true;
    }
  if (auto binary = dyn_cast<graph::BinaryOp>(op))
    return binary.getKind() == graph::BinaryKind::Pow;
  // What is looked up in positions only passes the check of an index.
  return classOf(op) == FusionClass::Gather && !isa_and_nonnull<graph::IotaOp>(op->getOperand(0).getDefiningOp());
}

/// The bytes that an op reads for each element of its result: of operands that are not one
/// value nor repeated. `computed` leaves out those that are in memory anyway.
static int64_t bytesRead(Operation *op, bool computed) {
  int64_t bytes = 0;
  for (Value operand : op->getOperands()) {
    int64_t width = graph::byteSize(graph::elementOf(operand));
    bool repeated = false;
    Operation *producer = operand.getDefiningOp();
    while (producer && isView(producer) && producer->getNumOperands() == 1) {
      repeated |= isa<graph::BroadcastOp>(producer);
      operand = producer->getOperand(0);
      producer = operand.getDefiningOp();
    }
    bool inMemory = !producer || classOf(producer) == FusionClass::Constant;
    if (!repeated && !(producer && isGenerator(producer)) && !(computed && inMemory))
      bytes += width;
  }
  return bytes;
}

bool fusion::isCheapTwice(Operation *op) {
  int64_t made = graph::byteSize(graph::elementOf(op->getResult(0)));
  return !isCostly(op) && bytesRead(op, false) <= 3 * made && bytesRead(op, true) <= made;
}
