//===- lib/Import/Onnx/Ops/Constant.cpp - constants, ranges, pass-through --===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Choice.h"
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/NarrowTypes.h"
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/Sized.h"
#include "lib/Import/Onnx/StringTypes.h"
#include "lib/Import/Onnx/ValuePropagation.h"

#include <cmath>

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// The number of elements of Range. Of floats it is counted with exact fractions.
Expr rangeCount(OpBinder &op, const Scalar &start, const Scalar &limit, const Scalar &delta) {
  if (delta.num.isConstant(0))
    op.bad("delta is 0, expected another number");
  if (!delta.num.constant())
    op.b.atMost(Expr(1), max(delta.num, -delta.num), "1 and the size of delta");
  const Expr distance = (limit.num * start.den - start.num * limit.den) * delta.den;
  return op.b.extent(simplify(stepsTo(distance, limit.den * start.den * delta.num), op.b.ranges()),
                     "the number of elements");
}

constexpr StringRef rangeOperands[] = {"start", "limit", "delta"};

/// The number of elements where floats of data decide it: counted by the model, and read.
Expr readRangeCount(OpBinder &op) {
  const Type f64 = Float64Type::get(op.b.context());
  const auto scalar = [&](size_t i) { return op.b.cast(op.b.reshape(op.scalar(i, rangeOperands[i]), {}), f64); };
  Value count = op.b.binary(BinaryKind::Div, op.b.binary(BinaryKind::Sub, scalar(1), scalar(0)), scalar(2));
  count = op.b.cast(op.b.unary(UnaryKind::Ceil, count), op.b.int64());
  count = op.b.binary(BinaryKind::Max, count, op.b.intScalar(0, op.b.int64()));
  return readCount(op, count, "the number of elements");
}

Expr floatRangeCount(OpBinder &op) {
  std::optional<Scalar> fractions[3];
  if (!(op.known(0) && op.known(1) && op.known(2)) && op.readsData())
    return readRangeCount(op);
  for (size_t i = 0; i < 3; ++i) {
    if (!op.known(i))
      op.constantNumber(i, rangeOperands[i]); // which says so
    if (op.known(i)->isScalarLike())
      fractions[i] = asFraction(op.known(i)->elements[0]);
  }
  if (llvm::all_of(fractions, [](const auto &fraction) { return fraction.has_value(); })) {
    const Expr count = rangeCount(op, *fractions[0], *fractions[1], *fractions[2]);
    if (!count.overflowed())
      return count;
  }
  double values[3];
  for (size_t i = 0; i < 3; ++i)
    values[i] = op.constantNumber(i, rangeOperands[i]);
  const double count = std::ceil((values[1] - values[0]) / values[2]);
  if (!(std::abs(count) < 1e15))
    op.bad("the range has " + std::to_string(count) + " elements, expected fewer than 10^15");
  return Expr(std::max(int64_t(0), static_cast<int64_t>(count)));
}

Expr intRangeCount(OpBinder &op) {
  return rangeCount(op, Scalar::integer(op.symbolicInt(0, "start")), Scalar::integer(op.symbolicInt(1, "limit")),
                    Scalar::integer(op.symbolicInt(2, "delta")));
}

std::optional<Known> knownRange(OpBinder &op, const Expr &count) {
  const auto length = count.constant();
  if (!length || *length > Known::maxElements)
    return std::nullopt;
  const Expr start = op.symbolicInt(0, "start"), delta = op.symbolicInt(2, "delta");
  Known known{{*length}, {}};
  for (int64_t i = 0; i < *length; ++i)
    known.elements.push_back(Scalar::integer(start + Expr(i) * delta));
  return known;
}

/// A constant tensor of one repeated element.
void filled(OpBinder &op, Tensor element, ArrayRef<Expr> shape) {
  if (element->known)
    if (auto known = broadcastKnown(*element->known, shape))
      return op.result(std::move(*known), element->element);
  Value value = op.b.constant(element->constant);
  op.result(op.b.broadcast(op.b.reshape(value, Exprs(shape.size(), Expr(1))), shape), element->element);
  if (element->known && element->known->allConstant())
    op.results()[0]->allNonZero = element->known->elements[0].asDouble() != 0;
}

