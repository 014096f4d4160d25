//===- lib/Import/Onnx/Ops/Microsoft/Product.cpp - integer products that end as numbers ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/IntegerProduct.h"
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {

using namespace quantize;

Value scaledProduct(OpBinder &op, Value sums, Value scale, size_t rightScale, size_t bias) {
  op.requireFloat(rightScale, "b_scale");
  Value factor = op.b.binary(BinaryKind::Mul, scale, perLine(op, rightScale, "b_scale", op.shape(1, "B"), Side::Right));
  Value value = op.b.binary(BinaryKind::Mul, op.b.cast(sums, op.b.element(factor)), factor);
  return op.has(bias) ? lastBiased(op, value, bias, "bias") : value;
}

void importDynamicQuantizeMatMul(OpBinder &op) {
  op.requireInputs(3, 5);
  if (const Type type = op.element(0, "A"); !type.isF32())
    op.bad("input 0 (A) has elements of " + typeText(type) + ", expected float32");
  const Quantised left = dynamically(op, op.value(0, "A"));
  Value a = centred(op, left.integers, left.zero, factorType(op));
  op.result(scaledProduct(op, op.b.matmul(a, factorOf(op, 1, "B", 3, Side::Right)), left.scale, 2, 4));
}

void importMatMulIntegerToFloat(OpBinder &op) {
  op.requireInputs(4, 7);
  op.requireFloat(2, "a_scale");
  Value a = factorOf(op, 0, "A", 4, Side::Left), sums = op.b.matmul(a, factorOf(op, 1, "B", 5, Side::Right));
  op.result(scaledProduct(op, sums, perLine(op, 2, "a_scale", op.shape(0, "A"), Side::Left), 3, 6));
}

/// A matrix in int16 without its zero point, which may be one per line along the dimension that is not summed over.
static Value matrix(OpBinder &op, size_t index, const std::string &name, size_t zero, int64_t lines, bool transposed) {
  requireByte(op, index, name);
  requireByte(op, zero, "zero_point");
  const Exprs shape = op.shape(index, name);
  if (shape.size() != 2)
    op.bad("input " + std::to_string(index) + " (" + name + ") has the shape " + shapeText(shape) +
           ", expected rank 2");
  Value point =
      zeroPoint(op, zero, [&] { return alongAxis(op, zero, "zero_point", shape, transposed ? 1 - lines : lines); });
  Value value = centred(op, op.value(index, name), point, factorType(op));
  return transposed ? op.b.transpose(value, {1, 0}) : value;
}

/// (A B + C) * alpha * a_scale * b_scale, as numbers, or as integers where y_scale is there.
void importQGemm(OpBinder &op) {
  op.requireInputs(6, 9);
  for (size_t scale : {1, 4})
    op.requireFloat(scale, "scale");
  Value a = matrix(op, 0, "A", 2, 0, op.intAttribute("transA", 0) != 0);
  Value sums = op.b.matmul(a, matrix(op, 3, "B", 5, 1, op.intAttribute("transB", 0) != 0));
  const Exprs shape = op.b.shape(sums);
  if (op.has(6)) {
    if (!op.element(6, "C").isSignlessInteger(32))
      op.bad("input 6 (C) has elements of " + typeText(op.element(6, "C")) + ", expected int32");
    sums = op.b.binary(BinaryKind::Add, sums, op.value(6, "C"));
    op.b.sameShape(op.b.shape(sums), shape, "the shapes of the sum and of the product");
  }
  const Type f32 = Float32Type::get(op.b.context());
  Value left = op.b.cast(number(op, 1, "a_scale"), f32), right = op.b.cast(alongAxis(op, 4, "b_scale", shape, 1), f32);
  if (const double alpha = op.floatAttribute("alpha", 1); alpha != 1)
    left = op.b.binary(BinaryKind::Mul, op.b.scalar(alpha, f32), left);
  if (!op.has(7))
    return op.result(op.b.binary(BinaryKind::Mul, op.b.cast(sums, f32), op.b.binary(BinaryKind::Mul, left, right)));
  requireByte(op, 8, "y_zero_point");
  op.requireFloat(7, "y_scale");
  Value zero = zeroPoint(op, 8, [&] { return number(op, 8, "y_zero_point"); });
  op.result(requantized(op, sums, left, right, number(op, 7, "y_scale"), zero, op.element(8, "y_zero_point")));
}

} // namespace cupola::onnx_import::microsoft
