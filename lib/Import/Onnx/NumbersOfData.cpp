//===- lib/Import/Onnx/NumbersOfData.cpp - operands that data decides ------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/NumbersOfData.h"

#include "lib/Import/Onnx/Bodies.h"
#include "lib/Import/Onnx/ShapeInputs.h"
#include "lib/Import/Onnx/Signs.h"
#include "lib/Import/Onnx/Sized.h"
#include "lib/Import/Onnx/ValuePropagation.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

using graph::BinaryKind;

/// One element of a tensor of integers, as far as the ops that made it say what it is.
class Reader {
public:
  Reader(const OpBinder &op, std::string what, Sign sign) : op(op), what(std::move(what)), sign(sign) {}

  Expr read(Value value, ArrayRef<Expr> index) {
    if (const auto expr = follow(value, index, /*mayRead=*/true))
      return *expr;
    return leaf(value, index);
  }

private:
  const OpBinder &op;
  const std::string what;
  const Sign sign;
  int followed = 0; ///< ops

  std::optional<Expr> follow(Value value, ArrayRef<Expr> index, bool mayRead);
  std::optional<Expr> through(graph::IndexingInterface op, ArrayRef<Expr> index, bool mayRead);
  std::optional<Expr> ofSelect(graph::SelectOp select, ArrayRef<Expr> index, bool mayRead);
  std::optional<Expr> ofBinary(graph::BinaryOp binary, ArrayRef<Expr> index, bool mayRead);
  Expr leaf(Value value, ArrayRef<Expr> index);
};

std::optional<Expr> elementOf(graph::ConstantOp constant, ArrayRef<Expr> index) {
  const auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
  const auto at = graph::linearize(index, graph::shapeOf(constant.getResult())).constant();
  if (!elements || !at)
    return std::nullopt;
  return Expr(elements.getValues<APInt>()[static_cast<size_t>(*at)].getSExtValue());
}

/// Nothing: it is a leaf, or would have leaves where none `mayRead`.
std::optional<Expr> Reader::follow(Value value, ArrayRef<Expr> index, bool mayRead) {
  constexpr int most = 256; // far more than a number is computed by
  Operation *maker = value.getDefiningOp();
  if (!maker || ++followed > most || !isa<IntegerType>(graph::elementOf(value)))
    return std::nullopt;
  if (auto constant = dyn_cast<graph::ConstantOp>(maker))
    return elementOf(constant, index);
  if (auto dims = dyn_cast<graph::DimsOp>(maker))
    if (const auto at = graph::linearize(index, graph::shapeOf(value)).constant())
      return op.b.facts().current(graph::exprsOf(dims.getExprs())[static_cast<size_t>(*at)]);
  if (auto iota = dyn_cast<graph::IotaOp>(maker))
    return index[iota.getAxis()];
  if (auto binary = dyn_cast<graph::BinaryOp>(maker))
    return ofBinary(binary, index, mayRead);
  if (auto select = dyn_cast<graph::SelectOp>(maker))
    return ofSelect(select, index, mayRead);
  auto view = dyn_cast<graph::IndexingInterface>(maker);
  return view ? through(view, index, mayRead) : std::nullopt;
}

/// A view or a cast: the element of an operand.
std::optional<Expr> Reader::through(graph::IndexingInterface view, ArrayRef<Expr> index, bool mayRead) {
  Operation *maker = view.getOperation();
  if (!isa<graph::CastOp>(maker) && cast<graph::ClassInterface>(maker).getFusionClass() != graph::FusionClass::View)
    return std::nullopt;
  for (unsigned i = 0; i < maker->getNumOperands(); ++i) {
    const Value source = maker->getOperand(i);
    const graph::OperandIndex from = view.mapIndex(i, index, op.b.ranges());
    const auto isInside = [&](const Expr &e) { return e.constant() && *e.constant() >= 0; };
    if (!llvm::all_of(from.mask, isInside) || !isa<IntegerType>(graph::elementOf(source)))
      continue;
    if (const auto followed = follow(source, from.index, mayRead))
      return followed;
    return mayRead && constantDims(from.index) ? std::optional(leaf(source, from.index)) : std::nullopt;
  }
  return std::nullopt;
}

