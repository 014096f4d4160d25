//===- lib/Transforms/Precision/Keep.cpp - what must not have 16 bits ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Precision/Keep.h"

#include "dialects/Graph/Provenance.h"
#include "lib/Transforms/Match.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/GlobPattern.h"

#include <cmath>

using namespace mlir;

namespace cupola {

static bool isF32(Value value) { return graph::elementOf(value).isF32(); }

/// A product that sums nothing multiplies.
static bool isOuterProduct(Operation *op) {
  auto product = dyn_cast<graph::MatMulOp>(op);
  return product && graph::extentOf(product.getRhs(), graph::rankOf(product.getRhs()) - 2).isConstant(1);
}

static std::optional<llvm::APInt> integerSplat(Value value) {
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  auto values = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  return values && values.isSplat() && isa<IntegerType>(values.getElementType())
             ? std::optional(values.getSplatValue<llvm::APInt>())
             : std::nullopt;
}

/// Bits as integers in the order of the floats (sorts make them): negative ones are those of the magnitude taken from
/// the smallest integer. They say no more of the numbers than comparisons do.
static bool isOrder(graph::BitcastOp bits) {
  bool turns = false;
  for (Operation *user : bits->getUsers()) {
    auto binary = dyn_cast<graph::BinaryOp>(user);
    const auto left = binary ? integerSplat(binary.getLhs()) : std::nullopt;
    const auto right = binary ? integerSplat(binary.getRhs()) : std::nullopt;
    const bool isTurned = left && left->isMinSignedValue() && binary.getKind() == graph::BinaryKind::Sub;
    const bool isSign = right && right->isZero() && binary.getKind() == graph::BinaryKind::Less;
    if (!isTurned && !isSign && !isa<graph::SelectOp>(user))
      return false;
    turns |= isTurned;
  }
  return turns;
}

/// Whether the numbers that an op reads are positions, angles or bits, whatever it computes.
static bool needsExactOperands(Operation *op) {
  if (auto unary = dyn_cast<graph::UnaryOp>(op))
    return graph::needsExactOperands(unary.getKind());
  if (auto binary = dyn_cast<graph::BinaryOp>(op))
    return graph::needsExactOperands(binary.getKind());
  if (auto bits = dyn_cast<graph::BitcastOp>(op))
    return !isOrder(bits);
  auto cast = dyn_cast<graph::CastOp>(op);
  return cast && isa<IntegerType>(graph::elementOf(cast.getResult())) &&
         !graph::elementOf(cast.getResult()).isInteger(1);
}

bool movesElements(Operation *op) {
  const graph::FusionClass kind = cast<graph::ClassInterface>(op).getFusionClass();
  return kind == graph::FusionClass::View || kind == graph::FusionClass::Join || kind == graph::FusionClass::Gather;
}

/// Whether a result that has to be exact asks that of the operands.
static bool passesOn(Operation *op) {
  auto bits = dyn_cast<graph::BitcastOp>(op);
  auto unary = dyn_cast<graph::UnaryOp>(op);
  if ((bits && isOrder(bits)) || (unary && unary.getKind() == graph::UnaryKind::IsNaN))
    return false;
  const graph::FusionClass kind = cast<graph::ClassInterface>(op).getFusionClass();
  return movesElements(op) || kind == graph::FusionClass::Pointwise || kind == graph::FusionClass::Reduction ||
         isOuterProduct(op);
}

/// A sum of products with weights, as of a convolution with one filter per channel, is of the size of what it reads.
static bool isWeightedSum(Operation *op) {
  auto sum = dyn_cast<graph::ReduceOp>(op);
  auto product = sum ? sum.getInput().getDefiningOp<graph::BinaryOp>() : nullptr;
  if (!product || sum.getKind() != graph::ReduceKind::Sum || product.getKind() != graph::BinaryKind::Mul)
    return false;
  return llvm::any_of(product->getOperands(), [](Value value) {
    while (Operation *view = value.getDefiningOp()) {
      if (!isa<graph::CastOp>(view) && !match::viewInput(view))
        return isa<graph::ConstantOp>(view);
      value = view->getOperand(0);
    }
    return false;
  });
}

Keep::Keep(Block &body, FloatType element, const KeepsNode &keepsNode)
    : element(element), keepsNode(keepsNode), intervals(body) {
  markExact(body);
}

void Keep::markExact(Block &body) {
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    if (!isa<graph::ClassInterface>(op) || op.getNumRegions() != 0)
      continue;
    if (needsExactOperands(&op) || (passesOn(&op) && exact.contains(op.getResult(0))))
      exact.insert_range(op.getOperands());
  }
}

bool Keep::fits(Value value) const {
  const FloatInterval interval = intervals.of(value);
  if (!interval.isKnown() || interval.largest() == 0)
    return true;
  const llvm::fltSemantics &format = element.getFloatSemantics();
  const double largest = llvm::APFloat::getLargest(format).convertToDouble();
  const double smallest = llvm::APFloat::getSmallestNormalized(format).convertToDouble();
  // Two bits of room above: what is computed from the value is of its size.
  return interval.largest() <= largest / 4 && interval.largest() >= smallest;
}

static std::string describe(const FloatInterval &interval) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("[%g, %g]", interval.lo + 0.0, interval.hi + 0.0); // no -0
  return text;
}

KeepsNode keepsMatching(ArrayRef<std::string> patterns) {
  std::vector<llvm::GlobPattern> globs;
  for (const std::string &text : patterns)
    if (auto pattern = llvm::GlobPattern::create(text))
      globs.push_back(std::move(*pattern));
    else
      llvm::consumeError(pattern.takeError());
  return [globs](StringRef node) {
    return llvm::any_of(globs, [&](const llvm::GlobPattern &pattern) { return pattern.match(node); });
  };
}

std::optional<std::string> Keep::reasonForExact(Operation *op) const {
  for (const graph::NodeRef &node : graph::nodesOf(op->getLoc()))
    if (keepsNode && keepsNode(node.name))
      return "it was asked to stay f32";
  if (exact.contains(op->getResult(0)))
    return "positions, angles or bits are computed from it";
  return std::nullopt;
}

std::optional<std::string> Keep::reason(Operation *op) const {
  if (std::optional<std::string> found = reasonForExact(op))
    return found;
  const Value result = op->getResult(0);
  if (!fits(result))
    return "its results lie in " + describe(intervals.of(result)) + ", which 16 bits do not hold";
  if (isKnownToFit(result))
    return std::nullopt;
  auto squared = dyn_cast<graph::BinaryOp>(op);
  if (isWeightedSum(op))
    return std::nullopt;
  if (cast<graph::ClassInterface>(op).getPrecisionClass() == graph::PrecisionClass::Keep ||
      (squared && squared.getKind() == graph::BinaryKind::Mul && squared.getLhs() == squared.getRhs()))
    return "its results may be far larger or smaller than what it reads";
  for (Value operand : op->getOperands())
    if (isF32(operand) && !fits(operand))
      return "it reads numbers in " + describe(intervals.of(operand)) + ", which 16 bits do not hold";
  return std::nullopt;
}

} // namespace cupola
