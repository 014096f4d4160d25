//===- lib/Import/Onnx/Ops/Det.cpp - determinants --------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Gaussian elimination with the largest number of a column as its pivot, as LAPACK's getrf does it: a handful of ops
// per column, each of them over all matrices of the batch.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Ops.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// Beyond it a model would be mostly this op: a step per column, each of several kernels.
constexpr int64_t mostRows = 32;

/// [batch, rows.., columns..] of [batch, n, n], from `row` and `column` on.
Value part(GraphBuilder &b, Value matrix, int64_t row, int64_t column, int64_t rows, int64_t columns) {
  return b.slice(matrix, {Expr(0), Expr(row), Expr(column)}, {1, 1, 1},
                 {b.shape(matrix)[0], Expr(rows), Expr(columns)});
}

/// Takes the first column and the row of its pivot out of `matrix`, [batch, n, n]. Returns what the determinant has
/// of them: the pivot, with the sign of the exchange of rows that brings it up, [batch, 1, 1].
Value eliminateColumn(GraphBuilder &b, Value &matrix, int64_t n) {
  const Type type = b.element(matrix);
  Value zero = b.scalar(0, type), first = b.intScalar(0, b.int64());
  Value column = part(b, matrix, 0, 0, n, 1);
  Value at = b.argReduce(graph::ReduceKind::Max, b.unary(UnaryKind::Abs, column), 1, /*last=*/false);
  Value row = b.gather(matrix, b.squeeze(at, {2}), 1, /*batchDims=*/1);
  Value isPivot = b.binary(BinaryKind::Equal, b.iota({Expr(1), Expr(n), Expr(1)}, 1), at);
  Value exchanged = b.select(isPivot, part(b, matrix, 0, 0, 1, n), matrix);
  Value pivot = part(b, row, 0, 0, 1, 1);
  // A column of zeros: the determinant is 0, and no quotient must make it NaN.
  Value isZero = b.binary(BinaryKind::Equal, pivot, zero);
  Value factor = b.binary(BinaryKind::Div, part(b, exchanged, 1, 0, n - 1, 1), pivot);
  factor = b.select(isZero, zero, factor);
  matrix = b.binary(BinaryKind::Sub, part(b, exchanged, 1, 1, n - 1, n - 1),
                    b.binary(BinaryKind::Mul, factor, part(b, row, 0, 1, 1, n - 1)));
  return b.select(b.binary(BinaryKind::Equal, at, first), pivot, b.unary(UnaryKind::Neg, pivot));
}

} // namespace

void importDet(OpBinder &op) {
  op.requireFloat(0, "X");
  op.rank(0, "X", /*least=*/2);
  const Exprs shape = op.shape(0, "X");
  const Expr side = op.b.sameExtent(shape[shape.size() - 2], shape.back(), "the last two extents of X");
  if (!side.constant())
    op.undecided({side}, "the matrices have " + side.text() + " rows, supported are constants");
  const int64_t n = *side.constant();
  if (n > mostRows)
    op.unsupported("the matrices have " + std::to_string(n) + " rows, supported are at most " +
                   std::to_string(mostRows));
  const Exprs batch(shape.begin(), shape.end() - 2);
  if (n == 0) // of no factors
    return op.result(op.b.broadcast(op.b.scalar(1, op.element(0, "X")), batch));
  op.result(roundedOnce(op.b, op.value(0, "X"), [&](Value matrix) {
    matrix = op.b.reshape(matrix, {graph::product(batch), side, side});
    Value determinant;
    for (int64_t rows = n; rows > 1; --rows) {
      Value factor = eliminateColumn(op.b, matrix, rows);
      determinant = determinant ? op.b.binary(BinaryKind::Mul, determinant, factor) : factor;
    }
    determinant = determinant ? op.b.binary(BinaryKind::Mul, determinant, matrix) : matrix;
    return op.b.reshape(determinant, batch);
  }));
}

} // namespace cupola::onnx_import
