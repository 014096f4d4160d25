//===- lib/Import/Onnx/Ops/MatMul.cpp - matrix products --------------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ops.h"

using namespace mlir;

namespace cupola::onnx_import {

void importMatMul(OpBinder &op) {
  op.requireInputs(2, 2);
  op.requireFloat(0, "A");
  op.requireFloat(1, "B");
  op.result(op.b.matmul(op.value(0, "A"), op.value(1, "B")));
}

static Value scaled(OpBinder &op, Value value, double factor) {
  if (factor == 1)
    return value;
  return op.b.binary(BinaryKind::Mul, value, op.b.scalar(factor, op.b.element(value)));
}

static Value matrix(OpBinder &op, size_t index, StringRef name, bool transposed) {
  op.requireFloat(index, name);
  Value value = op.value(index, name);
  if (op.b.shape(value).size() != 2)
    op.bad("input " + std::to_string(index) + " (" + name.str() + ") has the shape " + shapeText(op.b.shape(value)) +
           ", expected rank 2");
  return transposed ? op.b.transpose(value, {1, 0}) : value;
}

void importGemm(OpBinder &op) {
  op.requireInputs(2, 3);
  Value a = matrix(op, 0, "A", op.intAttribute("transA", 0) != 0);
  Value b = matrix(op, 1, "B", op.intAttribute("transB", 0) != 0);
  const double alpha = op.floatAttribute("alpha", 1), beta = op.floatAttribute("beta", 1);
  Value product = scaled(op, op.b.matmul(a, b), alpha);
  if (!op.has(2) || beta == 0)
    return op.result(product);
  Value c = scaled(op, op.value(2, "C"), beta);
  if (op.b.shape(c).size() > 2)
    op.bad("input 2 (C) has the shape " + shapeText(op.b.shape(c)) + ", expected one that broadcasts to " +
           shapeText(op.b.shape(product)));
  op.result(op.b.binary(BinaryKind::Add, product, c));
}

} // namespace cupola::onnx_import