/// "Where it is -1, 1": as Expand's shapes are written. The condition has to follow from what numbers of data are.
std::optional<Expr> Reader::ofSelect(graph::SelectOp select, ArrayRef<Expr> index, bool mayRead) {
  const auto operand = [&](unsigned i) { return select.mapIndex(i, index, op.b.ranges()).index; };
  const auto condition = follow(select.getCondition(), operand(0), mayRead);
  if (!condition || !condition->constant())
    return std::nullopt;
  const unsigned chosen = condition->isConstant(0) ? 2 : 1;
  const Value value = select.getOperand(chosen);
  return mayRead ? std::optional(read(value, operand(chosen))) : follow(value, operand(chosen), false);
}

/// Sums, products and what is cut off above, whose numbers are lengths themselves. A difference of two numbers of data
/// is read as one, because either may be negative; and so is what is cut off below.
std::optional<Expr> Reader::ofBinary(graph::BinaryOp binary, ArrayRef<Expr> index, bool mayRead) {
  static constexpr BinaryKind kinds[] = {BinaryKind::Add, BinaryKind::Sub, BinaryKind::Mul, BinaryKind::Min,
                                         BinaryKind::Equal};
  const BinaryKind kind = binary.getKind();
  const auto operand = [&](unsigned i) { return binary.mapIndex(i, index, op.b.ranges()).index; };
  auto lhs = follow(binary.getLhs(), operand(0), false), rhs = follow(binary.getRhs(), operand(1), false);
  const bool isKnown = lhs && rhs;
  if (!isKnown && (!mayRead || !llvm::is_contained(kinds, kind) || (kind == BinaryKind::Sub && !lhs && !rhs)))
    return std::nullopt;
  if (!lhs)
    lhs = read(binary.getLhs(), operand(0));
  if (!rhs)
    rhs = read(binary.getRhs(), operand(1));
  const auto result = computeBinary(kind, Scalar::integer(*lhs), Scalar::integer(*rhs),
                                    graph::elementOf(binary.getLhs()), op.b.ranges());
  return result && result->kind == Scalar::Kind::Int ? std::optional(result->num) : std::nullopt;
}

/// The number is read back here, once.
Expr Reader::leaf(Value value, ArrayRef<Expr> index) {
  const int64_t at = *graph::linearize(index, graph::shapeOf(value)).constant();
  Symbols &facts = op.b.facts();
  if (const auto known = facts.numberOf(value, at)) {
    if (sign == Sign::Length)
      facts.useAsLength(*known);
    return facts.current(*known);
  }
  Value number = op.b.reshape(value, {graph::product(op.b.shape(value))});
  number = op.b.reshape(op.b.slice(number, {Expr(at)}, {1}, {Expr(1)}), {});
  const bool isLength = sign == Sign::Length || isNeverNegative(value, op.b.ranges());
  const Expr symbol =
      readCount(op, op.b.cast(number, op.b.int64()), what, /*most=*/std::nullopt, isLength ? 0 : graph::anyNumber);
  facts.setNumber(value, at, symbol);
  return symbol;
}

} // namespace

bool canBeRead(const TensorRecord &tensor) {
  return !tensor.known && !tensor.composite && !tensor.constant && isIndexType(tensor.element) &&
         hasFewElements(tensor);
}

Known readNumbers(const OpBinder &op, Tensor tensor, const std::string &what, Sign sign) {
  const Value value = op.materialize(tensor);
  const Exprs shape = op.b.shape(value);
  Known known{*constantDims(shape), {}};
  for (int64_t i = 0, count = *knownCount(known.dims); i < count; ++i) {
    const std::string element = count == 1 ? what : "element " + std::to_string(i) + " of " + what;
    const Exprs index = graph::delinearize(Expr(i), shape, op.b.ranges());
    known.elements.push_back(Scalar::integer(Reader(op, element, sign).read(value, index)));
  }
  return known;
}

} // namespace cupola::onnx_import
