//===- lib/Transforms/RowCone.cpp - what constants make, some rows at a time ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/RowCone.h"

#include "lib/Reference/Reference.h"
#include "lib/Transforms/Match.h"

using namespace mlir;
using cupola::reference::Shape;
using cupola::reference::Tensor;

namespace cupola {
namespace {

ArrayRef<int64_t> staticShape(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

Shape withRows(ArrayRef<int64_t> shape, int64_t rows) {
  Shape result = shape.vec();
  result.front() = rows;
  return result;
}

Tensor rowsOf(const Tensor &tensor, int64_t first, int64_t size) {
  const int64_t bytes =
      reference::countOf(ArrayRef(tensor.shape()).drop_front()) * static_cast<int64_t>(tensor.elementBytes());
  return Tensor::borrow(tensor.dtype(), withRows(tensor.shape(), size), tensor.data() + first * bytes);
}

/// A constant of one number, which has as many elements as are asked for; null: another one.
DenseElementsAttr splatOf(Operation *constant) {
  auto value = dyn_cast<DenseElementsAttr>(cast<graph::ConstantOp>(constant).getValue());
  return value && value.isSplat() ? value : DenseElementsAttr();
}

} // namespace

std::optional<RowCone> RowCone::of(Value value) {
  if (!cast<RankedTensorType>(value.getType()).hasStaticShape() || graph::rankOf(value) == 0)
    return std::nullopt;
  RowCone result(coneOf(value), staticShape(value).front());
  return result.prepare() ? std::optional(std::move(result)) : std::nullopt;
}

bool RowCone::hasRows(Value value) const {
  const ArrayRef<int64_t> shape = staticShape(value);
  return !shape.empty() && shape.front() == count;
}

/// Whether a row of the op's result is made of the same row of operands that have rows, or of all of others.
bool RowCone::isByRows(Operation *op) const {
  if (!hasRows(op->getResult(0)))
    return false;
  if (match::isPointwise(op))
    return true;
  if (isa<graph::ReshapeOp>(op))
    return hasRows(op->getOperand(0));
  if (auto iota = dyn_cast<graph::IotaOp>(op))
    return iota.getAxis() != 0;
  if (isa<graph::BroadcastOp>(op)) // repeats what has no rows, or one, for each
    return true;
  auto slice = dyn_cast<graph::SliceOp>(op);
  return slice && hasRows(slice.getInput()) && graph::exprsOf(slice.getStarts()).front().isConstant(0) &&
         slice.getSteps().front() == 1;
}

/// Computes what is not made of rows.
bool RowCone::prepare() {
  for (Operation *constant : cone.constants)
    if (!hasRows(constant->getResult(0)) || !splatOf(constant)) {
      Result<Tensor> value = Tensor::of(cast<graph::ConstantOp>(constant).getValue());
      if (value.failed())
        return false;
      whole[constant->getResult(0)] = value.take();
    }
  for (Operation *op : cone.ops) {
    if (!cast<RankedTensorType>(op->getResult(0).getType()).hasStaticShape())
      return false;
    if (isByRows(op))
      continue;
    SmallVector<Tensor> operands;
    for (Value operand : op->getOperands()) {
      const auto known = whole.find(operand);
      if (known == whole.end())
        return false;
      operands.push_back(known->second);
    }
    Result<Tensor> value = reference::evaluate(op, operands);
    if (value.failed())
      return false;
    whole[op->getResult(0)] = value.take();
  }
  return !whole.count(cone.value);
}

std::optional<Tensor> RowCone::evaluate(int64_t first, int64_t size) const {
  llvm::DenseMap<Value, Tensor> parts;
  const auto operandOf = [&](Value value) {
    const auto known = whole.find(value);
    if (known == whole.end())
      return parts.lookup(value);
    return hasRows(value) ? rowsOf(known->second, first, size) : known->second;
  };
  for (Operation *constant : cone.constants)
    if (const Value result = constant->getResult(0); !whole.count(result)) {
      Result<Tensor> value = Tensor::of(
          splatOf(constant).resizeSplat(cast<ShapedType>(result.getType()).clone(withRows(staticShape(result), size))));
      if (value.failed())
        return std::nullopt;
      parts[result] = value.take();
    }
  for (Operation *op : cone.ops) {
    const Value result = op->getResult(0);
    if (whole.count(result))
      continue;
    Result<Tensor> value = reference::evaluateAs(op, llvm::map_to_vector(op->getOperands(), operandOf),
                                                 withRows(staticShape(result), size));
    if (value.failed())
      return std::nullopt;
    parts[result] = value.take();
  }
  return parts.lookup(cone.value);
}

} // namespace cupola
