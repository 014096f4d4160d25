//===- lib/Import/Onnx/Ops/ByteWeights.cpp - weights of a quantised recurrence ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/ByteWeights.h"

#include "lib/Import/Onnx/Bodies.h"
#include "lib/Import/Onnx/Ops/Quantize.h"

using namespace mlir;

namespace cupola::onnx_import {

using namespace quantize;

ByteWeights::ByteWeights(OpBinder &op, int64_t directions, const Expr &width, const Expr &hidden, const Expr &columns)
    : op(op), directions(directions), columns(columns), inputs(read(1, "W", width, 8)),
      states(read(2, "R", hidden, 10)) {
  if (const Type type = op.element(0, "X"); !type.isF32())
    op.bad("input 0 (X) has elements of " + typeText(type) + ", expected float32");
}

ByteWeights::Factor ByteWeights::read(size_t index, StringRef name, const Expr &rows, size_t scale) const {
  const std::string scaleName = name.str() + "_scale", zeroName = name.str() + "_zero_point";
  requireByte(op, index, name);
  op.b.sameShape(op.shape(index, name), {Expr(directions), rows, columns},
                 "extents of " + operandText(index, name) + " and those that the node asks for");
  if (const Type type = op.element(scale, scaleName); !type.isF32())
    op.bad(operandText(scale, scaleName) + " has elements of " + typeText(type) + ", expected float32");
  requireByte(op, scale + 1, zeroName);
  const Value zero = zeroPoint(op, scale + 1, [&] { return perColumn(scale + 1, zeroName); });
  const Value integers = centred(op, op.value(index, name), zero, factorType(op));
  return {op.ofValue(integers), op.ofValue(perColumn(scale, scaleName))};
}

/// [directions] or [directions, columns]
Value ByteWeights::perColumn(size_t index, const std::string &name) const {
  const Exprs own = op.shape(index, name);
  if (own.size() != 1 && own.size() != 2)
    op.bad(operandText(index, name) + " has the shape " + shapeText(own) +
           ", expected one number for each direction, " + "or for each column of each direction");
  Exprs expected{Expr(directions), columns};
  expected.resize(own.size());
  op.b.sameShape(own, expected, "extents of " + operandText(index, name) + " and those that the node asks for");
  return op.b.reshape(op.value(index, name), {Expr(directions), Expr(1), own.size() == 2 ? columns : Expr(1)});
}

Value ByteWeights::times(Value integers, Value scale, const Factor &factor) const {
  const auto here = [&](Tensor tensor) { return op.materialize(op.bodies().scopes.here(tensor)); };
  const Value sums = op.b.matmul(integers, here(factor.integers));
  const Value both = op.b.binary(BinaryKind::Mul, scale, here(factor.scale));
  return op.b.binary(BinaryKind::Mul, op.b.cast(sums, op.b.element(both)), both);
}

Value ByteWeights::ofInputs(Value x) const {
  const Quantised quantised = dynamically(op, x);
  const Value integers = centred(op, quantised.integers, quantised.zero, factorType(op));
  return op.b.transpose(times(op.b.unsqueeze(integers, {0}), quantised.scale, inputs), {1, 0, 2});
}

Value ByteWeights::ofState(Value state) const {
  const Quantised quantised = dynamically(op, state, /*apart=*/1);
  const Value integers = centred(op, quantised.integers, quantised.zero, factorType(op));
  return times(integers, quantised.scale, states);
}

} // namespace cupola::onnx_import
