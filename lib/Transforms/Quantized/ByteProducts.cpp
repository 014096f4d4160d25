//===- lib/Transforms/Quantized/ByteProducts.cpp - the pass `graph-byte-products` ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Constants.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Quantized/ByteOperands.h"
#include "lib/Transforms/Quantized/ByteWeights.h"

#include <numeric>

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_BYTEPRODUCTS
#include "lib/Transforms/Passes.h.inc"

namespace {

/// One element, or with ones in front of its dimensions, repeated along those of extent 1.
Value broadcastTo(OpBuilder &b, Location loc, Value value, RankedTensorType type) {
  graph::Exprs shape(type.getRank(), Expr(1));
  if (const graph::Exprs own = graph::shapeOf(value); !graph::product(own).isConstant(1))
    llvm::copy(own, shape.end() - own.size());
  const RankedTensorType wanted = graph::tensorType(graph::shapeOf(type), graph::elementOf(value));
  value = match::reshapeTo(b, loc, value, shape);
  return value.getType() == wanted ? value : graph::BroadcastOp::create(b, loc, wanted, value).getResult();
}

/// Numbers of i32 for every column, or one for all, as what is added to the result of a product.
Value perColumn(OpBuilder &b, Operation *product, std::vector<int32_t> numbers) {
  const RankedTensorType type = graph::typeOf(product->getResult(0));
  const Location loc = product->getLoc();
  if (numbers.size() == 1)
    return match::splat(b, loc, numbers.front(), type);
  graph::Exprs shape = graph::shapeOf(product->getOperand(1));
  const size_t first = isa<graph::ConvOp>(product) ? 0 : shape.size() - 2;
  for (size_t i = first; i + 1 < shape.size(); ++i)
    shape[i] = 1;
  Value value =
      graph::ConstantOp::create(b, loc, constantOf(graph::tensorType(shape, b.getI32Type()), std::move(numbers)));
  return broadcastTo(b, loc, value, type);
}

/// What the zero points add to the sums: each itself times the sum of the column.
Value shareOfZero(OpBuilder &b, Operation *product, const ByteOperand &left, const ByteWeights &weights) {
  const Location loc = product->getLoc();
  if (const std::optional<double> number = match::splatOf(left.zero)) {
    std::vector<int32_t> shares = weights.sums;
    for (int32_t &share : shares)
      share = static_cast<int32_t>(static_cast<uint32_t>(share) * static_cast<uint32_t>(static_cast<int32_t>(*number)));
    return perColumn(b, product, std::move(shares));
  }
  Value zero = match::castTo(b, loc, left.zero, b.getI32Type());
  zero = broadcastTo(b, loc, zero, graph::typeOf(product->getResult(0)));
  return graph::BinaryOp::create(b, loc, graph::BinaryKind::Mul, zero, perColumn(b, product, weights.sums));
}

/// Sums of the windows of a convolution over [n, places.., 1]: [n, windows.., 1].
Value sumsOfWindows(OpBuilder &b, graph::ConvOp conv, Value sums) {
  const Location loc = conv.getLoc();
  const graph::Exprs shape = graph::shapeOf(sums);
  graph::Exprs result = graph::shapeOf(conv.getResult());
  result.back() = 1;
  const RankedTensorType type = graph::tensorType(result, graph::elementOf(sums));
  if (!conv.hasWindow()) {
    const ArrayAttr starts = graph::exprArray(b.getContext(), graph::Exprs(shape.size(), Expr(0)));
    SmallVector<int64_t> steps(shape.size(), 1);
    llvm::copy(conv.getStrides(), steps.begin() + 1);
    const bool isAll = llvm::all_of(steps, [](int64_t step) { return step == 1; });
    return isAll ? sums : graph::SliceOp::create(b, loc, type, sums, starts, steps).getResult();
  }
  const auto dims = static_cast<int64_t>(shape.size()) - 2;
  SmallVector<int64_t> sizes, axes(dims);
  for (const Expr &size : ArrayRef(graph::shapeOf(conv.getWeights())).take_front(dims))
    sizes.push_back(*size.constant());
  std::iota(axes.begin(), axes.end(), 1 + dims);
  const ArrayRef<Expr> places = ArrayRef(result).slice(1, dims);
  const RankedTensorType windows =
      graph::tensorType(graph::WindowOp::resultShape(shape, 1, sizes, places), graph::elementOf(sums));
  sums = graph::WindowOp::create(b, loc, windows, sums, /*axis=*/1, sizes, conv.getStrides(), conv.getDilations());
  sums = graph::ReduceOp::create(b, loc, graph::ReduceKind::Sum, sums, axes);
  return match::reshapeTo(b, loc, sums, result);
}

/// What the offsets of the weights add to the sums: each itself times the sum of the bytes that it is multiplied by.
Value shareOfOffsets(OpBuilder &b, Operation *product, const ByteWeights &weights) {
  const RankedTensorType type = graph::typeOf(product->getResult(0));
  const Location loc = product->getLoc();
  Value sums = match::castTo(b, loc, product->getOperand(0), b.getI32Type());
  if (const auto last = static_cast<int64_t>(graph::rankOf(sums)) - 1; !graph::shapeOf(sums)[last].isConstant(1))
    sums = graph::ReduceOp::create(b, loc, graph::ReduceKind::Sum, sums, ArrayRef<int64_t>{last});
  if (auto conv = dyn_cast<graph::ConvOp>(product))
    sums = sumsOfWindows(b, conv, sums);
  sums = broadcastTo(b, loc, sums, type);
  return graph::BinaryOp::create(b, loc, graph::BinaryKind::Mul, sums, perColumn(b, product, weights.offsets));
}

/// A border of zeros becomes one of the zero point, which is read where it is no number that is known.
Value padded(OpBuilder &b, Location loc, graph::PadOp pad, Value bytes, Value zero) {
  if (const std::optional<double> number = zero ? match::splatOf(zero) : 0)
    return viewOf(b, pad, bytes, static_cast<int64_t>(*number));
  const Value inner = viewOf(b, pad, bytes);
  const RankedTensorType type = graph::typeOf(inner);
  const Value inside = viewOf(b, pad, match::splat(b, loc, 1, graph::tensorType(graph::shapeOf(bytes), b.getI1Type())));
  const Value border = broadcastTo(b, loc, match::castTo(b, loc, zero, type.getElementType()), type);
  return graph::SelectOp::create(b, loc, inside, inner, border);
}

Value bytesBehindViews(OpBuilder &b, Location loc, const ByteOperand &left) {
  Value value = left.bytes;
  for (Operation *view : left.views) {
    auto pad = dyn_cast<graph::PadOp>(view);
    const bool isBorder = pad && pad.getMode() == graph::PadMode::Constant;
    value = isBorder ? padded(b, loc, pad, value, left.zero) : viewOf(b, view, value);
  }
  return value;
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
    if (!weights || !graph::isFloat8(graph::elementOf(op->getOperand(1))) || match::splatOf(weights))
      return false;
    OpBuilder b(op);
    const ArrayRef<char> bytes = cupola::bytesOf(weights.getValue());
    op->setOperand(1, rightOf(b, op, std::vector<int8_t>(bytes.begin(), bytes.end())));
    return true;
  }

