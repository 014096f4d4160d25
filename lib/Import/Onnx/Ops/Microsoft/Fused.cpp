//===- lib/Import/Onnx/Ops/Microsoft/Fused.cpp - products with what is around them ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Conv.h"
#include "lib/Import/Onnx/Ops/MatMul.h"
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {

/// A factor as MatMul has it. transBatch: its first dimension stands behind those of the batch.
static Value factor(OpBinder &op, size_t index, const std::string &name) {
  op.requireFloat(index, name);
  const int64_t rank = op.rank(index, name, 1);
  const bool batch = op.intAttribute("transBatch" + name, 0) != 0, matrix = op.intAttribute("trans" + name, 0) != 0;
  if (batch && rank < 3)
    op.bad("input " + std::to_string(index) + " (" + name + ") has rank " + std::to_string(rank) + " and transBatch" +
           name + " is 1, expected at least 3");
  Ints perm = sequence(0, rank);
  if (batch)
    std::rotate(perm.begin(), perm.begin() + 1, perm.end() - 1);
  if (matrix && rank > 1) // a vector stays one
    std::swap(perm[rank - 1], perm[rank - 2]);
  return op.b.transpose(op.value(index, name), perm);
}

void importFusedMatMul(OpBinder &op) {
  op.requireInputs(2, 2);
  Value a = factor(op, 0, "A"), product = op.b.matmul(a, factor(op, 1, "B"));
  const double alpha = op.floatAttribute("alpha", 1);
  op.result(alpha == 1 ? product : op.b.binary(BinaryKind::Mul, product, op.b.scalar(alpha, op.b.element(product))));
}

void importGemmFastGelu(OpBinder &op) {
  op.requireInputs(2, 3);
  for (size_t i : {0, 1})
    op.requireFloat(i, i == 0 ? "X" : "W");
  Value product = op.b.matmul(op.value(0, "X"), op.value(1, "W"));
  op.result(op.b.unary(UnaryKind::GeluTanh, op.has(2) ? lastBiased(op, product, 2, "bias") : product));
}

void importFusedGemm(OpBinder &op) {
  op.requireInputs(2, 3);
  op.requireFloat(0, "A");
  std::vector<double> parameters;
  for (StringRef name : {"activation_alpha", "activation_beta"})
    if (op.hasAttribute(name))
      parameters.push_back(op.floatAttribute(name, 0));
    else
      break; // those behind it have no meaning alone
  op.ignoreAttribute("activation_beta");
  op.ignoreAttribute("activation_gamma"); // of no activation that is known
  op.result(activated(op, gemm(op), parameters));
}

void importFusedConv(OpBinder &op) {
  op.requireInputs(2, 4);
  op.requireFloat(0, "X");
  op.requireFloat(1, "W");
  Value value = conv::convolve(op, conv::read(op, {0, 1, 2}, /*transposed=*/false));
  if (op.has(3)) {
    op.b.sameShape(op.shape(3, "Z"), op.b.shape(value), "the shapes of input 3 (Z) and of the convolution");
    value = op.b.binary(BinaryKind::Add, value, op.value(3, "Z"));
  }
  op.result(activated(op, value, op.floatsAttribute("activation_params").value_or(std::vector<double>{})));
}

} // namespace cupola::onnx_import::microsoft
