//===- lib/Import/Onnx/Ops/Microsoft/GroupQueryAttention.cpp - attention over a cache ===//
// SPDX-License-Identifier: Apache-2.0
//
// How many keys of the cache count is data, another number in each row of a batch: the
// new ones stand behind those in what is handed on.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Heads.h"
#include "lib/Import/Onnx/Ops/Microsoft/Attend.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {
namespace {

struct Operands {
  Value q, k, v;      ///< [batch, heads, sequence, size]
  Value past;         ///< int64 [batch]: how many keys of the cache count
  Expr length, total; ///< new tokens, rows of the cache that is handed on
};

void refuseRest(OpBinder &op) {
  refuseInputs(op, {{12, "k_scale"}, {13, "v_scale"}, {16, "query_seqlens"}});
  if (op.wants(3))
    op.unsupported("output 3 (output_qk) is used, supported are outputs 0 to 2");
  for (const auto &[name, usual] : {std::pair("causal", 1), std::pair("sliding_window_cache", 0),
                                    std::pair("qk_output", 0), std::pair("kv_cache_bit_width", 0)})
    if (op.intAttribute(name, usual) != usual)
      op.unsupported("attribute '" + std::string(name) + "' is " + std::to_string(op.intAttribute(name, usual)) +
                     ", supported is " + std::to_string(usual));
  if (op.has(3) != op.has(4))
    op.bad("one of inputs 3 (past_key) and 4 (past_value) is missing, expected both or none");
  for (StringRef name : {"k_quant_type", "v_quant_type"})
    if (op.stringAttribute(name, "NONE") != "NONE")
      op.unsupported("attribute '" + name.str() + "' is not NONE, supported is NONE");
  for (StringRef name : {"qk_norm_epsilon", "q_norm_epsilon", "k_norm_epsilon"})
    op.ignoreAttribute(name); // of q_norm_weight and k_norm_weight
}

/// The tokens of one of queries, keys and values, which may stand side by side in input 0.
Value heads(OpBinder &op, size_t index, int64_t first, int64_t count, int64_t all) {
  const StringRef names[] = {"query", "key", "value"};
  const StringRef attribute = index == 0 ? "num_heads" : "kv_num_heads";
  const bool isPacked = !op.has(1);
  requireRank(op, isPacked ? 0 : index, names[isPacked ? 0 : index], 3);
  if (!isPacked)
    return splitHeads(op, op.value(index, names[index]), count, attribute);
  Value whole = splitHeads(op, op.value(0, "query"), all, "num_heads and kv_num_heads");
  const Exprs shape = op.b.shape(whole);
  return op.b.slice(whole, {Expr(0), Expr(first), Expr(0), Expr(0)}, Ints(4, 1),
                    {shape[0], Expr(count), shape[2], shape[3]});
}

Operands read(OpBinder &op) {
  const int64_t queries = op.requiredInt("num_heads"), keys = op.requiredInt("kv_num_heads");
  if (queries < 1 || keys < 1 || queries % keys != 0 || queries > 65536)
    op.bad("attributes 'num_heads' and 'kv_num_heads' are " + std::to_string(queries) + " and " + std::to_string(keys) +
           ", expected a multiple and its divisor");
  const int64_t all = queries + 2 * keys;
  Operands o;
  o.q = heads(op, 0, 0, queries, all);
  o.k = heads(op, 1, queries, keys, all);
  o.v = heads(op, 2, queries + keys, keys, all);
  const Exprs shape = op.b.shape(o.q);
  o.length = shape[2];
  for (size_t i : {5, 6})
    op.requireIndex(i, i == 5 ? "seqlens_k" : "total_sequence_length");
  const Type i64 = IntegerType::get(op.b.context(), 64);
  Value last = op.b.cast(op.b.reshape(op.value(5, "seqlens_k"), {shape[0]}), i64);
  Value length = op.b.integer(o.length - 1);
  // Prompts that end early have fewer tokens than that.
  o.past = op.b.binary(BinaryKind::Max, op.b.binary(BinaryKind::Sub, last, length), op.b.intScalar(0, i64));
  o.total = op.symbolicInt(6, "total_sequence_length");
  if (op.has(3))
    o.total = simplify(max(o.total, op.shape(3, "past_key")[2]), op.b.ranges());
  return o;
}

/// [batch, heads, total, size]: row t is that of the cache, or of the new ones once those of the cache are over.
Value appended(OpBinder &op, const Operands &o, size_t index, StringRef name, Value fresh) {
  const Exprs shape = op.b.shape(fresh);
  const Type i64 = IntegerType::get(op.b.context(), 64);
  Value place = op.b.iota({Expr(1), o.total}, 1);
  Value past = op.b.unsqueeze(o.past, {1}), behind = op.b.binary(BinaryKind::Sub, place, past);
  Value last = op.b.integer(o.length - 1);
  Value at = op.b.binary(BinaryKind::Max, op.b.binary(BinaryKind::Min, behind, last), op.b.intScalar(0, i64));
  Value rows = op.b.gather(fresh, at, 2, /*batchDims=*/1);
  if (!op.has(index))
    return rows;
  requireRank(op, index, name, 4);
  Value cache = op.value(index, name);
  const Expr have = op.b.shape(cache)[2];
  op.b.sameShape(op.b.shape(cache), {shape[0], shape[1], have, shape[3]}, "the shapes of the cache and of new rows");
  cache = lengthened(op, cache, 2, o.total - have);
  Value isOld = op.b.unsqueeze(op.b.binary(BinaryKind::Less, place, past), {1, 3});
  return op.b.select(isOld, cache, rows);
}

/// Queries or keys, normalised head by head and scaled by a weight, where there is one.
Value normalized(OpBinder &op, Value value, size_t weight, StringRef name) {
  if (!op.has(weight))
    return value;
  requireRank(op, weight, name.str() + "_norm_weight", 1);
  const double all = op.floatAttribute("qk_norm_epsilon", 1e-6f);
  Value normal = op.b.layerNorm(value, 3, op.floatAttribute(name.str() + "_norm_epsilon", all), /*rms=*/true);
  return lastTimes(op, normal, weight, name.str() + "_norm_weight");
}

/// The score that every head has beside those of its keys; null: none.
Value sinkOf(OpBinder &op, const Expr &heads) {
  const Type type = op.b.element(op.value(0, "query"));
  if (op.has(11)) {
    op.b.sameShape(op.shape(11, "head_sink"), {heads}, "the shape of input 11 (head_sink) and num_heads");
    return op.value(11, "head_sink");
  }
  return op.intAttribute("smooth_softmax", 0) > 0 ? op.b.broadcast(op.b.scalar(0, type), {heads}) : Value();
}

/// Whether query i, which stands at past + i, may see key j: [batch, 1, queries, keys].
Value allowed(OpBinder &op, const Expr &keys, Value places) {
  const Type i64 = IntegerType::get(op.b.context(), 64);
  Value query = op.b.unsqueeze(places, {1, 3}), key = positionsOfKeys(op, keys);
  Value result = op.b.binary(BinaryKind::LessEqual, key, query);
  const int64_t window = op.intAttribute("local_window_size", -1);
  if (window < 0)
    return result;
  Value first = op.b.binary(BinaryKind::Sub, query, op.b.intScalar(window, i64));
  return op.b.binary(BinaryKind::And, result, op.b.binary(BinaryKind::Greater, key, first));
}

/// Queries and keys turned by their positions, where `do_rotary` is set.
void rotate(OpBinder &op, Operands &o, Value places) {
  const bool neighbours = op.intAttribute("rotary_interleaved", 0) != 0;
  if (op.intAttribute("do_rotary", 0) == 0)
    return;
  const int64_t part = 2 * halfOfRotary(op, 7);
  if (op.has(9)) {
    op.requireIndex(9, "position_ids");
    if (op.rank(9, "position_ids") != 2)
      op.bad("input 9 (position_ids) has the shape " + shapeText(op.shape(9, "position_ids")) + ", expected rank 2");
  }
  Value at = op.has(9) ? op.value(9, "position_ids") : places;
  Value cosine = op.b.gather(op.value(7, "cos_cache"), at, 0), sine = op.b.gather(op.value(8, "sin_cache"), at, 0);
  o.q = turned(op, o.q, cosine, sine, part, neighbours);
  o.k = turned(op, o.k, cosine, sine, part, neighbours);
}

} // namespace

void importGroupQueryAttention(OpBinder &op) {
  op.requireInputs(7, 17);
  refuseRest(op);
  Operands o = read(op);
  o.q = normalized(op, o.q, 14, "q");
  o.k = normalized(op, o.k, 15, "k");
  Value places = op.b.binary(BinaryKind::Add, op.b.iota({Expr(1), o.length}, 1), op.b.unsqueeze(o.past, {1}));
  rotate(op, o, places);
  o.k = appended(op, o, 3, "past_key", o.k);
  o.v = appended(op, o, 4, "past_value", o.v);
  Scores scores;
  scores.softcap = op.floatAttribute("softcap", 0);
  scores.sink = sinkOf(op, op.b.shape(o.q)[1]);
  scores.allowed = allowed(op, scores.sink ? o.total + Expr(1) : o.total, places);
  addAttentionBias(op, 10, scores);
  op.result(attend(op, o.q, o.k, o.v, scores));
  op.result(o.k, 1);
  op.result(o.v, 2);
}

} // namespace cupola::onnx_import::microsoft
