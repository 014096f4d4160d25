//===- lib/Transforms/Norm.cpp - the parts of a written-out norm ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Norm.h"

using namespace mlir;

namespace cupola::norm {

using namespace cupola::match;
using graph::BinaryKind;
using graph::Exprs;
using graph::UnaryKind;

namespace {

/// A number per row on its way from the reduction that made it. Reshapes keep the order
/// of the rows; where they end, the shape is that of the reduction again.
Value throughReshapes(Value value) {
  for (;;) {
    value = withoutCasts(value);
    auto reshape = value.getDefiningOp<graph::ReshapeOp>();
    if (!reshape)
      return value;
    value = reshape.getInput();
  }
}

/// The mean whose values, in the shape `rows`, `value` has.
std::optional<Mean> meanOfRows(Value value, ArrayRef<Expr> rows) {
  double factor = 1;
  value = throughReshapes(value);
  if (auto scaled = scaledBy(value)) {
    factor = scaled->number;
    value = throughReshapes(scaled->x);
  }
  auto reduce = value.getDefiningOp<graph::ReduceOp>();
  if (!reduce || reduce.getAxes().empty() || ArrayRef<Expr>(graph::shapeOf(value)) != rows)
    return std::nullopt;
  if (reduce.getKind() == graph::ReduceKind::Sum) {
    Expr count = 1;
    for (int64_t axis : reduce.getAxes())
      count *= graph::extentOf(reduce.getInput(), axis);
    factor *= count.constant().value_or(0);
  } else if (reduce.getKind() != graph::ReduceKind::Mean) {
    return std::nullopt;
  }
  if (!isNear(factor, 1, toleranceOf(value)))
    return std::nullopt;
  return Mean{reduce.getInput(), SmallVector<int64_t>(reduce.getAxes())};
}

/// x where value = x^2.
Value squareRootOfSquare(Value value) {
  value = withoutCasts(value);
  for (Pair pair : operandsOf(value, BinaryKind::Mul))
    if (isSameButForCasts(pair.first, pair.second))
      return pair.first;
  for (Pair pair : operandsOf(value, BinaryKind::Pow))
    if (isSplat(pair.second, 2))
      return pair.first;
  return {};
}

/// v where value = sqrt(v).
Value radicandOf(Value value) {
  value = throughReshapes(value);
  for (Pair pair : operandsOf(value, BinaryKind::Pow))
    if (isSplat(pair.second, 0.5))
      return pair.first;
  return inputOf(value, UnaryKind::Sqrt);
}

/// v where value = 1 / sqrt(v).
Value inverseRadicandOf(Value value) {
  value = throughReshapes(value);
  if (Value v = inputOf(value, UnaryKind::Rsqrt))
    return v;
  if (Value root = inputOf(value, UnaryKind::Reciprocal))
    return radicandOf(root);
  for (Pair pair : operandsOf(value, BinaryKind::Div))
    if (isSplat(pair.first, 1))
      return radicandOf(pair.second);
  for (Pair pair : operandsOf(value, BinaryKind::Pow))
    if (isSplat(pair.second, -0.5))
      return pair.first;
  return {};
}

/// mean(x^2) - mean(x)^2, maybe kept from falling below 0.
std::optional<InverseRoot> differenceOfSquares(Value variance, ArrayRef<Expr> rows, double epsilon) {
  for (Pair pair : operandsOf(variance, BinaryKind::Max))
    if (isSplat(pair.second, 0)) {
      variance = throughReshapes(pair.first);
      break;
    }
  for (Pair pair : operandsOf(variance, BinaryKind::Sub)) {
    auto square = meanOfRows(pair.first, rows);
    Value root = squareRootOfSquare(throughReshapes(pair.second));
    auto mean = root ? meanOfRows(root, rows) : std::nullopt;
    Value x = square ? squareRootOfSquare(square->input) : Value();
    if (x && mean && isSameButForCasts(mean->input, x) && mean->axes == square->axes)
      return InverseRoot{Value(), x, square->axes, epsilon};
  }
  return std::nullopt;
}

/// v is the radicand of numbers in the shape `rows`.
std::optional<InverseRoot> inverseRoot(Value v, ArrayRef<Expr> rows) {
  v = throughReshapes(v);
  auto shifted = shiftedBy(v);
  double epsilon = shifted ? shifted->number : 0;
  if (epsilon < 0)
    return std::nullopt;
  if (shifted)
    v = throughReshapes(shifted->x);
  auto square = meanOfRows(v, rows);
  Value y = square ? squareRootOfSquare(square->input) : Value();
  if (!y)
    return differenceOfSquares(v, rows, epsilon);
  auto centred = centredOf(y, square->axes);
  return InverseRoot{y, centred ? centred->x : Value(), square->axes, epsilon};
}

/// A scale may have been multiplied with one of the norm's parts before, and that again.
constexpr unsigned maxDepth = 3;

void collect(Value value, unsigned depth, Parts &product) {
  Value rows = rowsOf(value);
  auto takeRoot = [&](Value v, Value of) {
    auto root = v ? inverseRoot(v, graph::shapeOf(of)) : std::nullopt;
    if (root)
      product.roots.push_back(*root);
    return root.has_value();
  };
  if (takeRoot(inverseRadicandOf(rows), rows))
    return;
  if (Value positive = inputOf(rows, UnaryKind::Neg); positive && depth < maxDepth) {
    product.isNegative = !product.isNegative;
    return collect(positive, depth + 1, product);
  }
  auto op = rows.getDefiningOp<graph::BinaryOp>();
  if (op && op.getKind() == BinaryKind::Mul && depth < maxDepth) {
    collect(op.getLhs(), depth + 1, product);
    return collect(op.getRhs(), depth + 1, product);
  }
  if (op && op.getKind() == BinaryKind::Div && depth < maxDepth)
    if (Value divisor = rowsOf(op.getRhs()); takeRoot(radicandOf(divisor), divisor))
      return collect(op.getLhs(), depth + 1, product);
  product.factors.push_back(value);
}

} // namespace

Value rowsOf(Value value) {
  for (;;) {
    value = withoutCasts(value);
    auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
    if (!broadcast)
      return value;
    value = broadcast.getInput();
  }
}

std::optional<Mean> meanOf(Value value) {
  Value rows = rowsOf(value);
  return meanOfRows(rows, graph::shapeOf(rows));
}

std::optional<Centred> centredOf(Value value, ArrayRef<int64_t> axes) {
  for (Pair pair : operandsOf(withoutCasts(value), BinaryKind::Sub))
    for (bool isNegative : {false, true}) {
      Value x = isNegative ? pair.second : pair.first;
      std::optional<Mean> mean = meanOf(isNegative ? pair.first : pair.second);
      if (mean && isSameButForCasts(mean->input, x) && ArrayRef(mean->axes) == axes)
        return Centred{x, isNegative};
    }
  return std::nullopt;
}

Parts partsOf(Value value) {
  Parts product;
  collect(value, 0, product);
  return product;
}

} // namespace cupola::norm
