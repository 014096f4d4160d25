//===- lib/Import/Onnx/Ops/Reduction.cpp - reductions over axes ------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ops.h"

#include "dialects/Graph/ElementTypes.h"
#include "lib/Import/Onnx/Choice.h"
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Cumulative.h"
#include "lib/Import/Onnx/OpenAxes.h"
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

/// Bools have an order alone.
void checkElements(const OpBinder &op, Reduction reduction) {
  if (reduction != Reduction::Max && reduction != Reduction::Min)
    op.requireNumber(0, "data");
}

/// `given`: the axes, or nothing for all of them.
void reduceOver(OpBinder &op, Reduction reduction, std::optional<Ints> given) {
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

/// Every dimension becomes two: what is kept of it and what is reduced, of which one is 1.
void reduceOverOpen(OpBinder &op, Reduction reduction, ArrayRef<Expr> axes) {
  const Exprs shape = op.shape(0, "data");
  const OpenAxes open(op, axes, static_cast<int64_t>(shape.size()));
  Exprs apart, kept;
  Ints reduced;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    const std::string what = " of dimension " + std::to_string(i);
    kept.push_back(op.b.extent(choose(open.has(i), Expr(1), extent), "what is kept" + what));
    apart.push_back(kept.back());
    if (extent.isConstant(1))
      continue;
    reduced.push_back(static_cast<int64_t>(apart.size()));
    apart.push_back(op.b.extent(choose(open.has(i), extent, Expr(1)), "what is reduced" + what));
  }
  Value result = build(op.b, reduction, op.b.reshape(op.value(0, "data"), apart), reduced);
  op.result(op.b.reshape(result, op.intAttribute("keepdims", 1) != 0 ? kept : open.without(shape)));
}

} // namespace

void importReduceAttribute(OpBinder &op, Reduction reduction) {
  checkElements(op, reduction);
  reduceOver(op, reduction, op.intsAttribute("axes"));
}

void importReduceInput(OpBinder &op, Reduction reduction) {
  checkElements(op, reduction);
  const bool noop = op.intAttribute("noop_with_empty_axes", 0) != 0;
  const Exprs axes = op.has(1) ? op.symbolicInts(1, "axes") : Exprs();
  const auto known = constantDims(axes);
  if (!known)
    return reduceOverOpen(op, reduction, axes);
  if (!axes.empty() || noop) // with noop, an empty list is a list
    return reduceOver(op, reduction, Ints(known->begin(), known->end()));
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

/// One element after the other by the host, whose steps a kernel has for each of them.
static Value cumulatedAlong(OpBinder &op, ReduceKind kind, Value value, int64_t axis, CumulativeOrder order) {
  const Type type = op.b.element(value);
  const auto byOps = [&] { return cumulated(op.b, kind, value, axis, order); };
  if (!(type.isF32() || type.isF64() || type.isIntOrIndex()))
    return byOps();
  const Exprs shape = op.b.shape(value);
  const ArrayRef<Expr> all(shape);
  Value extents = op.b.dims(
      {graph::product(all.take_front(axis)), shape[axis], graph::product(all.drop_front(axis + 1))}, {3}, op.b.int64());
  return op.b.hostOr("cumulate",
                     {format::dtypeName(graph::dtypeOf(type)), kind == ReduceKind::Prod ? "mul" : "add",
                      order.exclusive ? "exclusive" : "inclusive", order.reverse ? "reverse" : "forward"},
                     {value, extents}, shape, type, min(graph::product(all) * shape[axis], Expr(int64_t(1) << 30)),
                     byOps);
}

void importCumulative(OpBinder &op, ReduceKind kind) {
  op.requireNumber(0, "x");
  Value value = op.value(0, "x");
  const Exprs shape = op.b.shape(value);
  const Expr open = op.symbolicInt(1, "axis");
  // Around an axis that is open there are three dimensions.
  if (!open.constant())
    value = op.b.reshape(value, aroundAxis(op, shape, open));
  const int64_t axis = open.constant() ? op.axis(*open.constant(), static_cast<int64_t>(shape.size())) : 1;
  const bool exclusive = op.intAttribute("exclusive", 0) != 0, reverse = op.intAttribute("reverse", 0) != 0;
  op.result(op.b.reshape(cumulatedAlong(op, kind, value, axis, {exclusive, reverse}), shape));
}

void importGlobalPool(OpBinder &op, ReduceKind kind) {
  op.requireFloat(0, "X");
  op.result(op.b.reduce(kind, op.value(0, "X"), sequence(2, op.rank(0, "X", 2))));
}

} // namespace cupola::onnx_import
