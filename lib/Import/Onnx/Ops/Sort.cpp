//===- lib/Import/Onnx/Ops/Sort.cpp - the largest and smallest elements ----===//
// SPDX-License-Identifier: Apache-2.0
//
// Sorting by counting: the rank of an element is the number of elements before it, and
// place k of the result looks for the element of rank k. n^2 + n k steps per row, of
// which nothing is stored. Of a long row the best k of each of its parts are found so
// first, and then the best of these; where the length is open, of parts of a fixed
// length. A single one is what an arg-reduction finds. Where rows may be long the host can
// sort them instead (graph.host). Floats are compared as integers in
// the same order, where every NaN is the same and above infinity.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Sort.h"
#include "dialects/Graph/ElementTypes.h"
#include "dialects/Graph/Neutral.h"
#include "lib/Import/Onnx/Ops/Ops.h"

#include <algorithm>

using namespace mlir;

namespace cupola::onnx_import {

/// The bits of a negative float are those of its magnitude, and the smallest integer more.
Value keysOf(OpBinder &op, Value value) {
  auto type = dyn_cast<FloatType>(op.b.element(value));
  if (!type)
    return value;
  const unsigned width = type.getWidth();
  const Type integer = IntegerType::get(op.b.context(), width);
  const auto number = [&](const llvm::APInt &value) { return op.b.intScalar(value.getSExtValue(), integer); };
  const Value bits = op.b.bitcast(value, integer);
  const Value isNegative = op.b.binary(BinaryKind::Less, bits, number(llvm::APInt::getZero(width)));
  const Value ofNegative = op.b.binary(BinaryKind::Sub, number(llvm::APInt::getSignedMinValue(width)), bits);
  const Value keys = op.b.select(isNegative, ofNegative, bits);
  return op.b.select(op.b.unary(UnaryKind::IsNaN, value), number(llvm::APInt::getSignedMaxValue(width)), keys);
}

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

/// [.., k]: the position of the element of rank k.
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

/// So many parts, and elements of each, one of which is a number.
struct Parts {
  Expr count = 1, size = 1;
};

/// Of n elements, of which k are wanted: one part if counting in all of them is fast enough. Else (n/k)^(2/3), with
/// which the parts cost as much together as what comes of them, n^2 / parts = (parts k)^2. In integers: the same
/// everywhere. An open n: parts of which few elements, but some, are wanted.
Parts partsOf(const Expr &extent, const Expr &count) {
  constexpr int64_t fewElements = 1024, leastRatio = 8, leastSize = 128;
  const std::optional<int64_t> n = extent.constant(), k = count.constant();
  if (!k || *k == 0 || (n && (*n <= fewElements || *n / *k < leastRatio)))
    return {};
  if (!n) {
    const int64_t size = std::max(leastSize, 4 * std::min<int64_t>(*k, 1 << 20));
    return {ceilDiv(extent, size), size};
  }
  const int64_t ratio = std::min<int64_t>(*n / *k, 1 << 20);
  int64_t parts = 1;
  while ((parts + 1) * (parts + 1) * (parts + 1) <= ratio * ratio)
    ++parts;
  return {parts, ceilDiv(extent, parts)};
}

/// The last dimension as [parts, elements], filled up with what goes behind all others.
Value inParts(OpBinder &op, Value value, const Parts &parts, bool largest) {
  Exprs dims = op.b.shape(value), none(dims.size(), Expr(0)), behind = none;
  behind.back() = parts.size * parts.count - dims.back();
  const ReduceKind best = largest ? ReduceKind::Max : ReduceKind::Min;
  const TypedAttr fill = graph::neutralElement(best, op.b.element(value));
  value = op.b.pad(value, none, behind, graph::PadMode::Constant, fill);
  dims.back() = parts.count;
  dims.push_back(parts.size);
  return op.b.reshape(value, dims);
}

/// As positions(). The best of all parts stay in the order of the parts, and equal ones of a part in theirs: so the
/// first of equal elements still goes first.
Value bestPositions(OpBinder &op, Value value, const Expr &count, bool largest) {
  const Expr extent = op.b.shape(value).back();
  const int64_t rank = op.b.shape(value).size();
  if (count.isConstant(1))
    return op.b.argReduce(largest ? ReduceKind::Max : ReduceKind::Min, value, rank - 1, /*last=*/false);
  const Parts parts = partsOf(extent, count);
  if (parts.count.isConstant(1))
    return positions(op, value, count, largest);
  const Type i64 = IntegerType::get(op.b.context(), 64);
  const Value split = inParts(op, value, parts, largest), inPart = positions(op, split, count, largest);
  Exprs part(rank + 1, Expr(1)), joined = op.b.shape(value);
  part[rank - 1] = parts.count;
  joined.back() = count * parts.count;
  const Value first =
      op.b.binary(BinaryKind::Mul, op.b.iota(part, rank - 1), op.b.intScalar(*parts.size.constant(), i64, rank + 1));
  const Value places = op.b.reshape(op.b.binary(BinaryKind::Add, inPart, first), joined);
  const Value chosen = op.b.reshape(op.b.gatherElements(split, inPart, rank), joined);
  const Value best =
      extent.constant() ? bestPositions(op, chosen, count, largest) : positions(op, chosen, count, largest);
  return op.b.gatherElements(places, best, rank - 1);
}

} // namespace

Value orderedPositions(OpBinder &op, Value keys, const Expr &count, bool largest) {
  constexpr int64_t shortRow = 16;
  const auto byOps = [&] { return bestPositions(op, keys, count, largest); };
  Exprs dims = op.b.shape(keys);
  const Expr extent = dims.back(), rows = graph::product(ArrayRef<Expr>(dims).drop_back());
  if (count.isConstant(0) || count.isConstant(1) || (extent.constant() && *extent.constant() <= shortRow))
    return byOps();
  dims.back() = count;
  const std::string type = format::dtypeName(graph::dtypeOf(op.b.element(keys)));
  Value extents = op.b.dims({rows, extent, count}, {3}, op.b.int64());
  return op.b.hostOr("order", {type, largest ? "largest" : "smallest"}, {keys, extents}, dims, op.b.int64(),
                     rows * extent * extent, byOps);
}

static void topK(OpBinder &op, const Expr &count, bool largest) {
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
  Value index = orderedPositions(op, keysOf(op, rows), count, largest);
  op.result(op.b.transpose(op.b.gatherElements(rows, index, rank - 1), perm));
  if (op.wants(1))
    op.result(op.b.transpose(index, perm), 1);
}

void importTopKAttribute(OpBinder &op) { topK(op, Expr(op.requiredInt("k")), /*largest=*/true); }

void importTopK(OpBinder &op) {
  op.ignoreAttribute("sorted"); // sorted is one of the orders that are allowed
  const Exprs count = op.symbolicInts(1, "K");
  if (count.size() != 1)
    op.bad("K has " + std::to_string(count.size()) + " elements, expected 1");
  topK(op, op.b.extent(count[0], "K"), op.intAttribute("largest", 1) != 0);
}

} // namespace cupola::onnx_import
