//===- lib/Import/Onnx/Ops/Microsoft/GroupQueryAttention.cpp - attention over a cache ===//
// SPDX-License-Identifier: Apache-2.0
//
// How many keys of the cache count is data, another number in each row of a batch: the
// new ones stand behind those in what is handed on (KeyCache.cpp).
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Heads.h"
#include "lib/Import/Onnx/Ops/Microsoft/Attend.h"
#include "lib/Import/Onnx/Ops/Microsoft/CacheFormat.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {
namespace {

struct Operands {
  Value q; ///< [batch, heads, sequence, size]
  KeysAndValues fresh;
  Tokens tokens;
};

void refuseRest(OpBinder &op) {
  if (op.wants(3))
    op.unsupported("output 3 (output_qk) is used, supported are outputs 0 to 2");
  refuseAttributes(op, {{"causal", 1}, {"qk_output", 0}});
  if (op.has(3) != op.has(4))
    op.bad("one of inputs 3 (past_key) and 4 (past_value) is missing, expected both or none");
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

/// int64 [batch]: operand `index`.
Value countsOf(OpBinder &op, size_t index, StringRef name, const Expr &batch) {
  op.requireIndex(index, name.str());
  return op.b.cast(op.b.reshape(op.value(index, name), {batch}), IntegerType::get(op.b.context(), 64));
}

/// `shape`: [batch, heads, sequence, size].
Tokens tokensOf(OpBinder &op, const Exprs &shape) {
  const Type i64 = IntegerType::get(op.b.context(), 64);
  Tokens t;
  t.length = shape[2];
  t.all = op.b.binary(BinaryKind::Add, countsOf(op, 5, "seqlens_k", shape[0]), op.b.intScalar(1, i64));
  // Prompts that end early have fewer tokens than rows.
  Value fresh = op.has(16) ? countsOf(op, 16, "query_seqlens", shape[0]) : op.b.integer(t.length);
  t.before = op.b.binary(BinaryKind::Max, op.b.binary(BinaryKind::Sub, t.all, fresh), op.b.intScalar(0, i64));
  op.requireIndex(6, "total_sequence_length");
  t.total = t.most = op.symbolicInt(6, "total_sequence_length");
  if (staysInPlace(op)) {
    const Expr rows = op.shape(3, "past_key")[2];
    op.b.sameExtent(t.total, rows + t.length,
                    "input 6 (total_sequence_length) and the rows of a cache in place with those of this step");
    t.total = t.most = rows + t.length;
    t.before = exactly(op, t.before, rows);
  } else if (op.has(3))
    t.most = simplify(max(t.total, op.shape(3, "past_key")[2]), op.b.ranges());
  return t;
}

/// The attribute `sliding_window_cache` has a window.
int64_t windowOf(OpBinder &op) {
  const int64_t window = op.intAttribute("local_window_size", -1);
  if (window < 1)
    op.bad("attribute 'local_window_size' is " + std::to_string(window) +
           ", expected one above 0, as attribute 'sliding_window_cache' is 1");
  if (op.has(10))
    op.unsupported("input 10 (attention_bias) is used beside attribute 'sliding_window_cache', which is not supported");
  return window;
}

/// `rows`: of this step, as the cache has them.
KeyCache cacheOf(OpBinder &op, const Tokens &tokens, const KeysAndValues &rows) {
  if (op.intAttribute("sliding_window_cache", 0) != 0)
    return windowed(op, tokens, rows, windowOf(op));
  return staysInPlace(op) ? joined(op, tokens, rows) : appended(op, tokens, rows);
}

Operands read(OpBinder &op) {
  const int64_t queries = op.requiredInt("num_heads"), keys = op.requiredInt("kv_num_heads");
  if (queries < 1 || keys < 1 || queries % keys != 0 || queries > 65536)
    op.bad("attributes 'num_heads' and 'kv_num_heads' are " + std::to_string(queries) + " and " + std::to_string(keys) +
           ", expected a multiple and its divisor");
  const int64_t all = queries + 2 * keys;
  Operands o;
  o.q = heads(op, 0, 0, queries, all);
  o.fresh = {heads(op, 1, queries, keys, all), heads(op, 2, queries + keys, keys, all)};
  o.tokens = tokensOf(op, op.b.shape(o.q));
  return o;
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

/// Whether a query may see a key, by the places of both, int64 [batch or 1, ..]: [batch, 1, queries, keys].
Value allowed(OpBinder &op, Value queries, Value keys) {
  const Type i64 = IntegerType::get(op.b.context(), 64);
  Value query = op.b.unsqueeze(queries, {1, 3}), key = op.b.unsqueeze(keys, {1, 2});
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
  o.fresh.k = turned(op, o.fresh.k, cosine, sine, part, neighbours);
}

} // namespace

void importGroupQueryAttention(OpBinder &op) {
  op.requireInputs(7, 17);
  refuseRest(op);
  Operands o = read(op);
  o.q = normalized(op, o.q, 14, "q");
  o.fresh.k = normalized(op, o.fresh.k, 15, "k");
  Value places = placesOfStep(op, o.tokens);
  rotate(op, o, places);
  const CacheFormat format = cacheFormat(op, o.fresh);
  const KeyCache cache = cacheOf(op, o.tokens, encoded(op, format, o.fresh));
  const KeysAndValues read = numbers(op, format, cache.read, op.b.element(o.q));
  Scores scores;
  scores.softcap = op.floatAttribute("softcap", 0);
  scores.sink = sinkOf(op, op.b.shape(o.q)[1]);
  scores.allowed = allowed(op, places, scores.sink ? lengthened(op, cache.places, 1, Expr(1)) : cache.places);
  addAttentionBias(op, 10, scores);
  Value result = attend(op, withScalesOfKeys(op, format, o.q), read.k, read.v, scores);
  op.result(withScalesOfValues(op, format, result, op.b.shape(o.q)[1]));
  op.result(cache.stored.k, format.element, 1);
  op.result(cache.stored.v, format.element, 2);
}

} // namespace cupola::onnx_import::microsoft
