//===- lib/Import/Onnx/Ops/Attention.cpp - attention -----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// It is taken apart: what Attention of opset 23 says in one node, older opsets say in
// many, and fusion sees one form.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Heads.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// Values of rank 4 are split already.
Value splitHeads(OpBinder &op, Value value, StringRef attribute) {
  return op.b.shape(value).size() == 4 ? value
                                       : onnx_import::splitHeads(op, value, op.requiredInt(attribute), attribute);
}

Value both(OpBinder &op, Value a, Value b) { return a && b ? op.b.binary(BinaryKind::And, a, b) : a ? a : b; }

/// Input 6: how many keys of each batch entry there are, as [batch, 1, 1, 1]; null: all.
Value keyCounts(OpBinder &op, const Expr &batch) {
  if (!op.has(6))
    return Value();
  if (op.has(4) || op.has(5))
    op.bad("nonpad_kv_seqlen and a past are both given, expected one of them");
  op.requireIndex(6, "nonpad_kv_seqlen");
  if (op.rank(6, "nonpad_kv_seqlen") != 1)
    op.bad("input 6 (nonpad_kv_seqlen) has the shape " + shapeText(op.shape(6, "nonpad_kv_seqlen")) +
           ", expected rank 1");
  op.b.sameExtent(op.shape(6, "nonpad_kv_seqlen")[0], batch, "the extents of nonpad_kv_seqlen and of the batch");
  return op.b.reshape(op.b.cast(op.value(6, "nonpad_kv_seqlen"), op.b.int64()), {batch, Expr(1), Expr(1), Expr(1)});
}

/// Which keys a query may see by position: up to its own (is_causal) and inside of
/// a window, where query 0 stands at `first`. Null: all.
Value allowedByPosition(OpBinder &op, const Expr &queries, const Expr &keys, Value first) {
  const int64_t left = op.intAttribute("left_window_size", -1);
  const int64_t right = op.intAttribute("right_window_size", -1);
  const bool causal = op.intAttribute("is_causal", 0) != 0;
  if (!causal && left < 0 && right < 0)
    return Value();
  const Exprs grid = {queries, keys};
  Value query = op.b.binary(BinaryKind::Add, op.b.iota(grid, 0), first);
  Value key = op.b.iota(grid, 1);
  const auto notAfter = [&](Value one, Value other, int64_t slack) {
    Value limit = slack ? op.b.binary(BinaryKind::Add, other, op.b.integer(slack)) : other;
    return op.b.binary(BinaryKind::LessEqual, one, limit);
  };
  Value allowed = causal ? notAfter(key, query, 0) : Value();
  if (right >= 0)
    allowed = both(op, allowed, notAfter(key, query, right));
  if (left >= 0)
    allowed = both(op, allowed, notAfter(query, key, left));
  return allowed;
}

/// The last query stands at the last key that is there; those behind it are hidden.
Value allowedBy(OpBinder &op, Value counts, const Expr &queries, const Expr &keys) {
  Value first = op.b.binary(BinaryKind::Sub, counts, op.b.integer(queries));
  Value isThere = op.b.binary(BinaryKind::Less, op.b.iota({Expr(1), Expr(1), Expr(1), keys}, 3), counts);
  return both(op, allowedByPosition(op, queries, keys, first), isThere);
}

/// A mask that covers fewer keys than there are hides the rest; one of 1 is for all. Where that is open, only
/// nonpad_kv_seqlen says that the mask may be shorter: without it, it is one of 1 or covers all.
Value paddedMask(OpBinder &op, Value mask, const Expr &keys) {
  Exprs shape = op.b.shape(mask);
  const Expr have = shape.back();
  const bool isOpen = !have.constant() || !keys.constant();
  if (have == keys || have.isConstant(1) || (isOpen ? !op.has(6) : *have.constant() >= *keys.constant()))
    return mask;
  if (isOpen)
    op.b.atMost(have, max(keys, Expr(1)), "the last extent of attn_mask and the number of keys");
  Exprs low(shape.size(), Expr(0)), high = low;
  high.back() = op.b.facts().current((keys - have) * min(max(have - 1, Expr(1) - have), Expr(1)));
  Builder builder(op.b.context());
  const Type type = op.b.element(mask);
  TypedAttr fill = type.isInteger(1) ? TypedAttr(IntegerAttr::get(type, 0))
                                     : TypedAttr(builder.getFloatAttr(type, -std::numeric_limits<double>::infinity()));
  mask = op.b.pad(mask, low, high, graph::PadMode::Constant, fill);
  shape.back() = keys;
  return op.b.broadcast(mask, shape);
}

