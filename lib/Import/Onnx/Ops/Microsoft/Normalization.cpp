//===- lib/Import/Onnx/Ops/Microsoft/Normalization.cpp - of sums, of embeddings ===//
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

/// Rows of a table, which has one for each position from 0 on.
static Value positions(OpBinder &op, const Expr &count) {
  Value table = op.value(3, "position_embedding");
  if (op.has(8))
    return op.b.gather(table, op.value(8, "position_ids"), 0);
  const Exprs shape = op.b.shape(table);
  op.b.atMost(count, shape[0], "the length of the sequence and the rows of input 3 (position_embedding)");
  return op.b.slice(table, {Expr(0), Expr(0)}, {1, 1}, {count, shape[1]});
}

/// How many of the tokens count: [batch].
static Value lengths(OpBinder &op, const Exprs &ids) {
  const Type i32 = IntegerType::get(op.b.context(), 32);
  if (!op.has(7))
    return op.b.broadcast(op.b.intScalar(0, i32), {ids[0]});
  op.requireIndex(7, "mask");
  op.b.sameShape(op.shape(7, "mask"), ids, "the shapes of inputs 7 (mask) and 0 (input_ids)");
  Value mask = op.value(7, "mask");
  Value counts = op.b.binary(BinaryKind::Equal, mask, op.b.intScalar(1, op.b.element(mask)));
  return op.b.squeeze(op.b.reduce(ReduceKind::Sum, op.b.cast(counts, i32), {1}), {1});
}

void importEmbedLayerNormalization(OpBinder &op) {
  op.requireInputs(7, 9);
  op.requireFloat(2, "word_embedding");
  for (size_t i : {0, 1, 8})
    if (op.has(i))
      op.requireIndex(i, "ids");
  for (const auto &[index, name] : {std::pair<size_t, StringRef>(0, "input_ids"),
                                    {2, "word_embedding"},
                                    {3, "position_embedding"},
                                    {4, "segment_embedding"}})
    if ((index != 4 || op.has(4)) && op.rank(index, name) != 2)
      op.bad("input " + std::to_string(index) + " (" + name.str() + ") has the shape " +
             shapeText(op.shape(index, name)) + ", expected rank 2");
  if (op.intAttribute("mask_index_type", 1) != 1 && op.wants(1))
    op.unsupported("attribute 'mask_index_type' is " + std::to_string(op.intAttribute("mask_index_type", 1)) +
                   ", supported is 1");
  const Exprs ids = op.shape(0, "input_ids");
  Value sum = op.b.gather(op.value(2, "word_embedding"), op.value(0, "input_ids"), 0);
  sum = op.b.binary(BinaryKind::Add, sum, positions(op, ids[1]));
  if (op.has(1))
    sum =
        op.b.binary(BinaryKind::Add, sum, op.b.gather(op.value(4, "segment_embedding"), op.value(1, "segment_ids"), 0));
  Value normal = op.b.layerNorm(sum, 2, op.floatAttribute("epsilon", 1e-12f), /*rms=*/false);
  op.result(scaleAndShift(op, normal, op.value(5, "gamma"), op.value(6, "beta")));
  if (op.wants(1))
    op.result(lengths(op, ids), 1);
  op.result(sum, 2);
}

} // namespace cupola::onnx_import::microsoft
