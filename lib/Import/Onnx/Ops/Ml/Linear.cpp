//===- lib/Import/Onnx/Ops/Ml/Linear.cpp - linear models -------------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ml/NodeAttributes.h"
#include "lib/Import/Onnx/Ops/Ml/Ops.h"

using namespace mlir;

namespace cupola::onnx_import::ml {
namespace {

/// x coefficients^T + intercepts: [rows, results] in float32, as onnxruntime has it.
Value linear(OpBinder &op, ArrayRef<double> coefficients, ArrayRef<double> intercepts, int64_t results) {
  const Type type = Float32Type::get(op.b.context());
  Value x = op.b.cast(rowsOf(op), type);
  const int64_t count = static_cast<int64_t>(coefficients.size());
  if (count == 0 || count % results != 0)
    op.bad("attribute 'coefficients' has " + std::to_string(count) + " elements, expected a multiple of " +
           std::to_string(results));
  op.b.sameExtent(op.b.shape(x)[1], Expr(count / results), "the features of input 0 (X) and those of 'coefficients'");
  Value scores = op.b.matmul(x, op.b.transpose(table(op, coefficients, {results, count / results}, type), {1, 0}));
  if (intercepts.empty())
    return scores;
  if (static_cast<int64_t>(intercepts.size()) != results)
    op.bad("attribute 'intercepts' has " + std::to_string(intercepts.size()) + " elements, expected " +
           std::to_string(results));
  return op.b.binary(BinaryKind::Add, scores, table(op, intercepts, {1, results}, type));
}

} // namespace

void importLinearRegressor(OpBinder &op) {
  const int64_t targets = op.intAttribute("targets", 1);
  if (targets < 1)
    op.bad("attribute 'targets' is " + std::to_string(targets) + ", expected 1 or more");
  const PostTransform transform = namedTransform(op);
  op.result(transformed(op, transform, linear(op, floatsOf(op, "coefficients"), floatsOf(op, "intercepts"), targets)));
}

void importLinearClassifier(OpBinder &op) {
  op.ignoreAttribute("multi_class"); // said to be of no effect
  const ClassLabels labels = classLabels(op, "classlabels_ints", "classlabels_strings");
  if (labels.size() < 2)
    op.unsupported("there is one label of a class, supported are two and more");
  const Reals intercepts = floatsOf(op, "intercepts");
  // There are as many scores as intercepts.
  const int64_t results =
      intercepts.empty() ? static_cast<int64_t>(labels.size()) : static_cast<int64_t>(intercepts.size());
  const bool isOne = labels.size() == 2 && results == 1;
  if (!isOne && results != static_cast<int64_t>(labels.size()))
    op.bad("attribute 'intercepts' has " + std::to_string(results) + " elements, expected " +
           std::to_string(labels.size()) + ", one per label");
  Value scores = linear(op, floatsOf(op, "coefficients"), intercepts, results);
  Value place;
  if (isOne) {
    place = op.b.cast(op.b.binary(BinaryKind::Greater, scores, op.b.scalar(0, op.b.element(scores))), op.b.int64());
    scores = bothOf(op, scores, true);
  } else {
    place = op.b.argReduce(ReduceKind::Max, scores, 1, false);
    scores = transformed(op, namedTransform(op), scores);
  }
  if (op.wants(0))
    op.result(labelsAt(op, labels, op.b.squeeze(place, {1})), 0);
  if (op.wants(1))
    op.result(scores, 1);
}

} // namespace cupola::onnx_import::ml
