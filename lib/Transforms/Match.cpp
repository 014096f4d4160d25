//===- lib/Transforms/Match.cpp - what patterns on the graph ask and build ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Match.h"

#include "dialects/Graph/Control.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;

namespace cupola::match {

Value viewInput(Operation *op) {
  if (isa_and_nonnull<graph::ReshapeOp, graph::TransposeOp, graph::BroadcastOp, graph::SliceOp>(op))
    return op->getOperand(0);
  return {};
}

static std::optional<double> numberOf(DenseElementsAttr values) {
  if (!values.isSplat())
    return std::nullopt;
  Type element = values.getElementType();
  if (isa<FloatType>(element))
    return values.getSplatValue<APFloat>().convertToDouble();
  APInt bits = values.getSplatValue<APInt>();
  if (element.isInteger(1))
    return bits.isZero() ? 0.0 : 1.0;
  bool isUnsigned = element.isUnsignedInteger();
  if ((isUnsigned ? bits.getActiveBits() : bits.getSignificantBits()) > 53)
    return std::nullopt;
  return isUnsigned ? double(bits.getZExtValue()) : double(bits.getSExtValue());
}

graph::ConstantOp constantBehind(Value value) {
  while (Value input = viewInput(value.getDefiningOp()))
    value = input;
  return value.getDefiningOp<graph::ConstantOp>();
}

std::optional<double> splatOf(Value value) {
  graph::ConstantOp constant = constantBehind(value);
  auto values = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  return values ? numberOf(values) : std::nullopt;
}

double toleranceOf(Type element) { return element.isF16() ? 1e-3 : element.isBF16() ? 8e-3 : 1e-6; }

bool isNear(double a, double b, double tolerance) {
  return a == b || std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

bool isSplat(Value value, double expected) {
  std::optional<double> number = splatOf(value);
  return number && isNear(*number, expected, toleranceOf(graph::elementOf(value)));
}

Value withoutCasts(Value value) {
  auto cast = value.getDefiningOp<graph::CastOp>();
  while (cast && isa<FloatType>(graph::elementOf(value)) && isa<FloatType>(graph::elementOf(cast.getInput()))) {
    value = cast.getInput();
    cast = value.getDefiningOp<graph::CastOp>();
  }
  return value;
}

graph::UnaryOp unary(OpBuilder &b, Location loc, graph::UnaryKind kind, Value input, double alpha) {
  return graph::UnaryOp::create(b, loc, kind, input, APFloat(alpha), APFloat(0.0));
}

Value unaryAs(OpBuilder &b, Location loc, RankedTensorType type, graph::UnaryKind kind, Value input, double alpha) {
  Type of = graph::elementOf(input), to = type.getElementType();
  Value wide = castTo(b, loc, input, of.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth() ? of : to);
  return castTo(b, loc, unary(b, loc, kind, wide, alpha), to);
}

LogicalResult replaceByUnary(PatternRewriter &rewriter, graph::BinaryOp op, graph::UnaryKind kind, Value x,
                             double alpha) {
  auto loc = locationOf(rewriter, op, {x, withoutCasts(x)});
  rewriter.replaceOp(op, unaryAs(rewriter, loc, graph::typeOf(op.getResult()), kind, x, alpha));
  return success();
}

static Attribute elementAttr(double number, Type element) {
  if (isa<FloatType>(element))
    return FloatAttr::get(element, number);
  auto integer = cast<IntegerType>(element);
  return IntegerAttr::get(element, APInt(integer.getWidth(), static_cast<uint64_t>(int64_t(number)),
                                         /*isSigned=*/false, /*implicitTrunc=*/true));
}

Value splat(OpBuilder &b, Location loc, double number, RankedTensorType type) {
  return splat(b, loc, elementAttr(number, type.getElementType()), type);
}

Value splat(OpBuilder &b, Location loc, Attribute element, RankedTensorType type) {
  RankedTensorType stored = type;
  if (!type.hasStaticShape())
    stored = graph::tensorType(graph::Exprs(type.getRank(), Expr(1)), type.getElementType());
  auto values = DenseElementsAttr::get(stored, element);
  Value value = graph::ConstantOp::create(b, loc, values);
  return stored == type ? value : graph::BroadcastOp::create(b, loc, type, value).getResult();
}

SmallVector<Pair, 2> operandsOf(Value value, graph::BinaryKind kind) {
  auto op = value.getDefiningOp<graph::BinaryOp>();
  if (!op || op.getKind() != kind)
    return {};
  SmallVector<Pair, 2> pairs{{op.getLhs(), op.getRhs()}};
  if (kind == graph::BinaryKind::Add || kind == graph::BinaryKind::Mul)
    pairs.push_back({op.getRhs(), op.getLhs()});
  return pairs;
}

Value inputOf(Value value, graph::UnaryKind kind) {
  auto op = value.getDefiningOp<graph::UnaryOp>();
  return op && op.getKind() == kind ? op.getInput() : Value();
}

std::optional<Scaled> scaledBy(Value value) {
  if (!isa<FloatType>(graph::elementOf(value)))
    return std::nullopt;
  auto usable = [](std::optional<double> n) { return n && std::isfinite(*n) && *n != 0; };
  for (Pair pair : operandsOf(value, graph::BinaryKind::Mul))
    if (auto number = splatOf(pair.second); usable(number))
      return Scaled{pair.first, *number};
  for (Pair pair : operandsOf(value, graph::BinaryKind::Div))
    if (auto number = splatOf(pair.second); usable(number))
      return Scaled{pair.first, 1 / *number};
  return std::nullopt;
}

std::optional<Scaled> shiftedBy(Value value) {
  for (Pair pair : operandsOf(value, graph::BinaryKind::Add))
    if (auto number = splatOf(pair.second))
      return Scaled{pair.first, *number};
  for (Pair pair : operandsOf(value, graph::BinaryKind::Sub))
    if (auto number = splatOf(pair.second))
      return Scaled{pair.first, -*number};
  return std::nullopt;
}

Scaled multipleOf(Value value) {
  if (auto scaled = scaledBy(value))
    return *scaled;
  if (Value x = inputOf(value, graph::UnaryKind::Neg))
    return {x, -1};
  return {value, 1};
}

std::optional<Affine> affineOf(Value value) {
  if (auto shifted = shiftedBy(value)) {
    Scaled term = multipleOf(shifted->x);
    return Affine{term.x, term.number, shifted->number};
  }
  for (Pair pair : operandsOf(value, graph::BinaryKind::Sub))
    if (auto number = splatOf(pair.first)) {
      Scaled term = multipleOf(pair.second);
      return Affine{term.x, -term.number, *number};
    }
  return std::nullopt;
}

static void collectFactors(Value value, Product &product, unsigned depth) {
  constexpr unsigned maxDepth = 8;
  if (std::optional<double> number = splatOf(value)) {
    product.number *= *number;
    return;
  }
  if (depth == 0 || (value.hasOneUse() && depth < maxDepth)) {
    if (auto scaled = scaledBy(value)) {
      product.number *= scaled->number;
      return collectFactors(scaled->x, product, depth + 1);
    }
    if (auto op = value.getDefiningOp<graph::BinaryOp>(); op && op.getKind() == graph::BinaryKind::Mul) {
      collectFactors(op.getLhs(), product, depth + 1);
      return collectFactors(op.getRhs(), product, depth + 1);
    }
  }
  product.factors.push_back(value);
}

Product productOf(Value value) {
  Product product;
  collectFactors(value, product, 0);
  return product;
}

SmallVector<TwoFactors, 2> twoFactorsOf(Value value) {
  const Product product = productOf(value);
  if (product.factors.size() != 2)
    return {};
  return {{product.factors[0], product.factors[1], product.number},
          {product.factors[1], product.factors[0], product.number}};
}

bool isPointwise(Operation *op) {
  return isa<graph::UnaryOp, graph::BinaryOp, graph::SelectOp, graph::CastOp, graph::BitcastOp, graph::CallOp>(op);
}

bool isBijectiveView(Operation *op) { return isa_and_nonnull<graph::ReshapeOp, graph::TransposeOp>(op); }

Location fusedLoc(OpBuilder &b, ArrayRef<Operation *> ops) {
  SmallVector<Location> locations, constants;
  for (Operation *op : ops)
    (isa<graph::ConstantOp>(op) ? constants : locations).push_back(op->getLoc());
  return b.getFusedLoc(locations.empty() ? constants : locations);
}

Location locationOf(OpBuilder &b, Operation *last, ArrayRef<Value> stop) {
  llvm::SetVector<Operation *> ops;
  ops.insert(last);
  for (size_t i = 0; i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands())
      if (Operation *op = operand.getDefiningOp(); op && !llvm::is_contained(stop, operand))
        ops.insert(op);
  SmallVector<Operation *> order(ops.begin(), ops.end());
  llvm::sort(order, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return fusedLoc(b, order);
}

Value reshapeTo(OpBuilder &b, Location loc, Value value, ArrayRef<Expr> shape) {
  RankedTensorType type = graph::tensorType(shape, graph::elementOf(value));
  return type == value.getType() ? value : graph::ReshapeOp::create(b, loc, type, value).getResult();
}

Value castTo(OpBuilder &b, Location loc, Value value, Type element) {
  if (graph::elementOf(value) == element)
    return value;
  return graph::CastOp::create(b, loc, graph::tensorType(graph::shapeOf(value), element), value);
}

void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

bool rewriteBodies(func::FuncOp func, function_ref<bool(Block &)> rewrite) {
  bool changed = false;
  for (Block *body : graph::bodiesOf(func))
    if (rewrite(*body)) {
      eraseDead(*body);
      changed = true;
    }
  return changed;
}

LogicalResult rewriteAll(Operation *root, RewritePatternSet patterns, StringRef what) {
  GreedyRewriteConfig config;
  config.enableFolding(false).enableConstantCSE(false);
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  config.setUseTopDownTraversal(true);
  if (succeeded(applyPatternsGreedily(root, std::move(patterns), config)))
    return success();
  return root->emitError() << what << " does not come to an end";
}

} // namespace cupola::match
