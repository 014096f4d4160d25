//===- lib/Import/Onnx/Ops/Unique.cpp - elements or slices without repetition ===//
// SPDX-License-Identifier: Apache-2.0
//
// In their order, equal elements are neighbours: one that differs from the one before it is the first of its equals,
// because of equal ones the first goes first. Which of the different elements one is, is the number of such firsts up
// to it. (https://onnx.ai/onnx/operators/onnx__Unique.html)
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Cumulative.h"
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/Ops/Scatter.h"
#include "lib/Import/Onnx/Ops/Sort.h"

#include "lib/Import/Onnx/Sized.h"
#include "lib/Import/Onnx/StringTypes.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// The different elements, in some order.
struct Different {
  Expr count;
  Value first, ///< [count]: where each stands first
      counts,  ///< [count]: how often
      number;  ///< [n]: which of them each element is
};

class Unique {
public:
  explicit Unique(OpBinder &op) : op(op), b(op.b), i64(IntegerType::get(b.context(), 64)) {}

  void run() {
    Value data = op.value(0, "X");
    int64_t axis = 0;
    if (op.hasAttribute("axis"))
      axis = op.axis(op.intAttribute("axis", 0), op.rank(0, "X"));
    else
      data = b.reshape(data, {graph::product(b.shape(data))});
    const bool isSorted = op.intAttribute("sorted", 1) != 0;
    // A string's number says nothing of its order.
    Value keys =
        isSorted && isString(op.element(0, "X")) ? b.host("string_rank", {}, {data}, b.shape(data), i64) : data;
    extent = b.shape(data)[axis];
    Different found = different(rankOf(rowsOf(keys, axis)));
    if (!isSorted)
      found = inOrderOfPlaces(found);
    op.result(b.gather(data, found.first, axis));
    op.result(found.first, 1);
    op.result(found.number, 2);
    op.result(found.counts, 3);
  }

private:
  //===--- In the order of the keys ---===//

  Different different(Value keys) {
    Value places = orderedPositions(op, keys, extent, /*largest=*/false), sorted = pick(keys, places);
    Value index = b.iota({extent}, 0), one = b.intScalar(1, i64), zero = b.intScalar(0, i64);
    Value before = pick(sorted, b.binary(BinaryKind::Max, b.binary(BinaryKind::Sub, index, one), zero));
    Value isFirst = b.unary(UnaryKind::Not, b.binary(BinaryKind::Equal, sorted, before));
    isFirst = b.binary(BinaryKind::Or, isFirst, b.binary(BinaryKind::Equal, index, zero));
    Value begins = placesOf(op, isFirst, "the number of different elements");
    const Expr count = b.shape(begins)[0];
    Value number = cumulated(b, ReduceKind::Sum, b.cast(isFirst, i64), 0, {false, false, /*isLong=*/true});
    number = pick(b.binary(BinaryKind::Sub, number, one), inverseOf(places));
    return {count, pick(places, begins), b.binary(BinaryKind::Sub, endsOf(begins), begins), number};
  }

  /// Where the next one begins, or the last one ends.
  Value endsOf(Value begins) {
    Value all = b.concat({begins, b.dims({extent}, {1}, i64)}, 0);
    return b.slice(all, {Expr(1)}, {1}, b.shape(begins));
  }

  /// Where each number stands in a permutation.
  Value inverseOf(Value places) { return scatter::lastMatch(op, places, 0, b.shape(places)[0]); }

  //===--- In the order in which they come ---===//

  Different inOrderOfPlaces(const Different &found) {
    Value order = orderedPositions(op, found.first, found.count, /*largest=*/false);
    return {found.count, pick(found.first, order), pick(found.counts, order), pick(inverseOf(order), found.number)};
  }

  Value pick(Value from, Value places) { return b.gather(from, places, 0, /*batchDims=*/0, /*isInRange=*/true); }

  //===--- Keys ---===//

  /// Integers in the order of the slices, equal ones of equal slices, which are ordered by the first element in which
  /// they differ: how many go before each.
  Value rankOf(Value rows) {
    const Expr width = b.shape(rows)[1];
    Value keys = keysOf(op, rows);
    if (width.isConstant(1))
      return b.squeeze(keys, {1});
    Value mine = b.unsqueeze(keys, {1}), other = b.unsqueeze(keys, {0}); // [n, n, width]
    Value places = b.iota({Expr(1), Expr(1), width}, 2);
    Value differs = b.select(b.binary(BinaryKind::Equal, mine, other), b.dims({width}, {}, i64), places);
    Value isFirst = b.binary(BinaryKind::Equal, places, b.reduce(ReduceKind::Min, differs, {2}));
    Value decides = b.binary(BinaryKind::And, b.binary(BinaryKind::Less, other, mine), isFirst);
    Value isLess = b.reduce(ReduceKind::Max, b.cast(decides, i64), {2});
    return b.squeeze(b.reduce(ReduceKind::Sum, isLess, {1}), {1, 2});
  }

  /// [n, elements of a slice]
  Value rowsOf(Value data, int64_t axis) {
    Ints perm = sequence(0, b.shape(data).size());
    perm.erase(perm.begin() + axis);
    perm.insert(perm.begin(), axis);
    const Exprs dims = b.shape(data);
    Expr width(1);
    for (int64_t i = 0; i < int64_t(dims.size()); ++i)
      if (i != axis)
        width *= dims[i];
    Value rows = b.reshape(b.transpose(data, perm), {extent, width});
    return b.element(rows).isInteger(1) ? b.cast(rows, IntegerType::get(b.context(), 8, IntegerType::Unsigned)) : rows;
  }

  OpBinder &op;
  GraphBuilder &b;
  const Type i64;
  Expr extent;
};

} // namespace

void importUnique(OpBinder &op) { Unique(op).run(); }

} // namespace cupola::onnx_import
