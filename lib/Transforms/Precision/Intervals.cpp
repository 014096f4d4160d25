//===- lib/Transforms/Precision/Intervals.cpp - between what numbers values lie ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Precision/Intervals.h"

#include "lib/Reference/Tensor.h"
#include "lib/Transforms/Match.h"

#include <cmath>

using namespace mlir;

namespace cupola {

bool FloatInterval::isKnown() const { return std::isfinite(lo) && std::isfinite(hi); }
double FloatInterval::largest() const { return std::max(std::fabs(lo), std::fabs(hi)); }
FloatInterval FloatInterval::join(const FloatInterval &other) const {
  return {std::min(lo, other.lo), std::max(hi, other.hi)};
}

/// The smallest interval with these numbers; anything where one of them is NaN.
static FloatInterval hull(ArrayRef<double> numbers) {
  FloatInterval hull{numbers.front(), numbers.front()};
  for (double number : numbers) {
    if (std::isnan(number))
      return {};
    hull = hull.join({number, number});
  }
  return hull;
}

static FloatInterval hullOf(const reference::Tensor &tensor) {
  FloatInterval hull{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  tensor.forPieces([&](int64_t, ArrayRef<double> numbers) {
    for (double number : numbers) { // a NaN is in no interval
      hull.lo = number < hull.lo ? number : hull.lo;
      hull.hi = number > hull.hi ? number : hull.hi;
    }
  });
  return hull.lo <= hull.hi ? hull : FloatInterval{};
}

static FloatInterval ofConstant(graph::ConstantOp op) {
  if (std::optional<double> splat = match::splatOf(op.getResult()))
    return hull({*splat});
  if (!isa<FloatType>(graph::elementOf(op.getResult())))
    return {};
  Result<reference::Tensor> tensor = reference::Tensor::of(op.getValue());
  return tensor.isOk() ? hullOf(*tensor) : FloatInterval{};
}

/// What an element of this type can be.
static FloatInterval ofType(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || integer.getWidth() > 16)
    return {};
  const double count = std::ldexp(1.0, integer.getWidth());
  return integer.isUnsigned() || integer.getWidth() == 1 ? FloatInterval{0, count - 1}
                                                         : FloatInterval{-count / 2, count / 2 - 1};
}

static FloatInterval scaled(const FloatInterval &interval, double factor) {
  return hull({interval.lo * factor, interval.hi * factor});
}

FloatIntervals::FloatIntervals(Block &body) {
  for (Operation &op : body)
    if (op.getNumResults() == 1 && isa<graph::ClassInterface>(op))
      if (const FloatInterval interval = compute(&op); interval.isKnown())
        known[op.getResult(0)] = interval;
}

FloatInterval FloatIntervals::compute(Operation *op) const {
  if (auto constant = dyn_cast<graph::ConstantOp>(op))
    return ofConstant(constant);
  if (auto unary = dyn_cast<graph::UnaryOp>(op))
    return compute(unary);
  if (auto binary = dyn_cast<graph::BinaryOp>(op))
    return compute(binary);
  if (auto reduce = dyn_cast<graph::ReduceOp>(op))
    return compute(reduce);
  if (auto softmax = dyn_cast<graph::SoftmaxOp>(op))
    return softmax.getLog() ? FloatInterval{} : FloatInterval{0, 1};
  if (auto cast = dyn_cast<graph::CastOp>(op)) {
    const FloatInterval input = of(cast.getInput());
    return input.isKnown() ? input : ofType(graph::elementOf(cast.getInput()));
  }
  if (auto select = dyn_cast<graph::SelectOp>(op))
    return of(select.getLhs()).join(of(select.getRhs()));
  if (auto call = dyn_cast<graph::CallOp>(op))
    return call.getSame() ? of(call.getSame()) : FloatInterval{};
  if (auto pad = dyn_cast<graph::PadOp>(op)) {
    auto value = dyn_cast<FloatAttr>(pad.getValue());
    const double outside = value ? value.getValueAsDouble() : 0;
    return of(pad.getInput()).join(hull({outside}));
  }
  switch (cast<graph::ClassInterface>(op).getFusionClass()) {
  case graph::FusionClass::View:
  case graph::FusionClass::Join: {
    FloatInterval all = of(op->getOperand(0));
    for (Value operand : op->getOperands())
      all = all.join(of(operand));
    return all;
  }
  case graph::FusionClass::Gather:
    return of(op->getOperand(0));
  default:
    return {};
  }
}

FloatInterval FloatIntervals::compute(graph::UnaryOp op) const {
  const FloatInterval x = of(op.getInput());
  switch (op.getKind()) {
  case graph::UnaryKind::Sign:
  case graph::UnaryKind::Erf:
  case graph::UnaryKind::Tanh:
  case graph::UnaryKind::Softsign:
  case graph::UnaryKind::Sin:
  case graph::UnaryKind::Cos:
    return {-1, 1};
  case graph::UnaryKind::Sigmoid:
  case graph::UnaryKind::HardSigmoid:
    return {0, 1};
  case graph::UnaryKind::Asin:
  case graph::UnaryKind::Acos:
  case graph::UnaryKind::Atan:
    return {-M_PI, M_PI};
  default:
    break;
  }
  if (!x.isKnown())
    return {};
  switch (op.getKind()) {
  case graph::UnaryKind::Neg:
    return scaled(x, -1);
  case graph::UnaryKind::Abs:
    return {0, x.largest()};
  case graph::UnaryKind::Relu:
    return {std::max(x.lo, 0.0), std::max(x.hi, 0.0)};
  case graph::UnaryKind::Exp:
    return {std::exp(x.lo), std::exp(x.hi)};
  case graph::UnaryKind::Sqrt:
    return x.lo >= 0 ? FloatInterval{std::sqrt(x.lo), std::sqrt(x.hi)} : FloatInterval{};
  case graph::UnaryKind::Floor:
  case graph::UnaryKind::Ceil:
  case graph::UnaryKind::Round:
    return {std::floor(x.lo), std::ceil(x.hi)};
  default:
    return {};
  }
}

FloatInterval FloatIntervals::compute(graph::BinaryOp op) const {
  const FloatInterval a = of(op.getLhs()), b = of(op.getRhs());
  if (graph::isComparison(op.getKind()))
    return {0, 1};
  if (!a.isKnown() || !b.isKnown())
    return {};
  switch (op.getKind()) {
  case graph::BinaryKind::Add:
    return {a.lo + b.lo, a.hi + b.hi};
  case graph::BinaryKind::Sub:
    return {a.lo - b.hi, a.hi - b.lo};
  case graph::BinaryKind::Mul:
    return hull({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
  case graph::BinaryKind::Div:
    if (b.lo <= 0 && b.hi >= 0)
      return {};
    return hull({a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi});
  case graph::BinaryKind::Max:
    return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
  case graph::BinaryKind::Min:
    return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
  default:
    return {};
  }
}

FloatInterval FloatIntervals::compute(graph::ReduceOp op) const {
  const FloatInterval x = of(op.getInput());
  if (!x.isKnown() || op.getKind() == graph::ReduceKind::Prod)
    return {};
  double count = 1;
  for (int64_t axis : op.getAxes()) {
    const std::optional<int64_t> extent = graph::extentOf(op.getInput(), axis).constant();
    if (!extent || *extent == 0) // of nothing: 0, an infinity or NaN
      return {};
    count *= static_cast<double>(*extent);
  }
  return op.getKind() == graph::ReduceKind::Sum ? scaled(x, count) : x;
}

} // namespace cupola