Tensor stringConstant(OpBinder &op, ArrayRef<std::string> texts, ArrayRef<int64_t> shape) {
  const auto numbers = llvm::map_to_vector(texts, [&](const std::string &text) { return op.b.strings().of(text); });
  const auto type = RankedTensorType::get(shape, op.b.int64());
  return asStrings(op, op.b.constant(DenseElementsAttr::get(type, ArrayRef<int64_t>(numbers))));
}

} // namespace

void importConstant(OpBinder &op) {
  const Type f32 = Float32Type::get(op.b.context()), i64 = IntegerType::get(op.b.context(), 64);
  if (Tensor value = op.tensorAttribute("value"))
    return op.result(value);
  if (op.hasAttribute("value_float"))
    return op.result(Known{{}, {Scalar::constant(op.floatAttribute("value_float", 0))}}, f32);
  if (op.hasAttribute("value_int"))
    return op.result(Known{{}, {Scalar::integer(op.intAttribute("value_int", 0))}}, i64);
  if (const auto values = op.intsAttribute("value_ints")) {
    Known known{{int64_t(values->size())}, {}};
    for (int64_t value : *values)
      known.elements.push_back(Scalar::integer(value));
    return op.result(std::move(known), i64);
  }
  if (const auto values = op.floatsAttribute("value_floats")) {
    Known known{{int64_t(values->size())}, {}};
    for (double value : *values)
      known.elements.push_back(Scalar::constant(value));
    return op.result(std::move(known), f32);
  }
  if (op.hasAttribute("value_string"))
    return op.result(stringConstant(op, {op.stringAttribute("value_string", "")}, {}));
  if (const auto values = op.stringsAttribute("value_strings"))
    return op.result(stringConstant(op, *values, {int64_t(values->size())}));
  op.unsupported("the node has no value of a dense tensor, supported are value, value_float, value_floats, value_int, "
                 "value_ints, value_string and value_strings");
}

void importConstantOfShape(OpBinder &op) {
  Exprs dims = op.symbolicInts(0, "input");
  for (Expr &extent : dims) {
    if (extent.constant() && *extent.constant() < 0)
      op.bad("input 0 (input) has the extent " + extent.text() + ", expected none below 0");
    extent = op.b.extent(extent, "an extent");
  }
  if (Tensor value = op.tensorAttribute("value")) {
    if (!graph::product(value->dims).isConstant(1))
      op.bad("attribute 'value' has the shape " + shapeText(value->dims) + ", expected one element");
    if (isString(value->element))
      op.unsupported("attribute 'value' has elements of string, which is not supported");
    op.b.type(dims, heldIn(value->element)); // a look at its size before anything is made
    return filled(op, value, dims);
  }
  const Type f32 = Float32Type::get(op.b.context());
  op.b.type(dims, f32);
  if (auto known = broadcastKnown(Known{{}, {Scalar::constant(0)}}, dims))
    return op.result(std::move(*known), f32);
  op.result(op.b.broadcast(op.b.scalar(0, f32, dims.size()), dims));
}

void importRange(OpBinder &op) {
  op.requireNumber(0, "start");
  const Type type = op.element(0, "start");
  const bool isFloat = isa<FloatType>(type);
  const Expr count = isFloat ? floatRangeCount(op) : intRangeCount(op);
  if (!isFloat)
    if (auto known = knownRange(op, count))
      return op.result(std::move(*known), type);
  op.b.type({count}, type);
  const Type wide = isFloat ? formulaType({type}) : type;
  Value steps = op.b.cast(op.b.iota({count}, 0), wide);
  const auto scalar = [&](size_t index, StringRef name) {
    return op.b.cast(op.b.reshape(op.value(index, name), {}), wide);
  };
  const bool unit = !isFloat && op.symbolicInt(2, "delta").isConstant(1);
  if (!unit)
    steps = op.b.binary(BinaryKind::Mul, steps, scalar(2, "delta"));
  const bool fromZero = !isFloat && op.symbolicInt(0, "start").isConstant(0);
  op.result(op.b.cast(fromZero ? steps : op.b.binary(BinaryKind::Add, steps, scalar(0, "start")), type));
}

