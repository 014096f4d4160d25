//===- lib/Import/Onnx/Ops/Sort.cpp - the largest and smallest elements ----===//
// SPDX-License-Identifier: Apache-2.0
//
// Sorting by counting: the rank of an element is the number of elements before it, and
// place k of the result looks for the element of rank k. n^2 + n k steps per row, of
// which nothing is stored.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ops.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// [.., i, j]: whether element j of the last dimension goes before element i.
Value goesBefore(OpBinder &op, Value value, const Expr &extent, bool largest) {
  const int64_t rank = op.b.shape(value).size();
  Value mine = op.b.unsqueeze(value, {rank}), other = op.b.unsqueeze(value, {rank - 1});
  Value before = op.b.binary(largest ? BinaryKind::Greater : BinaryKind::Less, other, mine);
  Exprs rows(rank + 1, Expr(1)), columns = rows;
  rows[rank - 1] = columns[rank] = extent;
  Value earlier = op.b.binary(BinaryKind::Less, op.b.iota(columns, rank), op.b.iota(rows, rank - 1));
  Value tie = op.b.binary(BinaryKind::And, op.b.binary(BinaryKind::Equal, other, mine), earlier);
  return op.b.binary(BinaryKind::Or, before, tie);
}

/// [.., k]: the position of the element of rank k. A maximum, so that unordered elements
/// (NaN) give a position, too.
Value positions(OpBinder &op, Value value, const Expr &count, bool largest) {
  const int64_t rank = op.b.shape(value).size();
  const Expr extent = op.b.shape(value).back();
  const Type i64 = IntegerType::get(op.b.context(), 64);
  Value before = op.b.cast(goesBefore(op, value, extent, largest), i64);
  Value ranks = op.b.reshape(op.b.reduce(ReduceKind::Sum, before, {rank}), op.b.shape(value));
  Exprs rows(rank + 1, Expr(1)), columns = rows;
  rows[rank - 1] = count;
  columns[rank] = extent;
  Value hit = op.b.binary(BinaryKind::Equal, op.b.unsqueeze(ranks, {rank - 1}), op.b.iota(rows, rank - 1));
  Value candidates = op.b.select(hit, op.b.iota(columns, rank), op.b.intScalar(0, i64));
  return op.b.squeeze(op.b.reduce(ReduceKind::Max, candidates, {rank}), {rank});
}

void topK(OpBinder &op, const Expr &count, bool largest) {
  op.requireNumber(0, "X");
  Value value = op.value(0, "X");
  const int64_t rank = op.b.shape(value).size();
  if (rank == 0)
    op.bad("input 0 (X) is a scalar, expected rank 1 or more");
  const int64_t axis = op.axis(op.intAttribute("axis", -1), rank);
  Ints perm = sequence(0, rank); // its own inverse
  std::swap(perm[axis], perm[rank - 1]);
  Value rows = op.b.transpose(value, perm);
  const Expr extent = op.b.shape(rows).back();
  if (count.constant() && extent.constant() && (*count.constant() < 0 || *count.constant() > *extent.constant()))
    op.bad("k is " + count.text() + ", expected 0 to " + extent.text());
  op.b.atMost(count, extent, "k and the extent of the axis");
  Value index = positions(op, rows, count, largest);
  op.result(op.b.transpose(op.b.gatherElements(rows, index, rank - 1), perm));
  if (op.wants(1))
    op.result(op.b.transpose(index, perm), 1);
}

} // namespace

void importTopKAttribute(OpBinder &op) { topK(op, Expr(op.requiredInt("k")), /*largest=*/true); }

void importTopK(OpBinder &op) {
  op.ignoreAttribute("sorted"); // sorted is one of the orders that are allowed
  const Exprs count = op.symbolicInts(1, "K");
  if (count.size() != 1)
    op.bad("K has " + std::to_string(count.size()) + " elements, expected 1");
  topK(op, op.b.extent(count[0], "K"), op.intAttribute("largest", 1) != 0);
}

} // namespace cupola::onnx_import
