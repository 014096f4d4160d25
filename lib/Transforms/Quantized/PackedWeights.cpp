//===- lib/Transforms/Quantized/PackedWeights.cpp - weights of a few bits ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Quantized/PackedWeights.h"

#include "lib/Transforms/Match.h"

using namespace mlir;

namespace cupola {
namespace {

/// Ops between the constants and a product: a chain that is longer is something else.
constexpr size_t mostOps = 64;

bool isBytes(graph::ConstantOp constant) {
  const Type element = graph::elementOf(constant.getResult());
  return element.isInteger(8) && !match::splatOf(constant.getResult()) &&
         graph::elementCount(constant.getResult()).constant().value_or(0) >= leastPackedBytes;
}

/// What computes `value`, if constants and positions are all that it is made of, some of them bytes; else nothing.
/// `gathered`: or elements of constants that gathers choose.
SmallVector<Operation *> opsFromBytes(Value value, bool gathered = false) {
  SmallVector<Operation *> ops;
  SmallVector<Value> work{value};
  llvm::SmallDenseSet<Operation *> seen;
  bool hasBytes = false;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != value.getParentBlock())
      return {};
    if (!seen.insert(op).second)
      continue;
    if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
      hasBytes |= isBytes(constant);
      continue;
    }
    const bool isKnown =
        match::isPointwise(op) || isa<graph::IotaOp>(op) ||
        isa<graph::ReshapeOp, graph::TransposeOp, graph::BroadcastOp, graph::SliceOp, graph::CastOp>(op);
    auto gather = dyn_cast<graph::GatherOp>(op);
    const bool isGather = gathered && gather;
    ops.push_back(op);
    if ((!isKnown && !isGather) || ops.size() > mostOps)
      return {};
    if (isGather)
      work.push_back(gather.getData());
    else
      llvm::append_range(work, op->getOperands());
  }
  return hasBytes ? ops : SmallVector<Operation *>();
}

} // namespace

bool isMadeOfBytes(Value value) { return !opsFromBytes(value).empty(); }
bool isMadeOfGatheredBytes(Value value) { return !opsFromBytes(value, /*gathered=*/true).empty(); }

Value nibblesOf(OpBuilder &b, Location loc, Value bytes, int64_t axis) {
  graph::Exprs shape = graph::shapeOf(bytes);
  shape[axis] = Expr(2);
  const RankedTensorType type = graph::tensorType(shape, graph::elementOf(bytes));
  const auto binary = [&](graph::BinaryKind kind, Value lhs, Value rhs) {
    return graph::BinaryOp::create(b, loc, kind, lhs, rhs).getResult();
  };
  Value value = graph::BroadcastOp::create(b, loc, type, bytes);
  Value shift = graph::IotaOp::create(b, loc, type, axis);
  shift = binary(graph::BinaryKind::Mul, shift, match::splat(b, loc, 4, type));
  value = binary(graph::BinaryKind::ShiftRight, value, shift);
  return binary(graph::BinaryKind::BitwiseAnd, value, match::splat(b, loc, 15, type));
}

llvm::DenseSet<Operation *> packedWeights(Block &body) {
  llvm::DenseSet<Operation *> found;
  for (Operation &product : body) {
    const bool isProduct = isa<graph::MatMulOp>(product) && isa<FloatType>(graph::elementOf(product.getOperand(1)));
    if ((isProduct || isa<graph::BlockMatMulOp>(product)) && product.getOperand(1).hasOneUse())
      for (Operation *op : opsFromBytes(product.getOperand(1)))
        found.insert(op);
  }
  return found;
}

} // namespace cupola
