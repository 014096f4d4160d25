//===- lib/Import/Onnx/Ops/Microsoft/Attention.cpp - Attention, QAttention, MultiHeadAttention ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Heads.h"
#include "lib/Import/Onnx/Ops/IntegerProduct.h"
#include "lib/Import/Onnx/Ops/Microsoft/Attend.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {
namespace {

/// Part `index` of the `count` of dimension `axis`, which goes.
Value part(OpBinder &op, Value value, int64_t axis, int64_t index, int64_t count) {
  op.b.sameExtent(op.b.shape(value)[axis], Expr(count),
                  "the extent of dimension " + std::to_string(axis) + " and the number of its parts");
  Exprs starts(op.b.shape(value).size(), Expr(0)), sizes = op.b.shape(value);
  starts[axis] = Expr(index);
  sizes[axis] = Expr(1);
  return op.b.squeeze(op.b.slice(value, starts, Ints(sizes.size(), 1), sizes), {axis});
}

/// The masks, with that of positions where `unidirectional` is set; the first query stands behind `past` keys.
Scores scoresOf(OpBinder &op, const Projections &p, const Expr &past, size_t mask, StringRef maskName, size_t bias) {
  const Exprs q = op.b.shape(p.q), k = op.b.shape(p.k);
  const Exprs shape = {q[0], q[1], q[2], k[2]};
  Scores scores;
  op.ignoreAttribute("mask_filter_value");
  if (op.has(mask))
    scores.biases.push_back(maskBias(op, mask, maskName, shape, op.b.element(p.q)));
  addAttentionBias(op, bias, scores);
  if (op.intAttribute("unidirectional", 0) != 0)
    scores.allowed = op.b.binary(BinaryKind::LessEqual, positionsOfKeys(op, k[2]), positionsOfQueries(op, q[2], past));
  return scores;
}

//===----------------------------------------------------------------------===//
// Projections
//===----------------------------------------------------------------------===//

/// The widths of q, k and v.
std::array<int64_t, 3> widths(OpBinder &op, const Expr &all) {
  if (!all.constant() || *all.constant() > int64_t(1) << 31)
    op.unsupported("input 1 (weights) has " + all.text() + " columns, supported are constants up to 2^31");
  const auto given = op.intsAttribute("qkv_hidden_sizes").value_or(Ints(3, *all.constant() / 3));
  bool isValid = given.size() == 3;
  for (int64_t width : given)
    isValid = isValid && width >= 1 && width <= *all.constant();
  if (!isValid || given[0] != given[1] || given[0] + given[1] + given[2] != *all.constant())
    op.bad("the widths of Q, K and V do not add up to the " + all.text() +
           " columns of input 1 (weights), or Q and K differ in width");
  return {given[0], given[1], given[2]};
}

/// Queries, keys and values side by side, taken apart.
Projections apart(OpBinder &op, Value all) {
  const int64_t heads = op.requiredInt("num_heads");
  const auto [queries, keys, values] = widths(op, op.shape(1, "weights")[1]);
  Value q = splitHeads(op, columns(op, all, Expr(0), Expr(queries)), heads, "num_heads");
  Value k = splitHeads(op, columns(op, all, Expr(queries), Expr(keys)), heads, "num_heads");
  return {q, k, splitHeads(op, columns(op, all, Expr(queries + keys), Expr(values)), heads, "num_heads")};
}

/// Where Attention and QAttention have what they share.
struct Places {
  size_t mask, past, bias; ///< of scores
};

/// Of input weights + bias.
void attention(OpBinder &op, Value all, const Places &places) {
  for (StringRef name : {"do_rotary", "past_present_share_buffer"})
    if (op.intAttribute(name, 0) != 0)
      op.unsupported("attribute '" + name.str() + "' is not 0, supported is 0");
  op.ignoreAttribute("rotary_embedding_dim"); // of do_rotary
  Projections p = apart(op, all);
  Expr past(0);
  if (op.has(places.past)) {
    requireRank(op, places.past, "past", 5);
    past = op.shape(places.past, "past")[3];
    Value before = op.value(places.past, "past");
    p.k = op.b.concat({part(op, before, 0, 0, 2), p.k}, 2);
    p.v = op.b.concat({part(op, before, 0, 1, 2), p.v}, 2);
  }
  op.result(attend(op, p.q, p.k, p.v, scoresOf(op, p, past, places.mask, "mask_index", places.bias)));
  if (op.wants(1))
    op.result(op.b.concat({op.b.unsqueeze(p.k, {0}), op.b.unsqueeze(p.v, {0})}, 0), 1);
}

/// [batch, sequence, heads, parts, size] taken apart along the parts.
Value ofPacked(OpBinder &op, size_t index, StringRef name, int64_t number, int64_t count) {
  return op.b.transpose(part(op, op.value(index, name), 3, number, count), {0, 2, 1, 3});
}

Projections separate(OpBinder &op) {
  const int64_t rank = op.rank(0, "query", 3);
  op.requiredInt("num_heads"); // which packed ones have as an extent, too
  if (op.has(3))
    requireRank(op, 3, "bias", 1);
  const bool isPacked = rank == 5 || (op.has(1) && op.rank(1, "key") == 5);
  if (isPacked && op.has(3))
    op.unsupported("input 3 (bias) is used beside packed queries or keys, which is not supported");
  for (size_t i = 0; isPacked && i < 2; ++i)
    if (op.has(i))
      op.requireFloat(i, i == 0 ? "query" : "key");
  if (rank == 5)
    return {ofPacked(op, 0, "query", 0, 3), ofPacked(op, 0, "query", 1, 3), ofPacked(op, 0, "query", 2, 3)};
  const Expr width = op.shape(0, "query").back();
  Value q = headsOf(op, 0, "query", 3, Expr(0));
  if (isPacked)
    return {q, ofPacked(op, 1, "key", 0, 2), ofPacked(op, 1, "key", 1, 2)};
  Value k = headsOf(op, 1, "key", 3, width);
  return {q, k, headsOf(op, 2, "value", 3, width * Expr(2))};
}

} // namespace

