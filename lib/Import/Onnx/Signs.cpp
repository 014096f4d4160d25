//===- lib/Import/Onnx/Signs.cpp - numbers that are not negative -----------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Signs.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

using graph::BinaryKind;
using graph::UnaryKind;

/// Whose operands are asked: none, as the result is never negative; one, either or all of them; or whatever they are,
/// it may be negative.
enum class Asks { None, First, Either, All, Refuses };

template <typename Kind> struct Row {
  Kind kind;
  Asks asks;
};

constexpr Row<UnaryKind> unaryRows[] = {
    {UnaryKind::Abs, Asks::None},     {UnaryKind::Exp, Asks::None},   {UnaryKind::Sqrt, Asks::None},
    {UnaryKind::Sigmoid, Asks::None}, {UnaryKind::Relu, Asks::None},  {UnaryKind::Softplus, Asks::None},
    {UnaryKind::Floor, Asks::First},  {UnaryKind::Ceil, Asks::First}, {UnaryKind::Round, Asks::First},
    {UnaryKind::Sign, Asks::First},
};

constexpr Row<BinaryKind> binaryRows[] = {
    {BinaryKind::Add, Asks::All},   {BinaryKind::Mul, Asks::All}, {BinaryKind::Div, Asks::All},
    {BinaryKind::Mod, Asks::All},   {BinaryKind::Min, Asks::All}, {BinaryKind::Max, Asks::Either},
    {BinaryKind::Pow, Asks::First},
};

template <typename Kind, size_t N> Asks find(const Row<Kind> (&rows)[N], Kind kind) {
  const auto *row = llvm::find_if(rows, [&](const Row<Kind> &each) { return each.kind == kind; });
  return row == std::end(rows) ? Asks::Refuses : row->asks;
}

Asks asksOf(Operation *maker) {
  if (auto unary = dyn_cast<graph::UnaryOp>(maker))
    return find(unaryRows, unary.getKind());
  if (auto binary = dyn_cast<graph::BinaryOp>(maker))
    return find(binaryRows, binary.getKind());
  if (isa<graph::IotaOp, graph::ArgReduceOp>(maker))
    return Asks::None;
  if (isa<graph::CastOp, graph::ReduceOp, graph::ReshapeOp, graph::TransposeOp, graph::BroadcastOp, graph::SliceOp,
          graph::GatherOp, graph::GatherElementsOp>(maker))
    return Asks::First;
  return isa<graph::ConcatOp>(maker) ? Asks::All : Asks::Refuses;
}

bool hasNoNegative(graph::ConstantOp constant) {
  constexpr int64_t most = 64; // elements
  const auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements || (!elements.isSplat() && elements.getNumElements() > most))
    return false;
  if (isa<IntegerType>(elements.getElementType()))
    return llvm::none_of(elements.getValues<APInt>(), [](const APInt &number) { return number.isNegative(); });
  return isa<FloatType>(elements.getElementType()) &&
         llvm::none_of(elements.getValues<APFloat>(), [](const APFloat &number) { return number.isNegative(); });
}

bool walk(Value value, const Ranges &ranges, int &steps) {
  const Type element = graph::elementOf(value);
  if (element.isInteger(1) || element.isUnsignedInteger())
    return true;
  Operation *maker = value.getDefiningOp();
  if (!maker || --steps < 0)
    return false;
  if (auto constant = dyn_cast<graph::ConstantOp>(maker))
    return hasNoNegative(constant);
  if (auto dims = dyn_cast<graph::DimsOp>(maker))
    return llvm::all_of(graph::exprsOf(dims.getExprs()),
                        [&](const Expr &e) { return proveLessEqual(Expr(0), e, ranges) == true; });
  const auto isFine = [&](Value operand) { return walk(operand, ranges, steps); };
  if (auto select = dyn_cast<graph::SelectOp>(maker))
    return isFine(select.getOperand(1)) && isFine(select.getOperand(2));
  switch (asksOf(maker)) {
  case Asks::None:
    return true;
  case Asks::First:
    return isFine(maker->getOperand(0));
  case Asks::Either:
    return llvm::any_of(maker->getOperands(), isFine);
  case Asks::All:
    return llvm::all_of(maker->getOperands(), isFine);
  case Asks::Refuses:
    return false;
  }
  return false;
}

} // namespace

bool isNeverNegative(Value value, const Ranges &ranges) {
  int steps = 64; // far more than a count is made by
  return walk(value, ranges, steps);
}

} // namespace cupola::onnx_import
