//===- lib/Import/Onnx/Ops/Unique.cpp - elements or slices without repetition ===//
// SPDX-License-Identifier: Apache-2.0
//
// Every element is compared with every other one: n^2 steps, of which nothing is stored. An element is in the result
// if it is the first of its equals; its place there is the number of such firsts that go before it.
// (https://onnx.ai/onnx/operators/onnx__Unique.html)
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/Sized.h"
#include "lib/Import/Onnx/StringTypes.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// [n, n] of bools: row i is about element i, column j about another one.
struct Pairs {
  Value equal, isLess; ///< isLess: j goes before i when sorted
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
    const Pairs pairs = compare(rowsOf(keys, axis));
    Value first = firstOf(pairs.equal);
    Value isFirst = b.binary(BinaryKind::Equal, first, b.iota({extent}, 0));
    Value goesBefore = isSorted ? pairs.isLess : b.binary(BinaryKind::Less, column(b.iota({extent}, 0)), row(first));
    Value place = countOf(b.binary(BinaryKind::And, column(isFirst), goesBefore));
    const Expr count = readCount(op, b.reshape(b.reduce(ReduceKind::Sum, b.cast(isFirst, i64), {0}), {}),
                                 "the number of different elements");
    Value isAt = b.binary(BinaryKind::Equal, column(place), row(b.iota({count}, 0))); // [count, n]
    Value chosen = firstOf(isAt);
    op.result(b.gather(data, chosen, axis));
    op.result(chosen, 1);
    op.result(place, 2);
    op.result(countOf(isAt), 3);
  }

private:
  Value row(Value vector) { return b.unsqueeze(vector, {1}); }
  Value column(Value vector) { return b.unsqueeze(vector, {0}); }
  /// Along the rows of [m, n] bools.
  Value countOf(Value flags) { return b.squeeze(b.reduce(ReduceKind::Sum, b.cast(flags, i64), {1}), {1}); }
  Value firstOf(Value flags) {
    Value places = b.select(flags, column(b.iota({extent}, 0)), b.dims({extent}, {}, i64));
    return b.squeeze(b.reduce(ReduceKind::Min, places, {1}), {1});
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

  /// NaNs are equal to each other and behind all numbers.
  Pairs compareElements(Value mine, Value other) {
    Pairs pairs{b.binary(BinaryKind::Equal, mine, other), b.binary(BinaryKind::Less, other, mine)};
    if (!isa<FloatType>(b.element(mine)))
      return pairs;
    Value isMineNaN = b.unary(UnaryKind::IsNaN, mine), isOtherNaN = b.unary(UnaryKind::IsNaN, other);
    Value isNumber = b.unary(UnaryKind::Not, isOtherNaN);
    pairs.equal = b.binary(BinaryKind::Or, pairs.equal, b.binary(BinaryKind::And, isMineNaN, isOtherNaN));
    pairs.isLess = b.binary(BinaryKind::Or, pairs.isLess, b.binary(BinaryKind::And, isMineNaN, isNumber));
    return pairs;
  }

  /// Slices are ordered by the first element in which they differ.
  Pairs compare(Value rows) {
    const Expr width = b.shape(rows)[1];
    if (width.isConstant(1)) {
      Value elements = b.squeeze(rows, {1});
      return compareElements(row(elements), column(elements));
    }
    const Pairs pairs = compareElements(b.unsqueeze(rows, {1}), b.unsqueeze(rows, {0})); // [n, n, width]
    Value places = b.iota({Expr(1), Expr(1), width}, 2), behind = b.dims({width}, {}, i64);
    Value differs = b.select(pairs.equal, behind, places);
    Value firstDifference = b.reduce(ReduceKind::Min, differs, {2}); // [n, n, 1]
    Value decides = b.binary(BinaryKind::And, pairs.isLess, b.binary(BinaryKind::Equal, places, firstDifference));
    Value less = b.reduce(ReduceKind::Max, b.cast(decides, i64), {2});
    return {b.squeeze(b.binary(BinaryKind::Equal, firstDifference, behind), {2}),
            b.squeeze(b.binary(BinaryKind::Less, b.intScalar(0, i64), less), {2})};
  }

  OpBinder &op;
  GraphBuilder &b;
  const Type i64;
  Expr extent;
};

} // namespace

void importUnique(OpBinder &op) { Unique(op).run(); }

} // namespace cupola::onnx_import
