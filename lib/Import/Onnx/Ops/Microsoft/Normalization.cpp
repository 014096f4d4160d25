//===- lib/Import/Onnx/Ops/Microsoft/Normalization.cpp - of sums -----------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Normalization.h"
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {

void importLayerNormalization(OpBinder &op) {
  op.requireInputs(2, 3);
  onnx_import::importLayerNormalization(op);
}

void importSimplifiedLayerNormalization(OpBinder &op) {
  op.requireInputs(2, 2);
  onnx_import::importRMSNormalization(op);
}

/// The normalisation of the last dimension of input + skip + bias; the sum is result 3.
static void skipNormalization(OpBinder &op, bool rms, size_t bias) {
  op.requireFloat(0, "input");
  for (size_t i : {1, 2})
    if (op.wants(i))
      op.unsupported("output " + std::to_string(i) + " is used, supported are outputs 0 and 3");
  Value input = op.value(0, "input"), sum = op.b.binary(BinaryKind::Add, input, op.value(1, "skip"));
  if (op.has(bias))
    sum = op.b.binary(BinaryKind::Add, sum, op.value(bias, "bias"));
  op.b.sameShape(op.b.shape(sum), op.b.shape(input), "the shapes of the sum and of input 0 (input)");
  const int64_t last = op.rank(0, "input", 1) - 1;
  Value normal = op.b.layerNorm(sum, last, op.floatAttribute("epsilon", 1e-12f), rms);
  Value beta = !rms && op.has(3) ? op.value(3, "beta") : Value();
  op.result(scaleAndShift(op, normal, op.value(2, "gamma"), beta));
  op.result(sum, 3);
}

void importSkipLayerNormalization(OpBinder &op) {
  op.requireInputs(3, 5);
  skipNormalization(op, /*rms=*/false, 4);
}

void importSkipSimplifiedLayerNormalization(OpBinder &op) {
  op.requireInputs(3, 4);
  skipNormalization(op, /*rms=*/true, 3);
}

} // namespace cupola::onnx_import::microsoft
