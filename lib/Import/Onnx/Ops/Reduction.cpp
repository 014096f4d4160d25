//===- lib/Import/Onnx/Ops/Reduction.cpp - reductions over axes ------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/ValuePropagation.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// log(sum(exp(x))) with the row's largest value taken out, unless that is
/// infinite: exp(-inf - -inf) would be NaN.
Value logSumExp(GraphBuilder &b, Value x, ArrayRef<int64_t> axes) {
  Value largest = b.reduce(ReduceKind::Max, x, axes);
  Value infinite = b.unary(UnaryKind::IsInf, largest, 1, 1);
  Value shift = b.select(infinite, b.scalar(0, b.element(x)), largest);
  Value sum = b.reduce(ReduceKind::Sum, b.unary(UnaryKind::Exp, b.binary(BinaryKind::Sub, x, shift)), axes);
  return b.binary(BinaryKind::Add, b.unary(UnaryKind::Log, sum), shift);
}

/// max and min of bools (opset 20) as integers without numbers below 0: the largest of
/// none is false, the smallest true.
Value reduceBool(GraphBuilder &b, ReduceKind kind, Value x, ArrayRef<int64_t> axes) {
  Value numbers = b.cast(x, IntegerType::get(b.context(), 8, IntegerType::Unsigned));
  return b.cast(b.reduce(kind, numbers, axes), b.element(x));
}

Value extremum(GraphBuilder &b, ReduceKind kind, Value x, ArrayRef<int64_t> axes) {
  return b.element(x).isInteger(1) ? reduceBool(b, kind, x, axes) : b.reduce(kind, x, axes);
}

Value buildSteps(GraphBuilder &b, Reduction reduction, Value x, ArrayRef<int64_t> axes) {
  const auto square = [&] { return b.binary(BinaryKind::Mul, x, x); };
  switch (reduction) {
  case Reduction::Sum:
    return b.reduce(ReduceKind::Sum, x, axes);
  case Reduction::Mean:
    return b.reduce(ReduceKind::Mean, x, axes);
  case Reduction::Prod:
    return b.reduce(ReduceKind::Prod, x, axes);
  case Reduction::Max:
    return extremum(b, ReduceKind::Max, x, axes);
  case Reduction::Min:
    return extremum(b, ReduceKind::Min, x, axes);
  case Reduction::L1:
    return b.reduce(ReduceKind::Sum, b.unary(UnaryKind::Abs, x), axes);
  case Reduction::L2:
    return b.unary(UnaryKind::Sqrt, b.reduce(ReduceKind::Sum, square(), axes));
  case Reduction::LogSum:
    return b.unary(UnaryKind::Log, b.reduce(ReduceKind::Sum, x, axes));
  case Reduction::LogSumExp:
    return logSumExp(b, x, axes);
  case Reduction::SumSquare:
    return b.reduce(ReduceKind::Sum, square(), axes);
  }
  return x;
}

/// Whether what is between the elements and the result is none of their type: quotients,
/// roots and logarithms of integers, squares and exponentials of short floats.
bool isFormula(Reduction reduction, bool ofFloats) {
  switch (reduction) {
  case Reduction::Mean:
    return !ofFloats;
  case Reduction::SumSquare:
    return ofFloats;
  default:
    return reduction == Reduction::L2 || reduction == Reduction::LogSum || reduction == Reduction::LogSumExp;
  }
}

Value build(GraphBuilder &b, Reduction reduction, Value x, ArrayRef<int64_t> axes) {
  if (!isFormula(reduction, isa<FloatType>(b.element(x))))
    return buildSteps(b, reduction, x, axes);
  return roundedOnce(b, x, [&](Value wide) { return buildSteps(b, reduction, wide, axes); });
}

std::optional<ReduceKind> plainKind(Reduction reduction) {
  switch (reduction) {
  case Reduction::Sum:
    return ReduceKind::Sum;
  case Reduction::Prod:
    return ReduceKind::Prod;
  case Reduction::Max:
    return ReduceKind::Max;
  case Reduction::Min:
    return ReduceKind::Min;
  default:
    return std::nullopt;
  }
}

