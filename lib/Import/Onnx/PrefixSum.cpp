//===- lib/Import/Onnx/PrefixSum.cpp - sums of all elements before one -----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/PrefixSum.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

using graph::BinaryKind;
using graph::ReduceKind;

constexpr int64_t blockSize = 128;

/// sum over j of x[j] where j <= i (or <, >=, >): a reduction of n steps for each of n places.
Value directSum(GraphBuilder &b, Value value, int64_t axis, PrefixOrder order) {
  const BinaryKind taken = order.reverse ? (order.exclusive ? BinaryKind::Greater : BinaryKind::GreaterEqual)
                                         : (order.exclusive ? BinaryKind::Less : BinaryKind::LessEqual);
  const Exprs shape = b.shape(value);
  Exprs grid(shape.size() + 1, Expr(1));
  grid[axis] = grid[axis + 1] = shape[axis];
  Value isTaken = b.binary(taken, b.iota(grid, axis + 1), b.iota(grid, axis));
  Value terms = b.select(isTaken, b.unsqueeze(value, {axis}), b.scalar(0, b.element(value)));
  return b.reshape(b.reduce(ReduceKind::Sum, terms, {axis + 1}), shape);
}

} // namespace

Value prefixSum(GraphBuilder &b, Value value, int64_t axis, PrefixOrder order) {
  const Exprs shape = b.shape(value);
  const Expr extent = shape[axis];
  if (const auto most = bounds(extent, b.ranges()).hi; most && *most <= 2 * blockSize)
    return directSum(b, value, axis, order);
  const Expr blocks = simplify(ceilDiv(extent, Expr(blockSize)), b.ranges());
  Exprs none(shape.size(), Expr(0)), rest = none, apart = shape;
  rest[axis] = blocks * Expr(blockSize) - extent;
  apart[axis] = Expr(blockSize);
  apart.insert(apart.begin() + axis, blocks);
  const auto zero = cast<TypedAttr>(Builder(b.context()).getZeroAttr(b.element(value)));
  Value padded = b.reshape(b.pad(value, none, rest, graph::PadMode::Constant, zero), apart);
  Value sums = b.squeeze(b.reduce(ReduceKind::Sum, padded, {axis + 1}), {axis + 1});
  const bool isShort = blocks.constant() && *blocks.constant() <= blockSize * blockSize;
  const PrefixOrder before{/*exclusive=*/true, order.reverse};
  // Where the extent is open, one level of blocks has to do.
  Value others = isShort || !blocks.constant() ? directSum(b, sums, axis, before) : prefixSum(b, sums, axis, before);
  Value all = b.binary(BinaryKind::Add, directSum(b, padded, axis + 1, order), b.unsqueeze(others, {axis + 1}));
  Exprs joined = shape;
  joined[axis] = blocks * Expr(blockSize);
  return b.slice(b.reshape(all, joined), none, Ints(shape.size(), 1), shape);
}

} // namespace cupola::onnx_import
