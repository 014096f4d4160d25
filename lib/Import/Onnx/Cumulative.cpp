//===- lib/Import/Onnx/Cumulative.cpp - sums of all elements up to one -----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Cumulative.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

using graph::BinaryKind;
using graph::ReduceKind;

constexpr int64_t blockSize = 128;

/// Over j of x[j] where j <= i (or <, >=, >): a reduction of n steps for each of n places.
Value direct(GraphBuilder &b, ReduceKind kind, Value value, int64_t axis, CumulativeOrder order) {
  const BinaryKind taken = order.reverse ? (order.exclusive ? BinaryKind::Greater : BinaryKind::GreaterEqual)
                                         : (order.exclusive ? BinaryKind::Less : BinaryKind::LessEqual);
  const Exprs shape = b.shape(value);
  Exprs grid(shape.size() + 1, Expr(1));
  grid[axis] = grid[axis + 1] = shape[axis];
  Value isTaken = b.binary(taken, b.iota(grid, axis + 1), b.iota(grid, axis));
  Value terms = b.select(isTaken, b.unsqueeze(value, {axis}), b.scalar(kind == ReduceKind::Prod, b.element(value)));
  return b.reshape(b.reduce(kind, terms, {axis + 1}), shape);
}

TypedAttr neutral(ReduceKind kind, Type type) {
  Builder builder(type.getContext());
  return kind == ReduceKind::Prod ? builder.getOneAttr(type) : builder.getZeroAttr(type);
}

} // namespace

Value cumulated(GraphBuilder &b, ReduceKind kind, Value value, int64_t axis, CumulativeOrder order) {
  const Exprs shape = b.shape(value);
  const Expr extent = shape[axis];
  const auto most = bounds(extent, b.ranges()).hi;
  // An open extent of integers is one of tokens that are counted: one kernel takes less time there than three.
  const bool isLong = order.isLong || isa<FloatType>(b.element(value));
  if (most ? *most <= 2 * blockSize : !isLong)
    return direct(b, kind, value, axis, order);
  const Expr blocks = simplify(ceilDiv(extent, Expr(blockSize)), b.ranges());
  Exprs none(shape.size(), Expr(0)), rest = none, apart = shape, joined = shape;
  rest[axis] = blocks * Expr(blockSize) - extent;
  joined[axis] = blocks * Expr(blockSize);
  apart[axis] = Expr(blockSize);
  apart.insert(apart.begin() + axis, blocks);
  const TypedAttr fill = neutral(kind, b.element(value));
  Value padded = b.reshape(b.pad(value, none, rest, graph::PadMode::Constant, fill), apart);
  Value wholes = b.squeeze(b.reduce(kind, padded, {axis + 1}), {axis + 1});
  const CumulativeOrder before{/*exclusive=*/true, order.reverse};
  Value others = most ? cumulated(b, kind, wholes, axis, before) : direct(b, kind, wholes, axis, before);
  Value all =
      b.binary(graph::combiningKind(kind), direct(b, kind, padded, axis + 1, order), b.unsqueeze(others, {axis + 1}));
  return b.slice(b.reshape(all, joined), none, Ints(shape.size(), 1), shape);
}

} // namespace cupola::onnx_import