void importAttention(OpBinder &op) {
  op.requireInputs(2, 7);
  refuseInputs(op, {{6, "past_sequence_length"}});
  requireRank(op, 0, "input", 3);
  requireRank(op, 1, "weights", 2);
  Value all = op.b.matmul(op.value(0, "input"), op.value(1, "weights"));
  attention(op, op.has(2) ? lastBiased(op, all, 2, "bias") : all, {3, 4, 5});
}

/// Of integers, which are what is projected alone.
void importQAttention(OpBinder &op) {
  using namespace quantize;
  constexpr size_t none = 9;
  op.requireInputs(5, 9);
  if (op.rank(0, "input") != 3 || op.rank(1, "weight") != 2)
    op.bad("inputs 0 (input) and 1 (weight) have the shapes " + shapeText(op.shape(0, "input")) + " and " +
           shapeText(op.shape(1, "weight")) + ", expected ranks 3 and 2");
  op.requireFloat(3, "input_scale");
  Value sums = op.b.matmul(factorOf(op, 0, "input", 6, Side::Left), factorOf(op, 1, "weight", 7, Side::Right));
  attention(op, scaledProduct(op, sums, number(op, 3, "input_scale"), 4, 2), {5, 8, none});
}

void importMultiHeadAttention(OpBinder &op) {
  op.requireInputs(1, 10);
  refuseInputs(op, {{8, "past_sequence_length"}, {9, "cache_indirection"}});
  if (op.wants(3))
    op.unsupported("output 3 (qk) is used, supported are outputs 0 to 2");
  Projections p = separate(op);
  Expr past(0);
  if (op.has(6) || op.has(7)) {
    requireRank(op, 6, "past_key", 4);
    requireRank(op, 7, "past_value", 4);
    past = op.shape(6, "past_key")[2];
    p.k = op.b.concat({op.value(6, "past_key"), p.k}, 2);
    p.v = op.b.concat({op.value(7, "past_value"), p.v}, 2);
  }
  op.result(attend(op, p.q, p.k, p.v, scoresOf(op, p, past, 4, "key_padding_mask", 5)));
  op.result(p.k, 1);
  op.result(p.v, 2);
}

} // namespace cupola::onnx_import::microsoft
