//===- lib/Transforms/Quantized/ByteProducts.cpp - the pass `graph-byte-products` ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Constants.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Quantized/ByteOperands.h"

#include <cstring>
#include <numeric>

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_BYTEPRODUCTS
#include "lib/Transforms/Passes.h.inc"

namespace {

/// What every element of `value` is, as a tensor of one element.
Value oneElement(OpBuilder &b, Value value) {
  if (const std::optional<double> number = match::splatOf(value))
    return match::splat(b, value.getLoc(), *number, graph::tensorType({}, graph::elementOf(value)));
  return match::reshapeTo(b, value.getLoc(), value.getDefiningOp<graph::BroadcastOp>().getInput(), {});
}

/// The elements of an i16 constant, if all are i8.
std::optional<std::vector<int8_t>> narrowed(Value value) {
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  if (!constant)
    return std::nullopt;
  const ArrayRef<char> bytes = cupola::bytesOf(constant.getValue());
  if (const std::optional<double> all = match::splatOf(value); all && *all >= -128 && *all <= 127)
    return std::vector<int8_t>(*graph::elementCount(value).constant(), static_cast<int8_t>(*all));
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

/// Of matrices one behind the other, columns become rows; of a convolution's weights all but the last dimension are
/// rows.
std::vector<int8_t> turned(ArrayRef<int8_t> weights, int64_t rows, int64_t columns) {
  std::vector<int8_t> result(weights.size());
  for (size_t matrix = 0; matrix < weights.size(); matrix += rows * columns)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        result[matrix + column * rows + row] = weights[matrix + row * columns + column];
  return result;
}

/// Matrices one behind the other, as which a product reads its weights.
struct Matrices {
  int64_t rows, columns;
};
Matrices matricesOf(Operation *op, int64_t elements) {
  const graph::Exprs shape = graph::shapeOf(op->getOperand(1));
  const int64_t columns = *shape.back().constant();
  return {isa<graph::ConvOp>(op) ? elements / columns : *shape[shape.size() - 2].constant(), columns};
}

class ByteProducts : public impl::ByteProductsBase<ByteProducts> {
public:
  using ByteProductsBase::ByteProductsBase;

  void runOnOperation() override {
    const bool changed = match::rewriteBodies(getOperation(), [this](Block &body) {
      bool here = false;
      for (Operation &op : llvm::make_early_inc_range(body))
        if (isa<graph::MatMulOp, graph::ConvOp>(op) && hasColumnsLast(&op))
          here |= graph::elementOf(op.getOperand(0)).isSignlessInteger(16) ? replace(&op) : layAlongDepth(&op);
      return here;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }

private:
  /// So that one order is left to choose.
  static bool hasColumnsLast(Operation *op) {
    auto conv = dyn_cast<graph::ConvOp>(op);
    return !conv || conv.getLayout() == graph::ConvLayout::ChannelsLast;
  }

  /// Weights of float8, of which a constant holds the bytes or the numbers.
  bool layAlongDepth(Operation *op) const {
    Value right = op->getOperand(1);
    if (auto bits = right.getDefiningOp<graph::BitcastOp>())
      right = bits.getInput();
    auto weights = right.getDefiningOp<graph::ConstantOp>();
    if (!alongDepth || !weights || !graph::isFloat8(graph::elementOf(op->getOperand(1))) || match::splatOf(weights))
      return false;
    OpBuilder b(op);
    const ArrayRef<char> bytes = cupola::bytesOf(weights.getValue());
    op->setOperand(1, rightOf(b, op, std::vector<int8_t>(bytes.begin(), bytes.end())));
    return true;
  }

  bool replace(Operation *op) const {
    OpBuilder b(op);
    std::optional<std::vector<int8_t>> weights = narrowed(op->getOperand(1));
    const std::optional<ByteOperand> left = weights ? byteOperand(op->getOperand(0)) : std::nullopt;
    if (!left || (!signedLeft && !graph::elementOf(left->bytes).isUnsignedInteger(8)))
      return false;
    SmallVector<Operation *> parts{op};
    llvm::append_range(parts, left->ops);
    const Location loc = match::fusedLoc(b, parts);
    Value sums = left->zero ? columnSums(b, op, *weights) : Value();
    const Value right = rightOf(b, op, std::move(*weights)), bytes = bytesBehindViews(b, *left);
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

  /// Along the depth: as a view of weights that lie [b.., n, k], of a convolution [n, taps.., channels].
  Value rightOf(OpBuilder &b, Operation *op, std::vector<int8_t> weights) const {
    graph::Exprs shape = graph::shapeOf(op->getOperand(1));
    const Type own = graph::elementOf(op->getOperand(1)), element = graph::isFloat8(own) ? own : b.getI8Type();
    const auto type = [&] { return graph::tensorType(shape, element); };
    const Location loc = op->getOperand(1).getLoc();
    if (!alongDepth)
      return graph::ConstantOp::create(b, loc, constantOf(type(), std::move(weights)));
    const RankedTensorType wanted = type();
    const auto [rows, columns] = matricesOf(op, static_cast<int64_t>(weights.size()));
    const size_t first = isa<graph::ConvOp>(op) ? 0 : shape.size() - 2;
    std::rotate(shape.begin() + first, shape.end() - 1, shape.end());
    SmallVector<int64_t> perm(shape.size());
    std::iota(perm.begin(), perm.end(), 0);
    std::rotate(perm.begin() + first, perm.begin() + first + 1, perm.end());
    Value lying = graph::ConstantOp::create(b, loc, constantOf(type(), turned(weights, rows, columns)));
    return graph::TransposeOp::create(b, op->getLoc(), wanted, lying, perm);
  }

  static Value bytesBehindViews(OpBuilder &b, const ByteOperand &left) {
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
    const auto [rows, columns] = matricesOf(op, static_cast<int64_t>(weights.size()));
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
  static Value shareOfZero(OpBuilder &b, const ByteOperand &left, Value sums, Value result) {
    const RankedTensorType type = graph::typeOf(result);
    const Location loc = result.getLoc();
    Value zero = match::castTo(b, loc, oneElement(b, left.zero), b.getI32Type());
    zero = match::reshapeTo(b, loc, zero, graph::Exprs(type.getRank(), Expr(1)));
    Value factors[] = {zero, sums};
    for (Value &factor : factors)
      factor = graph::BroadcastOp::create(b, loc, type, factor);
    return graph::BinaryOp::create(b, loc, graph::BinaryKind::Mul, factors[0], factors[1]);
  }
};

} // namespace
} // namespace cupola
