//===- lib/Import/Onnx/Ops/TensorScatter.cpp - new rows of a cache ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// Every row of the cache looks whether it is one of those that are new, which lie one after the other.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/Text.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// Which new row each row of the cache could be: its distance to the first, [batch, 1.., rows, 1..].
Value distance(OpBinder &op, const Exprs &cache, int64_t axis) {
  Exprs rows(cache.size(), Expr(1)), perEntry = rows;
  rows[axis] = cache[axis];
  Value row = op.b.iota(rows, axis);
  if (!op.has(2))
    return row;
  op.requireIndex(2, "write_indices");
  if (op.rank(2, "write_indices") != 1)
    op.bad("input 2 (write_indices) has the shape " + shapeText(op.shape(2, "write_indices")) + ", expected rank 1");
  perEntry[0] =
      op.b.sameExtent(cache[0], op.shape(2, "write_indices")[0], "the extents of the batch and of write_indices");
  Value first = op.b.reshape(op.b.cast(op.value(2, "write_indices"), op.b.element(row)), perEntry);
  return op.b.binary(BinaryKind::Sub, row, first);
}

} // namespace

void importTensorScatter(OpBinder &op) {
  const int64_t rank = op.rank(0, "past_cache", 2), axis = op.axis(op.intAttribute("axis", -2), rank);
  const std::string mode = op.stringAttribute("mode", "linear");
  if (mode != "linear" && mode != "circular")
    op.bad("attribute 'mode' is '" + printable(mode) + "', expected linear or circular");
  if (axis == 0)
    op.bad("axis is 0, which is the batch, expected another one");
  Value cache = op.value(0, "past_cache"), update = op.value(1, "update");
  Exprs shape = op.b.shape(cache), rest = shape;
  if (op.b.shape(update).size() == shape.size())
    rest[axis] = op.b.shape(update)[axis];
  op.b.sameShape(rest, op.b.shape(update), "shapes of past_cache and update but for the axis");
  const Expr count = op.b.shape(update)[axis];
  if (count.isConstant(0))
    return op.result(cache);
  op.b.atMost(count, shape[axis], "the rows of update and of past_cache");
  Value place = distance(op, shape, axis);
  const Type i64 = op.b.element(place);
  if (mode == "circular")
    place = op.b.binary(BinaryKind::Mod, place, op.b.integer(shape[axis], i64));
  Value zero = op.b.intScalar(0, i64), last = op.b.integer(count - 1, i64);
  Value isNew = op.b.binary(BinaryKind::And, op.b.binary(BinaryKind::LessEqual, zero, place),
                            op.b.binary(BinaryKind::LessEqual, place, last));
  Value index = op.b.binary(BinaryKind::Max, op.b.binary(BinaryKind::Min, place, last), zero);
  op.result(op.b.select(isNew, op.b.gatherElements(update, op.b.broadcast(index, shape), axis), cache));
}

} // namespace cupola::onnx_import
