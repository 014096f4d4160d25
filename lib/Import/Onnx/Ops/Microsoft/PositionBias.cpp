//===- lib/Import/Onnx/Ops/Microsoft/PositionBias.cpp - what scores get by how far apart tokens are ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Heads.h"
#include "lib/Import/Onnx/Ops/Microsoft/Attend.h"

#include <cmath>

using namespace mlir;

namespace cupola::onnx_import::microsoft {
namespace {

/// How distances fall into buckets (Shaw et al., arXiv:1803.02155, as T5 has it): half of the buckets hold one
/// distance each, those behind them logarithmically more, up to the largest distance.
struct Buckets {
  int64_t count, largest;
};

/// Of distances from 0 on, int64.
Value bucketOf(OpBinder &op, Value distance, const Buckets &buckets) {
  const Type f32 = Float32Type::get(op.b.context()), i64 = op.b.int64();
  const int64_t exact = buckets.count / 2;
  Value isNear = op.b.binary(BinaryKind::Less, distance, op.b.intScalar(exact, i64));
  // Near ones have a bucket of their own, and no logarithm.
  Value far = op.b.binary(BinaryKind::Max, distance, op.b.intScalar(exact, i64));
  Value ratio = op.b.binary(BinaryKind::Div, op.b.cast(far, f32), op.b.scalar(static_cast<double>(exact), f32));
  const double whole = std::log(static_cast<double>(buckets.largest) / static_cast<double>(exact));
  Value part = op.b.binary(BinaryKind::Div, op.b.unary(UnaryKind::Log, ratio), op.b.scalar(whole, f32));
  part = op.b.binary(BinaryKind::Mul, part, op.b.scalar(static_cast<double>(buckets.count - exact), f32));
  Value behind = op.b.binary(BinaryKind::Add, op.b.cast(part, i64), op.b.intScalar(exact, i64));
  behind = op.b.binary(BinaryKind::Min, behind, op.b.intScalar(buckets.count - 1, i64));
  return op.b.select(isNear, distance, behind);
}

/// int64 [queries, keys].
Value bucketsOfPairs(OpBinder &op, const Expr &queries, const Expr &keys, Buckets buckets, bool bothWays) {
  const Type i64 = op.b.int64();
  Value ahead = op.b.binary(BinaryKind::Sub, positionsOfKeys(op, keys), positionsOfQueries(op, queries, Expr(0)));
  Value zero = op.b.intScalar(0, i64);
  if (!bothWays)
    return bucketOf(op, op.b.binary(BinaryKind::Max, op.b.unary(UnaryKind::Neg, ahead), zero), buckets);
  buckets.count /= 2;
  Value first = op.b.select(op.b.binary(BinaryKind::Greater, ahead, zero), op.b.intScalar(buckets.count, i64), zero);
  return op.b.binary(BinaryKind::Add, first, bucketOf(op, op.b.unary(UnaryKind::Abs, ahead), buckets));
}

} // namespace

/// The table's elements lie as [heads, buckets], whatever its shape says.
void importRelativePositionBias(OpBinder &op) {
  op.requireInputs(3, 3);
  requireRank(op, 0, "bias_table", 2);
  const Exprs table = op.shape(0, "bias_table");
  const auto count = table[0].constant();
  const int64_t largest = op.requiredInt("max_distance");
  const bool bothWays = op.intAttribute("is_bidirectional", 0) != 0;
  const int64_t exact = count ? *count / (bothWays ? 4 : 2) : 0;
  if (!count || exact < 1 || *count > 65536 || largest <= exact)
    op.unsupported("input 0 (bias_table) has " + table[0].text() + " buckets and attribute 'max_distance' is " +
                   std::to_string(largest) +
                   ", supported are constant numbers of buckets from 2 (both ways: 4) to 65536, and distances beyond "
                   "those that have a bucket of their own");
  const Expr queries = op.symbolicInt(1, "query_length"), keys = op.symbolicInt(2, "key_length");
  Value buckets = bucketsOfPairs(op, queries, keys, {*count, largest}, bothWays);
  Value rows = op.b.reshape(op.value(0, "bias_table"), {table[1], table[0]});
  op.result(op.b.unsqueeze(op.b.gather(rows, buckets, 1, /*batchDims=*/0, /*isInRange=*/true), {0}));
}

/// Two gates of each query and head (WavLM, arXiv:2110.13900) scale what its position gives.
void importGatedRelativePositionBias(OpBinder &op) {
  op.requireInputs(6, 7);
  refuseInputs(op, {{6, "token_offset"}});
  requireRank(op, 0, "query_layer", 3);
  requireRank(op, 3, "weight", 2);
  Value query = splitHeads(op, lastBiased(op, op.value(0, "query_layer"), 1, "query_bias"), op.requiredInt("num_heads"),
                           "num_heads");
  const Type type = op.b.element(query);
  Value gates = lastBiased(op, op.b.matmul(query, op.value(3, "weight")), 4, "bias");
  const auto sumOf = [&](Value half) {
    return op.b.unary(UnaryKind::Sigmoid, op.b.reduce(ReduceKind::Sum, half, {3}));
  };
  const auto [u, r] = halves(op, gates, "the product of input 3 (weight)");
  Value gate = op.b.binary(BinaryKind::Mul, sumOf(r), op.value(5, "eco_a"));
  gate = op.b.binary(BinaryKind::Mul, sumOf(u), op.b.binary(BinaryKind::Sub, gate, op.b.scalar(1, type)));
  gate = op.b.binary(BinaryKind::Add, gate, op.b.scalar(2, type));
  op.result(op.b.binary(BinaryKind::Mul, gate, op.value(2, "rel_pos")));
}

} // namespace cupola::onnx_import::microsoft