/// scores + bias of everything that masks them.
Value masked(OpBinder &op, Value scores, Value allowed) {
  const Type type = op.b.element(scores);
  const Exprs shape = op.b.shape(scores);
  Value bias;
  if (op.has(3)) {
    Value mask = op.value(3, "attn_mask");
    const bool isBool = op.b.element(mask).isInteger(1);
    mask = paddedMask(op, isBool ? mask : op.b.cast(mask, type), shape[3]);
    if (isBool)
      allowed = both(op, allowed, mask);
    else
      bias = mask;
  }
  if (bias)
    scores = op.b.binary(BinaryKind::Add, scores, bias);
  if (!allowed)
    return scores;
  Value hidden = op.b.scalar(-std::numeric_limits<double>::infinity(), type);
  return op.b.binary(BinaryKind::Add, scores, op.b.select(allowed, op.b.scalar(0, type), hidden));
}

Value softCapped(OpBinder &op, Value scores) {
  const double cap = op.floatAttribute("softcap", 0);
  if (cap <= 0)
    return scores;
  Value factor = op.b.scalar(cap, op.b.element(scores));
  Value bounded = op.b.unary(UnaryKind::Tanh, op.b.binary(BinaryKind::Div, scores, factor));
  return op.b.binary(BinaryKind::Mul, bounded, factor);
}

double scaleOf(OpBinder &op, const Expr &size) {
  if (op.hasAttribute("scale"))
    return op.floatAttribute("scale", 1);
  if (!size.constant() || *size.constant() < 1)
    op.undecided({size}, "the size of a head is " + size.text() + ", supported are constants");
  return 1 / std::sqrt(static_cast<double>(*size.constant()));
}

/// [batch, heads, sequence, size]; K and V behind what is past of them.
struct Operands {
  Value q, k, v;
  Expr past = Expr(0);
};

Operands readOperands(OpBinder &op) {
  for (size_t i = 0; i < 3; ++i) {
    op.requireFloat(i, "Q, K, V");
    if (const size_t rank = op.shape(i, "Q, K, V").size(); rank != op.shape(0, "Q").size() || (rank != 3 && rank != 4))
      op.bad("input " + std::to_string(i) + " has rank " + std::to_string(rank) +
             ", expected 3 or 4 for all of Q, K and V");
  }
  Operands o{splitHeads(op, op.value(0, "Q"), "q_num_heads"), splitHeads(op, op.value(1, "K"), "kv_num_heads"),
             splitHeads(op, op.value(2, "V"), "kv_num_heads")};
  op.ignoreAttribute("q_num_heads");
  op.ignoreAttribute("kv_num_heads");
  const Expr heads = op.b.shape(o.k)[1], others = op.b.shape(o.v)[1];
  if (!heads.constant() || !others.constant())
    op.b.sameExtent(heads, others, "the heads of K and of V");
  if (op.has(4) && op.has(5)) {
    o.past = op.shape(4, "past_key")[2];
    o.k = op.b.concat({op.value(4, "past_key"), o.k}, 2);
    o.v = op.b.concat({op.value(5, "past_value"), o.v}, 2);
  }
  return o;
}

/// softmax(scores) of the operands, and output 3: one of the steps to it.
Value weightsOf(OpBinder &op, const Operands &o) {
  const Exprs query = op.b.shape(o.q), keys = op.b.shape(o.k);
  Value scaled = op.b.binary(BinaryKind::Mul, o.q, op.b.scalar(scaleOf(op, query[3]), op.b.element(o.q)));
  Value scores = op.b.matmul(scaled, op.b.transpose(repeatHeads(op, o.k, query[1]), {0, 1, 3, 2}));
  Value capped = softCapped(op, scores), counts = keyCounts(op, query[0]);
  Value allowed = counts ? allowedBy(op, counts, query[2], keys[2])
                         : allowedByPosition(op, query[2], keys[2], op.b.integer(o.past));
  Value biased = masked(op, capped, allowed);
  // A query that may see nothing has scores of -inf alone: its weights are 0.
  Value weights = op.b.softmax(biased, 3, /*log=*/false, graph::SoftmaxGuard::NaN);
  const Value steps[] = {scores, capped, biased, weights};
  const int64_t mode = op.intAttribute("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    op.bad("qk_matmul_output_mode is " + std::to_string(mode) + ", expected 0 to 3");
  if (op.wants(3))
    op.result(steps[mode], 3);
  return weights;
}

} // namespace

void importAttention(OpBinder &op) {
  op.ignoreAttribute("softmax_precision"); // reductions use float32 at least anyway
  const Operands o = readOperands(op);
  Value weights = weightsOf(op, o);
  // The types of Q and K and of V need not agree; the result's is that of Q.
  const Type type = op.b.element(o.q), common = commonFloat({type, op.b.element(o.v)});
  Value v = repeatHeads(op, o.v, op.b.shape(o.q)[1]);
  Value result = op.b.cast(op.b.matmul(op.b.cast(weights, common), op.b.cast(v, common)), type);
  op.result(op.shape(0, "Q").size() == 3 ? joinHeads(op, result) : result);
  if (op.wants(1))
    op.result(o.k, 1);
  if (op.wants(2))
    op.result(o.v, 2);
}

} // namespace cupola::onnx_import
