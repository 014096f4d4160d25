//===- lib/Transforms/Positions.cpp - values that their own index makes ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Positions.h"

#include "dialects/Graph/Graph.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using cupola::graph::BinaryKind;
using cupola::graph::UnaryKind;

namespace cupola {

/// Beyond so many ops an element in memory is cheaper.
static constexpr unsigned maxOps = 8;

static bool isCheap(graph::BinaryOp op) {
  switch (op.getKind()) {
  case BinaryKind::Add:
  case BinaryKind::Sub:
  case BinaryKind::Mul:
  case BinaryKind::Max:
  case BinaryKind::Min:
  case BinaryKind::And:
  case BinaryKind::Or:
    return true;
  default:
    return graph::isComparison(op.getKind());
  }
}

static bool isCheap(Operation *op) {
  if (auto binary = dyn_cast<graph::BinaryOp>(op))
    return isCheap(binary);
  if (auto unary = dyn_cast<graph::UnaryOp>(op))
    return unary.getKind() == UnaryKind::Not || unary.getKind() == UnaryKind::Neg;
  return isa<graph::SelectOp, graph::CastOp>(op);
}

/// One number everywhere.
static bool isNumber(Operation *op) {
  SplatElementsAttr splat;
  return matchPattern(op, m_Constant(&splat));
}

bool isMadeOfPositions(Value value) {
  SmallVector<Value> work{value};
  llvm::DenseSet<Operation *> seen;
  bool hasPositions = false;
  unsigned computed = 0;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op)
      return false;
    if (!seen.insert(op).second || isa<graph::DimsOp>(op) || isNumber(op))
      continue;
    if (isa<graph::IotaOp>(op)) {
      hasPositions = true;
      continue;
    }
    if (!isa<graph::ReshapeOp, graph::TransposeOp, graph::BroadcastOp, graph::SliceOp>(op) &&
        (!isCheap(op) || ++computed > maxOps))
      return false;
    llvm::append_range(work, op->getOperands());
  }
  return hasPositions && computed > 0;
}

} // namespace cupola