  bool replace(Operation *op) const {
    const std::optional<ByteWeights> weights = byteWeights(op);
    const std::optional<ByteOperand> left = weights ? byteOperand(op->getOperand(0)) : std::nullopt;
    if (!left || (!signedLeft && !graph::elementOf(left->bytes).isUnsignedInteger(8)))
      return false;
    auto conv = dyn_cast<graph::ConvOp>(op);
    if (conv && (!left->hasOneZero() || (!weights->offsets.empty() && conv.getGroups() != 1)))
      return false;
    OpBuilder b(op);
    SmallVector<Operation *> parts{op};
    llvm::append_range(parts, left->ops);
    const Location loc = match::fusedLoc(b, parts);
    const Value bytes = bytesBehindViews(b, loc, *left), right = rightOf(b, op, weights->bytes);
    Operation *product = b.clone(*op);
    product->setOperands({bytes, right});
    product->setLoc(loc);
    Value result = product->getResult(0);
    if (!weights->offsets.empty())
      result = graph::BinaryOp::create(b, loc, graph::BinaryKind::Add, result, shareOfOffsets(b, product, *weights));
    if (left->zero)
      result =
          graph::BinaryOp::create(b, loc, graph::BinaryKind::Sub, result, shareOfZero(b, product, *left, *weights));
    op->replaceAllUsesWith(ValueRange(result));
    op->erase();
    return true;
  }

  /// Along the depth: as a view of weights that lie [b.., n, k], of a convolution [n, taps.., channels].
  Value rightOf(OpBuilder &b, Operation *op, const std::vector<int8_t> &weights) const {
    graph::Exprs shape = graph::shapeOf(op->getOperand(1));
    const Type own = graph::elementOf(op->getOperand(1)), element = graph::isFloat8(own) ? own : b.getI8Type();
    const auto type = [&] { return graph::tensorType(shape, element); };
    const Location loc = op->getOperand(1).getLoc();
    const RankedTensorType wanted = type();
    const size_t first = isa<graph::ConvOp>(op) ? 0 : shape.size() - 2;
    std::rotate(shape.begin() + first, shape.end() - 1, shape.end());
    SmallVector<int64_t> perm(shape.size());
    std::iota(perm.begin(), perm.end(), 0);
    std::rotate(perm.begin() + first, perm.begin() + first + 1, perm.end());
    Value lying = graph::ConstantOp::create(b, loc, constantOf(type(), turned(op, weights)));
    return graph::TransposeOp::create(b, op->getLoc(), wanted, lying, perm);
  }
};

} // namespace
} // namespace cupola
