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

/// Which keys a query may see by position: up to its own (is_causal) and inside of
/// a window, where query i stands at i + `past`. Null: all.
Value allowedByPosition(OpBinder &op, const Expr &queries, const Expr &keys, const Expr &past) {
  const int64_t left = op.intAttribute("left_window_size", -1);
  const int64_t right = op.intAttribute("right_window_size", -1);
  const bool causal = op.intAttribute("is_causal", 0) != 0;
  if (!causal && left < 0 && right < 0)
    return Value();
  const Exprs grid = {queries, keys};
  const Type i64 = IntegerType::get(op.b.context(), 64);
  const auto number = [&](const Expr &e) {
    return e.constant() ? op.b.intScalar(*e.constant(), i64) : op.b.dims({e}, {}, i64);
  };
  Value query = op.b.binary(BinaryKind::Add, op.b.iota(grid, 0), number(past));
  Value key = op.b.iota(grid, 1);
  const auto notAfter = [&](Value first, Value second, int64_t slack) {
    Value limit = slack ? op.b.binary(BinaryKind::Add, second, number(slack)) : second;
    return op.b.binary(BinaryKind::LessEqual, first, limit);
  };
  Value allowed = causal ? notAfter(key, query, 0) : Value();
  if (right >= 0)
    allowed = both(op, allowed, notAfter(key, query, right));
  if (left >= 0)
    allowed = both(op, allowed, notAfter(query, key, left));
  return allowed;
}

/// A mask that covers fewer keys than there are hides the rest.
Value paddedMask(OpBinder &op, Value mask, const Expr &keys) {
  const Exprs shape = op.b.shape(mask);
  const auto have = shape.back().constant(), want = keys.constant();
  if (!have || !want || *have >= *want || *have == 1)
    return mask;
  Exprs low(shape.size(), Expr(0)), high = low;
  high.back() = *want - *have;
  Builder builder(op.b.context());
  const Type type = op.b.element(mask);
  TypedAttr fill = type.isInteger(1) ? TypedAttr(IntegerAttr::get(type, 0))
                                     : TypedAttr(builder.getFloatAttr(type, -std::numeric_limits<double>::infinity()));
  return op.b.pad(mask, low, high, graph::PadMode::Constant, fill);
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

} // namespace

void importAttention(OpBinder &op) {
  op.ignoreAttribute("softmax_precision"); // reductions use float32 at least anyway
  op.ignoreAttribute("qk_matmul_output_mode");
  if (op.has(6) || op.wants(3))
    op.unsupported("nonpad_kv_seqlen or qk_matmul_output is used, supported are neither");
  for (size_t i = 0; i < 3; ++i) {
    op.requireFloat(i, "Q, K, V");
    if (const size_t rank = op.shape(i, "Q, K, V").size(); rank != op.shape(0, "Q").size() || (rank != 3 && rank != 4))
      op.bad("input " + std::to_string(i) + " has rank " + std::to_string(rank) +
             ", expected 3 or 4 for all of Q, K and V");
  }
  const bool flat = op.shape(0, "Q").size() == 3;
  Value q = splitHeads(op, op.value(0, "Q"), "q_num_heads");
  Value k = splitHeads(op, op.value(1, "K"), "kv_num_heads");
  Value v = splitHeads(op, op.value(2, "V"), "kv_num_heads");
  op.ignoreAttribute("q_num_heads");
  op.ignoreAttribute("kv_num_heads");
  Expr past(0);
  if (op.has(4) && op.has(5)) {
    past = op.shape(4, "past_key")[2];
    k = op.b.concat({op.value(4, "past_key"), k}, 2);
    v = op.b.concat({op.value(5, "past_value"), v}, 2);
  }
  const Exprs query = op.b.shape(q), keys = op.b.shape(k);
  const double scale = scaleOf(op, query[3]);
  Value scaled = op.b.binary(BinaryKind::Mul, q, op.b.scalar(scale, op.b.element(q)));
  Value scores = op.b.matmul(scaled, op.b.transpose(repeatHeads(op, k, query[1]), {0, 1, 3, 2}));
  scores = masked(op, softCapped(op, scores), allowedByPosition(op, query[2], keys[2], past));
  // A query that may see nothing has scores of -inf alone: its weights are 0.
  Value weights = op.b.softmax(scores, 3, /*log=*/false, graph::SoftmaxGuard::NaN);
  // The types of Q and K and of V need not agree; the result's is that of Q.
  const Type type = op.b.element(q), common = commonFloat({type, op.b.element(v)});
  Value result = op.b.matmul(op.b.cast(weights, common), op.b.cast(repeatHeads(op, v, query[1]), common));
  result = op.b.cast(result, type);
  op.result(flat ? joinHeads(op, result) : result);
  if (op.wants(1))
    op.result(k, 1);
  if (op.wants(2))
    op.result(v, 2);
}

} // namespace cupola::onnx_import
