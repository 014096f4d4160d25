//===- lib/Transforms/Quantized/IntegerProducts.cpp - the pass `graph-integer-products` ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Quantized/QuantizedProducts.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_INTEGERPRODUCTS
#include "lib/Transforms/Passes.h.inc"

namespace {

/// One scale, or one per column (dimension `columns` of the result; -1: one), broadcast to the result.
Value scaleOf(OpBuilder &b, Location loc, Value scale, int64_t columns, RankedTensorType result) {
  if (const std::optional<double> number = match::splatOf(scale))
    return match::splat(b, loc, *number, result);
  const graph::Exprs shape = graph::shapeOf(result);
  graph::Exprs from(shape.size(), Expr(1));
  Value value = scale;
  if (auto broadcast = scale.getDefiningOp<graph::BroadcastOp>())
    value = broadcast.getInput();
  if (columns >= 0)
    from[columns] = shape[columns];
  value = match::castTo(b, loc, match::reshapeTo(b, loc, value, from), result.getElementType());
  return graph::BroadcastOp::create(b, loc, result, value);
}

Value operandOf(OpBuilder &b, const DequantizedOperand &operand) {
  Value value = numbersOf(b, operand);
  for (Operation *view : operand.views)
    value = viewOf(b, view, value);
  return value;
}

class IntegerProducts : public impl::IntegerProductsBase<IntegerProducts> {
public:
  IntegerProducts() = default;
  explicit IntegerProducts(std::function<bool(Operation *)> takes) : takes(std::move(takes)) {}

  void runOnOperation() override {
    const bool changed = match::rewriteBodies(getOperation(), [this](Block &body) {
      bool here = false;
      for (Operation &op : llvm::make_early_inc_range(body))
        if (const std::optional<QuantizedProduct> product = quantizedProduct(&op); product && (!takes || takes(&op))) {
          replace(&op, *product);
          here = true;
        }
      return here;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }

private:
  static void replace(Operation *op, const QuantizedProduct &product) {
    OpBuilder b(op);
    SmallVector<Operation *> parts{op}; // with the multiplications by the scales
    for (const DequantizedOperand &operand : {product.left, product.right})
      if (operand.product)
        parts.push_back(operand.product);
    const Location loc = match::fusedLoc(b, parts);
    // Products of float8 are rounded once, behind the scales, to whatever the result has.
    const RankedTensorType type = graph::typeOf(op->getResult(0));
    const RankedTensorType wide = graph::tensorType(graph::shapeOf(type), b.getF32Type());
    Value result = productOf(b, loc, op, product);
    result = match::castTo(b, loc, result, wide.getElementType());
    // Both scales first: where both are constants they are one constant.
    Value scale;
    auto conv = dyn_cast<graph::ConvOp>(op);
    const int64_t last = conv ? conv.dims().channels : type.getRank() - 1;
    for (const auto &[factor, columns] : {std::pair(product.left.scale, int64_t(-1)),
                                          std::pair(product.right.scale, product.columns < 0 ? int64_t(-1) : last)})
      if (factor) {
        Value next = scaleOf(b, loc, factor, columns, wide);
        scale = scale ? graph::BinaryOp::create(b, loc, graph::BinaryKind::Mul, scale, next).getResult() : next;
      }
    if (scale)
      result = graph::BinaryOp::create(b, loc, graph::BinaryKind::Mul, result, scale);
    result = match::castTo(b, loc, result, type.getElementType());
    op->replaceAllUsesWith(ValueRange(result));
    op->erase();
  }

  /// Of the numbers alone.
  static Value productOf(OpBuilder &b, Location loc, Operation *op, const QuantizedProduct &product) {
    Value left = operandOf(b, product.left), right = operandOf(b, product.right);
    auto conv = dyn_cast<graph::ConvOp>(op);
    if (!conv)
      return graph::MatMulOp::create(b, loc, left, right, graph::Tf32Attr(), graph::Int8RowsAttr());
    const Type sum = graph::productOf(graph::elementOf(left), graph::elementOf(right));
    return graph::ConvOp::create(b, loc, graph::tensorType(graph::shapeOf(op->getResult(0)), sum), left, right,
                                 conv.getLayout(), conv.getStrides(), conv.getDilations(), conv.getGroups(),
                                 graph::Tf32Attr());
  }

  std::function<bool(Operation *)> takes; ///< null: every one
};

} // namespace

std::unique_ptr<Pass> createIntegerProducts(std::function<bool(Operation *)> takes) {
  return std::make_unique<IntegerProducts>(std::move(takes));
}

} // namespace cupola
