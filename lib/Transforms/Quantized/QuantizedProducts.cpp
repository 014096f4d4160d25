//===- lib/Transforms/Quantized/QuantizedProducts.cpp - contractions of dequantised bytes ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Quantized/QuantizedProducts.h"

#include "lib/Transforms/Match.h"

#include <cmath>

using namespace mlir;

namespace cupola {
namespace {

bool isByte(Type type) { return type.isInteger(8) && !type.isInteger(1); }

/// A pad or another view of one operand that puts nothing but zeros between its elements.
bool isHarmlessView(Operation *op) {
  if (auto pad = dyn_cast_or_null<graph::PadOp>(op)) {
    auto fill = dyn_cast<FloatAttr>(pad.getValue());
    return pad.getMode() != graph::PadMode::Constant || (fill && fill.getValue().isZero());
  }
  return isa_and_nonnull<graph::ReshapeOp, graph::TransposeOp, graph::BroadcastOp, graph::SliceOp>(op);
}

/// Floats that are bytes, or a byte less another one: the zero point.
bool areIntegers(Value value, bool isDifference = false) {
  if (const std::optional<double> number = match::splatOf(value))
    return *number == std::trunc(*number) && *number >= -128 && *number <= 255;
  Operation *op = value.getDefiningOp();
  if (isHarmlessView(op))
    return areIntegers(op->getOperand(0), isDifference);
  if (auto cast = dyn_cast_or_null<graph::CastOp>(op))
    return isByte(graph::elementOf(cast.getInput()));
  auto difference = dyn_cast_or_null<graph::BinaryOp>(op);
  return difference && !isDifference && difference.getKind() == graph::BinaryKind::Sub &&
         areIntegers(difference.getLhs(), true) && areIntegers(difference.getRhs(), true);
}

/// Of float8, perhaps behind views.
bool areFloat8(Value value) {
  while (isHarmlessView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto cast = value.getDefiningOp<graph::CastOp>();
  return cast && graph::isFloat8(graph::elementOf(cast.getInput()));
}

bool areNumbers(Value value) { return areIntegers(value) || areFloat8(value); }

DequantizedOperand withNumbers(DequantizedOperand operand, Value numbers) {
  operand.numbers = numbers;
  operand.isFloat8 = areFloat8(numbers);
  return operand;
}

/// What is rounded from f32 to the type of the product.
bool isRounding(Operation *op) {
  auto cast = dyn_cast_or_null<graph::CastOp>(op);
  return cast && graph::elementOf(cast.getInput()).isF32() && isa<FloatType>(graph::elementOf(cast.getResult()));
}

std::optional<DequantizedOperand> dequantized(Value value) {
  DequantizedOperand result;
  for (Operation *op = value.getDefiningOp(); (isHarmlessView(op) || isRounding(op)) && !match::splatOf(value);
       op = value.getDefiningOp()) {
    if (!isRounding(op))
      result.views.insert(result.views.begin(), op);
    value = op->getOperand(0);
  }
  for (const match::Pair &factors : match::operandsOf(value, graph::BinaryKind::Mul))
    if (!match::splatOf(factors.first) && areNumbers(factors.first)) {
      result.scale = factors.second;
      result.product = value.getDefiningOp();
      return withNumbers(std::move(result), factors.first);
    }
  if (match::splatOf(value) || !areNumbers(value))
    return std::nullopt;
  return withNumbers(std::move(result), value);
}

/// The only dimension along which a scale varies, -1 for none; nothing where there are more.
std::optional<int64_t> varyingDim(Value scale) {
  if (!scale || match::splatOf(scale))
    return -1;
  auto broadcast = scale.getDefiningOp<graph::BroadcastOp>();
  if (!broadcast)
    return graph::rankOf(scale) == 1 ? std::optional<int64_t>(0) : std::nullopt;
  const graph::Exprs to = graph::shapeOf(broadcast.getResult()), from = graph::shapeOf(broadcast.getInput());
  if (to.size() != from.size())
    return std::nullopt;
  int64_t found = -1;
  for (size_t i = 0; i < from.size(); ++i)
    if (!from[i].isConstant(1)) {
      if (found >= 0)
        return std::nullopt;
      found = static_cast<int64_t>(i);
    }
  return found;
}

/// The dimension of the operand's numbers that is `dim` behind its views, which are to be transposes.
std::optional<int64_t> dimBehind(const DequantizedOperand &operand, int64_t dim) {
  for (Operation *view : llvm::reverse(operand.views)) {
    auto transpose = dyn_cast<graph::TransposeOp>(view);
    if (!transpose)
      return std::nullopt;
    dim = transpose.getPerm()[dim];
  }
  return dim;
}

} // namespace

std::optional<QuantizedProduct> quantizedProduct(Operation *op) {
  if (!isa<graph::MatMulOp, graph::ConvOp>(op) || !graph::accumulatorOf(graph::elementOf(op->getResult(0))).isF32())
    return std::nullopt;
  std::optional<DequantizedOperand> left = dequantized(op->getOperand(0)), right = dequantized(op->getOperand(1));
  if (!left || !right || left->isFloat8 != right->isFloat8 || varyingDim(left->scale) != -1)
    return std::nullopt;
  if (!left->isFloat8 && !graph::elementOf(op->getResult(0)).isF32())
    return std::nullopt;
  const std::optional<int64_t> columns = varyingDim(right->scale);
  auto conv = dyn_cast<graph::ConvOp>(op);
  const int64_t dim = conv ? conv.dims().columns : static_cast<int64_t>(graph::rankOf(op->getOperand(1))) - 1;
  if (!columns || (*columns >= 0 && dimBehind(*right, dim) != *columns))
    return std::nullopt;
  return QuantizedProduct{std::move(*left), std::move(*right), *columns};
}

/// As i16, or as the float8 that casts read.
static Value narrowed(OpBuilder &b, Value value) {
  const Type i16 = b.getI16Type();
  const auto typeOf = [&](Value like) { return graph::tensorType(graph::shapeOf(like), i16); };
  Operation *op = value.getDefiningOp();
  if (const std::optional<double> number = match::splatOf(value))
    return match::splat(b, value.getLoc(), *number, typeOf(value));
  if (auto cast = dyn_cast<graph::CastOp>(op); cast && graph::isFloat8(graph::elementOf(cast.getInput())))
    return cast.getInput();
  if (auto cast = dyn_cast<graph::CastOp>(op))
    return graph::CastOp::create(b, op->getLoc(), typeOf(value), cast.getInput());
  if (auto difference = dyn_cast<graph::BinaryOp>(op)) {
    Value lhs = narrowed(b, difference.getLhs()), rhs = narrowed(b, difference.getRhs());
    return graph::BinaryOp::create(b, op->getLoc(), graph::BinaryKind::Sub, lhs, rhs);
  }
  return viewOf(b, op, narrowed(b, op->getOperand(0)));
}

static TypedAttr fillOf(Type element, int64_t fill) {
  if (isa<FloatType>(element))
    return FloatAttr::get(element, static_cast<double>(fill));
  return IntegerAttr::get(element, fill);
}

Value viewOf(OpBuilder &b, Operation *view, Value operand, int64_t fill) {
  Operation *copy = b.clone(*view);
  copy->setOperand(0, operand);
  copy->getResult(0).setType(graph::tensorType(graph::shapeOf(view->getResult(0)), graph::elementOf(operand)));
  if (auto pad = dyn_cast<graph::PadOp>(copy))
    pad.setValueAttr(fillOf(graph::elementOf(operand), fill));
  return copy->getResult(0);
}

Value numbersOf(OpBuilder &b, const DequantizedOperand &operand) { return narrowed(b, operand.numbers); }

llvm::DenseSet<Operation *> quantizedWeights(Block &body) {
  llvm::DenseSet<Operation *> found;
  SmallVector<Operation *> pending;
  for (Operation &op : body)
    if (quantizedProduct(&op))
      pending.push_back(op.getOperand(1).getDefiningOp());
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (!op || isa<graph::ConstantOp>(op) || !found.insert(op).second)
      continue;
    for (Value operand : op->getOperands())
      pending.push_back(operand.getDefiningOp());
  }
  return found;
}

} // namespace cupola