void importIdentity(OpBinder &op) { op.result(op.operand(0, "input")); }

void importDropout(OpBinder &op) {
  if (op.has(2) && op.constantNumber(2, "training_mode") != 0) {
    const Type type = op.element(0, "data");
    return dropAtRandom(op, op.has(1) ? op.scalar(1, "ratio") : op.b.scalar(0.5, type));
  }
  op.ignoreAttribute("ratio"); // of training
  op.ignoreAttribute("seed");
  op.result(op.tensor(0, "data"));
  if (!op.wants(1))
    return;
  const Type boolean = IntegerType::get(op.b.context(), 1);
  const Exprs shape = op.shape(0, "data");
  op.result(op.b.broadcast(op.b.intScalar(1, boolean, shape.size()), shape), 1);
}

/// A depth that is a float counts as the integer it is cast to.
static Expr depthOf(OpBinder &op) {
  const Type type = op.element(1, "depth"), i64 = IntegerType::get(op.b.context(), 64);
  const Known *known = op.known(1);
  if (isa<FloatType>(type) && known && known->isScalarLike())
    if (const auto whole = computeCast(known->elements[0], type, i64, op.b.ranges()))
      return whole->num;
  return op.symbolicInt(1, "depth");
}

void importOneHot(OpBinder &op) {
  op.requireNumber(0, "indices");
  op.requireNumber(1, "depth");
  const Expr depth = op.b.extent(depthOf(op), "depth");
  Value indices = op.value(0, "indices"), values = op.value(2, "values");
  const Exprs shape = op.b.shape(indices);
  const int64_t rank = static_cast<int64_t>(shape.size());
  const int64_t axis = op.axis(op.intAttribute("axis", -1), rank + 1);
  op.b.sameShape(op.b.shape(values), {Expr(2)}, "the shape of values and that of two elements");
  const auto pick = [&](int64_t position) {
    return op.b.reshape(op.b.slice(values, {Expr(position)}, {1}, {Expr(1)}), {});
  };
  // Negative indices count from depth; those out of range match nothing.
  const Type i64 = IntegerType::get(op.b.context(), 64);
  Value index = op.b.cast(indices, i64);
  Value wrapped = op.b.binary(BinaryKind::Add, index, op.b.dims({depth}, {}, i64));
  Value negative = op.b.binary(BinaryKind::Less, index, op.b.intScalar(0, i64));
  index = op.b.unsqueeze(op.b.select(negative, wrapped, index), {axis});
  Exprs grid(static_cast<size_t>(rank + 1), Expr(1));
  grid[static_cast<size_t>(axis)] = depth;
  Value hit = op.b.binary(BinaryKind::Equal, index, op.b.iota(grid, axis));
  op.result(op.b.select(hit, pick(1), pick(0)));
}

void importEyeLike(OpBinder &op) {
  const Exprs shape = op.shape(0, "input");
  if (shape.size() != 2)
    op.bad("the input has the shape " + shapeText(shape) + ", expected rank 2");
  Type type = op.element(0, "input");
  if (op.hasAttribute("dtype"))
    type = elementTypeOf(static_cast<int32_t>(op.intAttribute("dtype", 0)), op.b.context());
  if (!type)
    op.unsupported("attribute 'dtype' is " + elementTypeName(static_cast<int32_t>(op.intAttribute("dtype", 0))) +
                   ", which is not supported");
  const Type i64 = IntegerType::get(op.b.context(), 64);
  Value difference = op.b.binary(BinaryKind::Sub, op.b.iota(shape, 1), op.b.iota(shape, 0));
  Value diagonal = op.b.intScalar(op.intAttribute("k", 0), i64);
  op.result(op.b.cast(op.b.binary(BinaryKind::Equal, difference, diagonal), type));
}

} // namespace cupola::onnx_import
