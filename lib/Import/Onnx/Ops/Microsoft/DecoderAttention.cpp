//===- lib/Import/Onnx/Ops/Microsoft/DecoderAttention.cpp - of one new token ===//
// SPDX-License-Identifier: Apache-2.0
//
// The keys are those of an encoder, or a cache and the new one behind it. A cache that is shared with the result has
// rows for tokens to come: how many of them count is data.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Heads.h"
#include "lib/Import/Onnx/Ops/Microsoft/Attend.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {
namespace {

enum Place : size_t { Query, Key, Values, Mask, ScoreBias, PastKey, PastValue, PastLength, BeamWidth, Beams, Bias };

Projections project(OpBinder &op) {
  op.rank(Query, "query", 3);
  op.b.sameExtent(op.shape(Query, "query")[1], Expr(1), "the length of the sequence and that of one token");
  if (op.has(Key)) {
    const Expr width = op.shape(Query, "query").back();
    return {headsOf(op, Query, "query", Bias, Expr(0)), headsOf(op, Key, "key", Bias, width),
            headsOf(op, Values, "value", Bias, width * Expr(2))};
  }
  requireRank(op, Query, "query", 3);
  Value all = op.value(Query, "query");
  all = op.has(Bias) ? lastBiased(op, all, Bias, "bias") : all;
  const auto width = op.b.shape(all).back().constant();
  if (!width || *width % 3 != 0)
    op.unsupported("input 0 (query) holds keys and values, too, and has " + op.b.shape(all).back().text() +
                   " columns, supported are constant multiples of 3");
  const auto third = [&](int64_t i) {
    return splitHeads(op, columns(op, all, Expr(i * (*width / 3)), Expr(*width / 3)), op.requiredInt("num_heads"),
                      "num_heads");
  };
  return {third(0), third(1), third(2)};
}

/// The cache with the new row at `past`, which is null where the cache ends with the last token.
Value appended(OpBinder &op, size_t index, StringRef name, Value fresh, Value past) {
  requireRank(op, index, name, 4);
  Value cache = op.value(index, name);
  if (!past)
    return op.b.concat({cache, fresh}, 2);
  Exprs shape = op.b.shape(fresh);
  const Expr rows = op.b.shape(cache)[2];
  op.b.sameShape(op.b.shape(cache), {shape[0], shape[1], rows, shape[3]}, "the shapes of the cache and of new rows");
  Value isNew = op.b.binary(BinaryKind::Equal, op.b.iota({rows, Expr(1)}, 0), past);
  return op.b.select(isNew, fresh, cache);
}

/// As long as all rows of a cache: what is missing belongs to tokens to come.
void lengthen(OpBinder &op, size_t index, StringRef name, const Expr &rows) {
  if (!op.has(index))
    return;
  Value value = op.value(index, name);
  const Exprs shape = op.b.shape(value);
  op.setOperand(index, op.ofValue(lengthened(op, value, shape.size() - 1, rows - shape.back())));
}

} // namespace

void importDecoderMaskedMultiHeadAttention(OpBinder &op) {
  op.requireInputs(1, 11);
  refuseInputs(op, {{BeamWidth, "beam_width"}, {Beams, "cache_indirection"}});
  if (op.wants(3))
    op.unsupported("output 3 (qk) is used, supported are outputs 0 to 2");
  for (StringRef name : {"output_qk", "mask_filter_value"})
    op.ignoreAttribute(name); // of output 3, of a mask
  const bool ofEncoder = op.has(Key) && op.rank(Key, "key") == 4;
  const bool isShared = op.intAttribute("past_present_share_buffer", 0) != 0 && !ofEncoder;
  Projections p = project(op);
  Value past;
  if (isShared) {
    op.requireIndex(PastLength, "past_sequence_length");
    past = op.b.cast(op.b.reshape(op.value(PastLength, "past_sequence_length"), {}), op.b.int64());
  }
  if (op.has(PastKey) && !ofEncoder) {
    p.k = appended(op, PastKey, "past_key", p.k, past);
    p.v = appended(op, PastValue, "past_value", p.v, past);
  }
  const Exprs q = op.b.shape(p.q), k = op.b.shape(p.k), shape = {q[0], q[1], q[2], k[2]};
  Scores scores;
  if (isShared) {
    lengthen(op, Mask, "mask_index", k[2]);
    lengthen(op, ScoreBias, "attention_bias", k[2]);
    scores.allowed = op.b.binary(BinaryKind::LessEqual, positionsOfKeys(op, k[2]), past);
  }
  if (op.has(Mask))
    scores.biases.push_back(maskBias(op, Mask, "mask_index", shape, op.b.element(p.q)));
  addAttentionBias(op, ScoreBias, scores);
  op.result(attend(op, p.q, p.k, p.v, scores));
  op.result(p.k, 1);
  op.result(p.v, 2);
}

} // namespace cupola::onnx_import::microsoft
