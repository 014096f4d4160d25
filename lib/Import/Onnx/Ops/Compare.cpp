//===- lib/Import/Onnx/Ops/Compare.cpp - comparisons, logic, selection -----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/ValuePropagation.h"

using namespace mlir;

namespace cupola::onnx_import {

void importCompare(OpBinder &op, BinaryKind kind) {
  if (kind != BinaryKind::Equal) {
    op.requireNumber(0, "A");
    op.requireNumber(1, "B");
  }
  importBinary(op, kind);
}

void importLogical(OpBinder &op, BinaryKind kind) {
  op.requireBool(0, "A");
  op.requireBool(1, "B");
  importBinary(op, kind);
}

void importNot(OpBinder &op) {
  op.requireBool(0, "X");
  if (auto known = foldUnary(op, UnaryKind::Not))
    return op.result(std::move(*known), op.element(0, "X"));
  op.result(op.b.unary(UnaryKind::Not, op.value(0, "X")));
}

void importIsNaN(OpBinder &op) {
  op.requireFloat(0, "X");
  op.result(op.b.unary(UnaryKind::IsNaN, op.value(0, "X")));
}

void importIsInf(OpBinder &op) {
  op.requireFloat(0, "X");
  const double negative = op.intAttribute("detect_negative", 1) != 0;
  const double positive = op.intAttribute("detect_positive", 1) != 0;
  op.result(op.b.unary(UnaryKind::IsInf, op.value(0, "X"), negative, positive));
}

void importWhere(OpBinder &op) {
  op.requireBool(0, "condition");
  if (auto known = foldSelect(op))
    return op.result(std::move(*known), op.element(1, "X"));
  op.result(op.b.select(op.value(0, "condition"), op.value(1, "X"), op.value(2, "Y")));
}

} // namespace cupola::onnx_import
