//===- lib/Transforms/Quantized/ByteProducts.cpp - the pass `graph-byte-products` ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Constants.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Quantized/QuantizedProducts.h"

#include <cstring>

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_BYTEPRODUCTS
#include "lib/Transforms/Passes.h.inc"

namespace {

/// ui8, less one number for all elements, behind views.
struct Left {
  Value bytes;
  Value zero;                     ///< i16, of one element; null: 0
  SmallVector<Operation *> views; ///< the one next to `bytes` first
  SmallVector<Operation *> ops;   ///< that become part of the product
};

bool isView(Operation *op) {
  return isa_and_nonnull<graph::ReshapeOp, graph::TransposeOp, graph::SliceOp, graph::PadOp>(op);
}

/// What every element of `value` is, as a tensor of one element; null where they may differ.
Value oneElement(OpBuilder &b, Value value) {
  if (const std::optional<double> number = match::splatOf(value))
    return match::splat(b, value.getLoc(), *number, graph::tensorType({}, graph::elementOf(value)));
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  const bool isOne = broadcast && graph::elementCount(broadcast.getInput()).isConstant(1);
  return isOne ? match::reshapeTo(b, value.getLoc(), broadcast.getInput(), {}) : Value();
}

Value bytesOf(Value value) {
  auto cast = value.getDefiningOp<graph::CastOp>();
  return cast && graph::elementOf(cast.getInput()).isUnsignedInteger(8) ? cast.getInput() : Value();
}

/// A pad puts what stands for 0 between the bytes, which has to be known for it.
bool canPad(const Left &left) {
  return llvm::all_of(left.views, [&](Operation *view) {
    auto pad = dyn_cast<graph::PadOp>(view);
    if (!pad || pad.getMode() != graph::PadMode::Constant)
      return true;
    const auto fill = dyn_cast<IntegerAttr>(pad.getValue());
    return fill && fill.getValue().isZero() && (!left.zero || match::splatOf(left.zero));
  });
}

std::optional<Left> leftOf(OpBuilder &b, Value value) {
  Left left;
  for (; isView(value.getDefiningOp()); value = value.getDefiningOp()->getOperand(0))
    left.views.insert(left.views.begin(), value.getDefiningOp());
  if (auto difference = value.getDefiningOp<graph::BinaryOp>();
      difference && difference.getKind() == graph::BinaryKind::Sub && bytesOf(difference.getLhs())) {
    left.zero = oneElement(b, difference.getRhs());
    if (!left.zero)
      return std::nullopt;
    left.ops.push_back(difference);
    value = difference.getLhs();
  }
  left.bytes = bytesOf(value);
  left.ops.push_back(value.getDefiningOp());
  return left.bytes && canPad(left) ? std::optional<Left>(std::move(left)) : std::nullopt;
}

/// The elements of an i16 constant, if all are i8.
std::optional<std::vector<int8_t>> narrowed(Value value) {
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  if (!constant)
    return std::nullopt;
  const ArrayRef<char> bytes = cupola::bytesOf(constant.getValue());
  std::vector<int8_t> result(bytes.size() / 2);
  for (size_t i = 0; i < result.size(); ++i) {
    int16_t element;
    std::memcpy(&element, bytes.data() + 2 * i, 2);
    result[i] = static_cast<int8_t>(element);
    if (result[i] != element)
      return std::nullopt;
  }
  return result.empty() ? std::nullopt : std::optional(std::move(result));
}

class ByteProducts : public impl::ByteProductsBase<ByteProducts> {
public:
  void runOnOperation() override {
    const bool changed = match::rewriteBodies(getOperation(), [](Block &body) {
      bool here = false;
      for (Operation &op : llvm::make_early_inc_range(body))
        if (isa<graph::MatMulOp, graph::ConvOp>(op) && graph::elementOf(op.getOperand(0)).isSignlessInteger(16))
          here |= replace(&op);
      return here;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }

private:
  static bool replace(Operation *op) {
    OpBuilder b(op);
    std::optional<std::vector<int8_t>> weights = narrowed(op->getOperand(1));
    const std::optional<Left> left = weights ? leftOf(b, op->getOperand(0)) : std::nullopt;
    if (!left)
      return false;
    SmallVector<Operation *> parts{op};
    llvm::append_range(parts, left->ops);
    const Location loc = match::fusedLoc(b, parts);
    Value sums = left->zero ? columnSums(b, op, *weights) : Value();
    const auto type = graph::tensorType(graph::shapeOf(op->getOperand(1)), b.getI8Type());
    Value right = graph::ConstantOp::create(b, op->getOperand(1).getLoc(), constantOf(type, std::move(*weights)));
    const Value bytes = bytesBehindViews(b, *left);
    Operation *product = b.clone(*op);
    product->setOperands({bytes, right});
    product->setLoc(loc);
    Value result = product->getResult(0);
    if (sums)
      result = graph::BinaryOp::create(b, loc, graph::BinaryKind::Sub, result, shareOfZero(b, *left, sums, result));
    op->replaceAllUsesWith(ValueRange(result));
    op->erase();
    return true;
  }

  static Value bytesBehindViews(OpBuilder &b, const Left &left) {
    const double fill = left.zero ? match::splatOf(left.zero).value_or(0) : 0;
    Value value = left.bytes;
    for (Operation *view : left.views)
      value = viewOf(b, view, value, static_cast<int64_t>(fill));
    return value;
  }

  /// i32 [b.., 1, n]: over the depth of a matrix, or over all that belongs to an output channel.
  static Value columnSums(OpBuilder &b, Operation *op, ArrayRef<int8_t> weights) {
    graph::Exprs shape = graph::shapeOf(op->getOperand(1));
    const bool isConv = isa<graph::ConvOp>(op);
    const int64_t columns = *shape.back().constant(),
                  rows = isConv ? static_cast<int64_t>(weights.size()) / columns : *shape[shape.size() - 2].constant();
    const int64_t matrix = rows * columns, count = static_cast<int64_t>(weights.size()) / matrix;
    std::vector<int32_t> sums(count * columns);
    for (int64_t i = 0; i < static_cast<int64_t>(weights.size()); ++i)
      sums[i / matrix * columns + i % columns] += weights[i];
    for (size_t i = 0; i + 1 < shape.size(); ++i)
      if (isConv || i + 2 == shape.size())
        shape[i] = 1;
    return graph::ConstantOp::create(b, op->getLoc(),
                                     constantOf(graph::tensorType(shape, b.getI32Type()), std::move(sums)));
  }

  /// What the zero point adds to every sum: itself times the sum of the column.
  static Value shareOfZero(OpBuilder &b, const Left &left, Value sums, Value result) {
    const RankedTensorType type = graph::typeOf(result);
    const Location loc = result.getLoc();
    Value zero = match::castTo(b, loc, left.zero, b.getI32Type());
    zero = match::reshapeTo(b, loc, zero, graph::Exprs(type.getRank(), Expr(1)));
    Value factors[] = {zero, sums};
    for (Value &factor : factors)
      factor = graph::BroadcastOp::create(b, loc, type, factor);
    return graph::BinaryOp::create(b, loc, graph::BinaryKind::Mul, factors[0], factors[1]);
  }
};

} // namespace
} // namespace cupola