Exprs without(ArrayRef<Expr> shape, ArrayRef<int64_t> axes) {
  Exprs result;
  for (size_t i = 0; i < shape.size(); ++i)
    if (!llvm::is_contained(axes, int64_t(i)))
      result.push_back(shape[i]);
  return result;
}

/// `given`: the axes, or nothing for all of them.
void reduceOver(OpBinder &op, Reduction reduction, std::optional<Ints> given) {
  const bool extreme = reduction == Reduction::Max || reduction == Reduction::Min;
  if (!extreme)
    op.requireNumber(0, "data");
  const int64_t rank = op.rank(0, "data");
  Ints axes = given ? op.axes(*given, rank) : sequence(0, rank);
  const bool keep = op.intAttribute("keepdims", 1) != 0;
  if (const auto kind = plainKind(reduction))
    if (auto known = foldReduce(op, *kind, axes)) {
      const Exprs dims(known->dims.begin(), known->dims.end());
      auto shaped = keep ? known : reshapeKnown(*known, without(dims, axes));
      return op.result(std::move(*shaped), op.element(0, "data"));
    }
  Value result = build(op.b, reduction, op.value(0, "data"), axes);
  op.result(keep ? result : op.b.reshape(result, without(op.b.shape(result), axes)));
}

} // namespace

void importReduceAttribute(OpBinder &op, Reduction reduction) { reduceOver(op, reduction, op.intsAttribute("axes")); }

void importReduceInput(OpBinder &op, Reduction reduction) {
  const bool noop = op.intAttribute("noop_with_empty_axes", 0) != 0;
  const Ints axes = op.has(1) ? op.constantInts(1, "axes") : Ints();
  if (!axes.empty() || noop) // with noop, an empty list is a list
    return reduceOver(op, reduction, axes);
  reduceOver(op, reduction, std::nullopt);
}

void importArgReduce(OpBinder &op, ReduceKind kind) {
  op.requireNumber(0, "data");
  const int64_t rank = op.rank(0, "data");
  const int64_t axis = op.axis(op.intAttribute("axis", 0), rank);
  const bool last = op.intAttribute("select_last_index", 0) != 0;
  Value result = op.b.argReduce(kind, op.value(0, "data"), axis, last);
  if (op.intAttribute("keepdims", 1) == 0)
    result = op.b.squeeze(result, {axis});
  op.result(result);
}

/// Sum or product over j of x[j] where j <= i (or <, >=, >): a reduction of n^2 steps per row,
/// of which nothing is stored. Meant for the positions that encoders count.
void importCumulative(OpBinder &op, ReduceKind kind) {
  op.requireNumber(0, "x");
  Value value = op.value(0, "x");
  Exprs shape = op.b.shape(value);
  const int64_t axis = op.axis(op.constantInt(1, "axis"), static_cast<int64_t>(shape.size()));
  const bool exclusive = op.intAttribute("exclusive", 0) != 0;
  const bool reverse = op.intAttribute("reverse", 0) != 0;
  const BinaryKind order = reverse ? (exclusive ? BinaryKind::Greater : BinaryKind::GreaterEqual)
                                   : (exclusive ? BinaryKind::Less : BinaryKind::LessEqual);
  Exprs grid(shape.size() + 1, Expr(1));
  grid[static_cast<size_t>(axis)] = grid[static_cast<size_t>(axis + 1)] = shape[static_cast<size_t>(axis)];
  Value taken = op.b.binary(order, op.b.iota(grid, axis + 1), op.b.iota(grid, axis));
  Value terms =
      op.b.select(taken, op.b.unsqueeze(value, {axis}), op.b.scalar(kind == ReduceKind::Prod, op.b.element(value)));
  op.result(op.b.reshape(op.b.reduce(kind, terms, {axis + 1}), shape));
}

void importGlobalPool(OpBinder &op, ReduceKind kind) {
  op.requireFloat(0, "X");
  op.result(op.b.reduce(kind, op.value(0, "X"), sequence(2, op.rank(0, "X", 2))));
}

} // namespace cupola::onnx_import
