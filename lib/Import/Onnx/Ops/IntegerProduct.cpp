//===- lib/Import/Onnx/Ops/IntegerProduct.cpp - products of integers -------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/IntegerProduct.h"

#include "lib/Import/Onnx/Ops/Conv.h"

using namespace mlir;

namespace cupola::onnx_import {

using namespace quantize;

Value quantize::perLine(OpBinder &op, size_t index, StringRef name, ArrayRef<Expr> factor, Side side) {
  const Exprs own = op.shape(index, name);
  const size_t rank = factor.size(), line = side == Side::Left ? rank - 2 : rank - 1;
  if (rank < 2)
    return number(op, index, name);
  if (own.size() < 2) {
    Value value = alongAxis(op, index, name, factor, static_cast<int64_t>(line));
    const bool isRow = side == Side::Right && !op.b.shape(value).empty(); // beside a vector there is no other dimension
    return isRow ? op.b.reshape(value, {factor[line]}) : value;
  }
  Exprs expected(factor);
  expected[side == Side::Left ? rank - 1 : rank - 2] = Expr(1);
  op.b.sameShape(own, expected,
                 "the shapes of input " + std::to_string(index) + " (" + name.str() + ") and of what it belongs to");
  return op.value(index, name);
}

static Type int32(OpBinder &op) { return IntegerType::get(op.b.context(), 32); }

Value quantize::factorOf(OpBinder &op, size_t index, StringRef name, size_t zero, Side side) {
  requireByte(op, index, name);
  const Exprs shape = op.shape(index, name);
  const std::string zeroName = name.str() + "_zero_point";
  if (op.has(zero))
    requireByte(op, zero, zeroName);
  Value point = zeroPoint(op, zero, [&] { return perLine(op, zero, zeroName, shape, side); });
  return centred(op, op.value(index, name), point, factorType(op));
}

Value quantize::requantized(OpBinder &op, Value sums, Value left, Value right, Value result, Value zero, Type integer) {
  const Type f32 = Float32Type::get(op.b.context());
  const auto single = [&](Value scale) { return op.b.cast(scale, f32); };
  Value product = op.b.binary(BinaryKind::Mul, single(left), single(right));
  Value factor = op.b.binary(BinaryKind::Div, product, single(result));
  return rounded(op, op.b.binary(BinaryKind::Mul, single(sums), factor), zero, integer);
}

namespace {

/// What belongs to the lines of one factor, where the other one is a vector: without the dimension that the product
/// does not have.
Value besideVector(OpBinder &op, Value scale, size_t otherRank, int64_t fromEnd) {
  const auto rank = static_cast<int64_t>(op.b.shape(scale).size());
  return otherRank == 1 && rank >= fromEnd ? op.b.squeeze(scale, {rank - fromEnd}) : scale;
}

/// Where a convolution has its zero points.
struct ConvZeros {
  size_t input, weights;
};

/// In int32, with [O, 1..] the zero points of filters.
Value integerConv(OpBinder &op, const conv::Places &places, const ConvZeros &zeros) {
  requireByte(op, places.input, "x");
  requireByte(op, places.weights, "w");
  conv::Operands c = conv::read(op, places, /*transposed=*/false);
  for (const auto &[index, name] : {std::pair(zeros.input, "x_zero_point"), std::pair(zeros.weights, "w_zero_point")})
    if (op.has(index))
      requireByte(op, index, name);
  Value input = zeroPoint(op, zeros.input, [&] { return number(op, zeros.input, "x_zero_point"); });
  Value weights = zeroPoint(op, zeros.weights,
                            [&] { return alongAxis(op, zeros.weights, "w_zero_point", op.b.shape(c.weights), 0); });
  c.input = centred(op, c.input, input, factorType(op)); // before the border of zeros is made
  c.weights = centred(op, c.weights, weights, factorType(op));
  return conv::convolve(op, c);
}

} // namespace

void importMatMulInteger(OpBinder &op) {
  Value a = factorOf(op, 0, "A", 2, Side::Left);
  op.result(op.b.matmul(a, factorOf(op, 1, "B", 3, Side::Right)));
}

void importQLinearMatMul(OpBinder &op) {
  requireByte(op, 7, "y_zero_point");
  for (size_t scale : {1, 4, 6})
    op.requireFloat(scale, "scale");
  const Exprs left = op.shape(0, "a"), right = op.shape(3, "b");
  Value a = factorOf(op, 0, "a", 2, Side::Left);
  Value sums = op.b.matmul(a, factorOf(op, 3, "b", 5, Side::Right));
  const Exprs shape = op.b.shape(sums);
  Value leftScale = besideVector(op, perLine(op, 1, "a_scale", left, Side::Left), right.size(), 1);
  Value rightScale = besideVector(op, perLine(op, 4, "b_scale", right, Side::Right), left.size(), 2);
  Value scale = perLine(op, 6, "y_scale", shape, Side::Left);
  Value zero = zeroPoint(op, 7, [&] { return perLine(op, 7, "y_zero_point", shape, Side::Left); });
  op.result(requantized(op, sums, leftScale, rightScale, scale, zero, op.element(7, "y_zero_point")));
}

void importConvInteger(OpBinder &op) { op.result(integerConv(op, {0, 1, /*bias=*/4}, {2, 3})); }

void importQLinearConv(OpBinder &op) {
  requireByte(op, 7, "y_zero_point");
  for (size_t scale : {1, 4, 6})
    op.requireFloat(scale, "scale");
  if (op.has(8) && op.element(8, "B") != int32(op))
    op.bad("input 8 (B) has elements of " + typeText(op.element(8, "B")) + ", expected int32");
  Value sums = integerConv(op, {0, 3, 8}, {2, 5});
  Value weights = alongAxis(op, 4, "w_scale", op.b.shape(sums), 1);
  Value zero = zeroPoint(op, 7, [&] { return number(op, 7, "y_zero_point"); });
  op.result(requantized(op, sums, number(op, 1, "x_scale"), weights, number(op, 6, "y_scale"), zero,
                        op.element(7, "y_zero_point")));
}

} // namespace cupola::onnx_import
