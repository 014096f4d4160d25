//===- lib/Import/Onnx/Ops/Microsoft/Matrix.cpp - other functions of matrices ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"

#include "lib/Import/Onnx/Text.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {

void importTrilu(OpBinder &op) {
  op.requireInputs(1, 2);
  onnx_import::importTrilu(op);
}

/// The distances of the rows of A from those of B. From differences: |a|^2 - 2ab + |b|^2 would lose digits.
void importCDist(OpBinder &op) {
  op.requireInputs(2, 2);
  op.requireFloat(0, "A");
  op.requireFloat(1, "B");
  const std::string metric = op.stringAttribute("metric", "sqeuclidean");
  if (metric != "sqeuclidean" && metric != "euclidean")
    op.unsupported("attribute 'metric' is '" + printable(metric) + "', supported are sqeuclidean and euclidean");
  const Exprs a = op.shape(0, "A"), b = op.shape(1, "B");
  if (a.size() != 2 || b.size() != 2)
    op.bad("inputs 0 (A) and 1 (B) have the shapes " + shapeText(a) + " and " + shapeText(b) + ", expected rank 2");
  op.b.sameExtent(a[1], b[1], "the columns of inputs 0 (A) and 1 (B)");
  Value left = op.b.unsqueeze(op.value(0, "A"), {1});
  Value difference = op.b.binary(BinaryKind::Sub, left, op.b.unsqueeze(op.value(1, "B"), {0}));
  Value squares = op.b.binary(BinaryKind::Mul, difference, difference);
  Value distance = op.b.squeeze(op.b.reduce(ReduceKind::Sum, squares, {2}), {2});
  op.result(metric == "euclidean" ? op.b.unary(UnaryKind::Sqrt, distance) : distance);
}

} // namespace cupola::onnx_import::microsoft
