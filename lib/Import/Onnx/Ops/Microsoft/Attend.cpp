//===- lib/Import/Onnx/Ops/Microsoft/Attend.cpp - the core of all attentions ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Microsoft/Attend.h"

#include "lib/Import/Onnx/Ops/Heads.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace cupola::onnx_import::microsoft {

/// scale * q k^T, capped.
static Value scoresOf(OpBinder &op, Value q, Value k, double softcap) {
  const Type type = op.b.element(q);
  const double given = op.floatAttribute("scale", 0);
  const double scale = given != 0 ? given : 1 / std::sqrt(static_cast<double>(headSize(op, q)));
  Value scaled = op.b.binary(BinaryKind::Mul, q, op.b.scalar(scale, type));
  Value scores = op.b.matmul(scaled, op.b.transpose(repeatHeads(op, k, op.b.shape(q)[1]), {0, 1, 3, 2}));
  if (softcap <= 0)
    return scores;
  Value cap = op.b.scalar(softcap, type);
  return op.b.binary(BinaryKind::Mul, op.b.unary(UnaryKind::Tanh, op.b.binary(BinaryKind::Div, scores, cap)), cap);
}

/// One key more, whose value is 0: nothing but its score counts. `allowed` is as long already, and hides it.
static void addSink(OpBinder &op, Value &k, Value &v, Scores &how) {
  const Type type = op.b.element(k);
  const Expr keys = op.b.shape(k)[2];
  k = lengthened(op, k, 2, Expr(1)), v = lengthened(op, v, 2, Expr(1));
  for (Value &bias : how.biases)
    bias = lengthened(op, bias, 3, Expr(1));
  Value isSink = op.b.binary(BinaryKind::Equal, positionsOfKeys(op, keys + Expr(1)), op.b.integer(keys));
  Value sink = op.b.reshape(how.sink, {op.b.shape(how.sink)[0], Expr(1), Expr(1)});
  how.biases.push_back(op.b.select(isSink, sink, op.b.scalar(0, type)));
  if (how.allowed)
    how.allowed = op.b.binary(BinaryKind::Or, how.allowed, isSink);
}

Value attend(OpBinder &op, Value q, Value k, Value v, Scores how) {
  if (how.sink)
    addSink(op, k, v, how);
  Value scores = scoresOf(op, q, k, how.softcap);
  const Type type = op.b.element(scores);
  const Exprs shape = op.b.shape(scores);
  for (Value bias : how.biases)
    scores = op.b.binary(BinaryKind::Add, scores, bias);
  if (how.allowed) {
    Value hidden = op.b.scalar(-std::numeric_limits<double>::infinity(), type);
    scores = op.b.binary(BinaryKind::Add, scores, op.b.select(how.allowed, op.b.scalar(0, type), hidden));
  }
  op.b.sameShape(op.b.shape(scores), shape, "the shapes of the scores with and without masks");
  Value weights = op.b.softmax(scores, 3, /*log=*/false, graph::SoftmaxGuard::NaN);
  return joinHeads(op, op.b.matmul(weights, repeatHeads(op, v, shape[1])));
}

Value positionsOfQueries(OpBinder &op, const Expr &queries, const Expr &first) {
  Value positions = op.b.iota({queries, Expr(1)}, 0);
  if (first.isConstant(0))
    return positions;
  return op.b.binary(BinaryKind::Add, positions, op.b.integer(first));
}

Value positionsOfKeys(OpBinder &op, const Expr &keys) { return op.b.iota({Expr(1), keys}, 1); }

Value lengthened(OpBinder &op, Value value, int64_t axis, const Expr &count) {
  Exprs low(op.b.shape(value).size(), Expr(0)), high = low;
  high[axis] = count;
  Builder builder(op.b.context());
  return op.b.pad(value, low, high, graph::PadMode::Constant, builder.getZeroAttr(op.b.element(value)));
}

void addAttentionBias(OpBinder &op, size_t index, Scores &scores) {
  if (!op.has(index))
    return;
  requireRank(op, index, "attention_bias", 4);
  scores.biases.push_back(op.value(index, "attention_bias"));
}

Value headsOf(OpBinder &op, size_t index, StringRef name, size_t bias, const Expr &before) {
  op.requireFloat(index, name);
  Value value = op.value(index, name);
  const Exprs shape = op.b.shape(value);
  if (shape.size() == 4 && index != 0)
    return value;
  if (shape.size() != 3)
    op.bad("input " + std::to_string(index) + " (" + name.str() + ") has the shape " + shapeText(shape) +
           ", expected rank 3");
  if (op.has(bias)) {
    requireRank(op, bias, "bias", 1);
    const Expr all = op.shape(bias, "bias")[0];
    op.b.atMost(before + shape[2], all,
                "the columns of Q, K, V and the extent of input " + std::to_string(bias) + " (bias)");
    value = op.b.binary(BinaryKind::Add, value, op.b.slice(op.value(bias, "bias"), {before}, {1}, {shape[2]}));
  }
  return splitHeads(op, value, op.requiredInt("num_heads"), "num_heads");
}

void refuseInputs(OpBinder &op, ArrayRef<std::pair<size_t, StringRef>> inputs) {
  for (const auto &[index, name] : inputs)
    if (op.has(index))
      op.unsupported("input " + std::to_string(index) + " (" + name.str() + ") is used, which is not supported");
}

void refuseAttributes(OpBinder &op, ArrayRef<std::pair<StringRef, int64_t>> usual) {
  for (const auto &[name, value] : usual)
    if (const int64_t found = op.intAttribute(name, value); found != value)
      op.unsupported("attribute '" + name.str() + "' is " + std::to_string(found) + ", supported is " +
                     std::to_string(value));
}

void requireRank(OpBinder &op, size_t index, StringRef name, int64_t rank) {
  op.requireFloat(index, name);
  if (op.rank(index, name) != rank)
    op.bad("input " + std::to_string(index) + " (" + name.str() + ") has the shape " +
           shapeText(op.shape(index, name)) + ", expected rank " + std::to_string(rank));
}

int64_t halfOfRotary(OpBinder &op, size_t index) {
  requireRank(op, index, "cos_cache", 2);
  requireRank(op, index + 1, "sin_cache", 2);
  const Expr columns = op.shape(index, "cos_cache")[1];
  const auto half = columns.constant();
  if (!half || *half < 1 || *half > 65536)
    op.unsupported("input " + std::to_string(index) + " (cos_cache) has " + columns.text() +
                   " columns, supported are constant numbers from 1 to 65536");
  return *half;
}

} // namespace cupola::onnx_import::microsoft
