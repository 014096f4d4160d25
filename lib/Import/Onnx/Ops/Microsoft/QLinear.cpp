//===- lib/Import/Onnx/Ops/Microsoft/QLinear.cpp - functions of quantised tensors ===//
// SPDX-License-Identifier: Apache-2.0
//
// The integers become the numbers that they stand for, and the result integers again.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"
#include "lib/Import/Onnx/Ops/Normalization.h"
#include "lib/Import/Onnx/Ops/Pool.h"
#include "lib/Import/Onnx/Ops/Quantize.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {

using namespace quantize;

namespace {

/// A scale and, behind it, a zero point, which may be missing.
struct Step {
  Value scale, zero;
};

Step stepAt(OpBinder &op, size_t index, const std::string &name) {
  op.requireFloat(index, name + "_scale");
  if (op.has(index + 1))
    requireByte(op, index + 1, name + "_zero_point");
  Value scale = number(op, index, name + "_scale");
  return {scale, zeroPoint(op, index + 1, [&] { return number(op, index + 1, name + "_zero_point"); })};
}

/// A tensor with its step behind it.
Value numbersAt(OpBinder &op, size_t index, const std::string &name) {
  requireByte(op, index, name);
  const Step step = stepAt(op, index + 1, name);
  return numbersOf(op, op.value(index, name), step.scale, step.zero);
}

/// The node's result, whose step is operand `index` and the next.
void quantisedResult(OpBinder &op, Value numbers, size_t index, const std::string &name, Type integer) {
  const Step step = stepAt(op, index, name);
  op.result(integersOf(op, numbers, step.scale, step.zero, integer));
}

void binary(OpBinder &op, BinaryKind kind) {
  op.requireInputs(7, 8);
  Value a = numbersAt(op, 0, "A");
  quantisedResult(op, op.b.binary(kind, a, numbersAt(op, 3, "B")), 6, "C", op.element(0, "A"));
}

void unary(OpBinder &op, function_ref<Value(Value)> function) {
  op.requireInputs(4, 5);
  quantisedResult(op, function(numbersAt(op, 0, "X")), 3, "Y", op.element(0, "X"));
}

/// What `pool` makes of [N, C, spatial..], also where the channels are last.
void pooled(OpBinder &op, function_ref<Value(Value)> pool) {
  const int64_t rank = op.rank(0, "X", 3);
  const bool last = op.intAttribute("channels_last", 0) != 0;
  Ints first = {0, rank - 1}, back = {0};
  llvm::append_range(first, sequence(1, rank - 1));
  llvm::append_range(back, sequence(2, rank));
  back.push_back(1);
  unary(op, [&](Value value) { return last ? op.b.transpose(pool(op.b.transpose(value, first)), back) : pool(value); });
}

} // namespace

void importQLinearAdd(OpBinder &op) { binary(op, BinaryKind::Add); }
void importQLinearMul(OpBinder &op) { binary(op, BinaryKind::Mul); }

void importQLinearSigmoid(OpBinder &op) {
  unary(op, [&](Value value) { return op.b.unary(UnaryKind::Sigmoid, value); });
}

void importQLinearLeakyRelu(OpBinder &op) {
  const double alpha = op.floatAttribute("alpha", 0.01f);
  unary(op, [&](Value value) { return op.b.unary(UnaryKind::LeakyRelu, value, alpha); });
}

/// `opset`: that of the Softmax that it was.
void importQLinearSoftmax(OpBinder &op) {
  const int64_t axis = op.axis(op.intAttribute("axis", -1), op.rank(0, "X", 1));
  const bool flattened = op.requiredInt("opset") < 13;
  unary(op, [&](Value value) {
    return flattened ? softmaxFlattened(op, value, axis, /*log=*/false) : op.b.softmax(value, axis, /*log=*/false);
  });
}

/// The result's step comes first, then every tensor with its own.
void importQLinearConcat(OpBinder &op) {
  op.requireInputs(5, std::numeric_limits<int>::max());
  if (op.inputCount() % 3 != 2)
    op.bad("the node has " + std::to_string(op.inputCount()) +
           " inputs, expected a scale and a zero point, and three for each tensor");
  requireByte(op, 1, "Y_zero_point");
  const int64_t axis = op.axis(op.requiredInt("axis"), op.rank(2, "X", 1));
  std::vector<Value> parts;
  for (size_t i = 2; i < op.inputCount(); i += 3)
    parts.push_back(numbersAt(op, i, "X"));
  quantisedResult(op, op.b.concat(parts, axis), 0, "Y", op.element(1, "Y_zero_point"));
}

void importQLinearAveragePool(OpBinder &op) {
  pooled(op, [&](Value value) { return averagePool(op, value); });
}

void importQLinearGlobalAveragePool(OpBinder &op) {
  const int64_t rank = op.rank(0, "X", 3);
  pooled(op, [&](Value value) { return op.b.reduce(ReduceKind::Mean, value, sequence(2, rank)); });
}

void importQLinearWhere(OpBinder &op) {
  op.requireInputs(9, 9);
  op.requireBool(0, "condition");
  Value x = numbersAt(op, 1, "X"), y = numbersAt(op, 4, "Y");
  quantisedResult(op, op.b.select(op.value(0, "condition"), x, y), 7, "Z", op.element(1, "X"));
}

void importQLinearReduceMean(OpBinder &op) {
  const Ints axes = op.axes(op.requiredInts("axes"), op.rank(0, "data", 1));
  const bool keeps = op.intAttribute("keepdims", 1) != 0;
  unary(op, [&](Value value) {
    value = op.b.reduce(ReduceKind::Mean, value, axes);
    return keeps ? value : op.b.squeeze(value, axes);
  });
}

/// ONNX's own of later opsets, whose types and axes these took first.
void importQuantizeLinear(OpBinder &op) {
  op.requireInputs(2, 3);
  onnx_import::importQuantizeLinear(op);
}

void importDequantizeLinear(OpBinder &op) {
  op.requireInputs(2, 3);
  onnx_import::importDequantizeLinear(op);
}

} // namespace cupola::onnx_import::microsoft
