//===- lib/Import/Onnx/Ops/MatMul.cpp - matrix products --------------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/MatMul.h"

#include <cmath>

using namespace mlir;

namespace cupola::onnx_import {

void importMatMul(OpBinder &op) {
  op.requireNumber(0, "A");
  op.requireNumber(1, "B");
  op.result(op.b.matmul(op.value(0, "A"), op.value(1, "B")));
}

/// value * (attribute `name`)
static Value scaled(OpBinder &op, Value value, StringRef name) {
  const double factor = op.floatAttribute(name, 1);
  if (factor == 1)
    return value;
  if (!isa<FloatType>(op.b.element(value)) && factor != std::trunc(factor))
    op.unsupported("attribute '" + name.str() + "' is " + std::to_string(factor) + " for elements of " +
                   typeText(op.b.element(value)) + ", supported are whole numbers for integers");
  return op.b.binary(BinaryKind::Mul, value, op.b.scalar(factor, op.b.element(value)));
}

static Value matrix(OpBinder &op, size_t index, StringRef name, bool transposed) {
  op.requireNumber(index, name);
  Value value = op.value(index, name);
  if (op.b.shape(value).size() != 2)
    op.bad("input " + std::to_string(index) + " (" + name.str() + ") has the shape " + shapeText(op.b.shape(value)) +
           ", expected rank 2");
  return transposed ? op.b.transpose(value, {1, 0}) : value;
}

Value gemm(OpBinder &op) {
  Value a = matrix(op, 0, "A", op.intAttribute("transA", 0) != 0);
  Value b = matrix(op, 1, "B", op.intAttribute("transB", 0) != 0);
  Value product = scaled(op, op.b.matmul(a, b), "alpha");
  if (!op.has(2) || op.floatAttribute("beta", 1) == 0) {
    op.ignoreAttribute("beta"); // of C, which is not there
    return product;
  }
  Value c = scaled(op, op.value(2, "C"), "beta");
  if (op.b.shape(c).size() > 2)
    op.bad("input 2 (C) has the shape " + shapeText(op.b.shape(c)) + ", expected one that broadcasts to " +
           shapeText(op.b.shape(product)));
  return op.b.binary(BinaryKind::Add, product, c);
}

void importGemm(OpBinder &op) { op.result(gemm(op)); }

} // namespace cupola::onnx_import
