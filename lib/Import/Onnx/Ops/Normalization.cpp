//===- lib/Import/Onnx/Ops/Normalization.cpp - softmax and normalisations --===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Normalization.h"

#include "lib/Import/Onnx/ComputeType.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

void softmax(OpBinder &op, bool log) {
  op.requireFloat(0, "input");
  const int64_t axis = op.axis(op.intAttribute("axis", -1), op.rank(0, "X", 1));
  op.result(op.b.softmax(op.value(0, "input"), axis, log));
}

void noFurtherResults(OpBinder &op, size_t first) {
  for (size_t i = first; i < op.outputCount(); ++i)
    if (op.wants(i))
      op.unsupported("output " + std::to_string(i) + " is used, supported is the first result");
}

/// A [C] operand as [1, C, 1, 1...] for values of shape [N, C, D1, D2...].
Value perChannel(OpBinder &op, size_t index, StringRef name, int64_t rank, const Expr &channels) {
  Value value = op.value(index, name);
  const Exprs shape = op.b.shape(value);
  if (shape.size() != 1)
    op.bad("input " + std::to_string(index) + " (" + name.str() + ") has the shape " + shapeText(shape) +
           ", expected rank 1");
  op.b.sameExtent(shape[0], channels, name.str() + " and the channels of the input");
  Exprs dims(static_cast<size_t>(rank), Expr(1));
  dims[1] = shape[0];
  return op.b.reshape(value, dims);
}

/// Normalises [N, C, rest..] over groups of channels, as [N, G, C / G, rest..].
Value normalizeGroups(OpBinder &op, Value value, const Expr &groups, double epsilon) {
  const Exprs shape = op.b.shape(value);
  Exprs apart = {shape[0], groups, simplify(floorDiv(shape[1], groups), op.b.ranges())};
  apart.append(shape.begin() + 2, shape.end());
  return op.b.reshape(op.b.layerNorm(op.b.reshape(value, apart), 2, epsilon, /*rms=*/false), shape);
}

} // namespace

Value softmaxFlattened(OpBinder &op, Value value, int64_t axis, bool log) {
  const Exprs shape = op.b.shape(value);
  if (axis + 1 == static_cast<int64_t>(shape.size()))
    return op.b.softmax(value, axis, log);
  Exprs rows(ArrayRef<Expr>(shape).take_front(axis));
  rows.push_back(graph::product(ArrayRef<Expr>(shape).drop_front(axis)));
  Value flat = op.b.softmax(op.b.reshape(value, rows), axis, log);
  return op.b.reshape(flat, shape);
}

Value scaleAndShift(OpBinder &op, Value value, Value scale, Value bias) {
  const size_t rank = op.b.shape(value).size();
  for (Value operand : {scale, bias})
    if (operand && op.b.shape(operand).size() > rank)
      op.bad("scale or bias has the shape " + shapeText(op.b.shape(operand)) + ", expected one that broadcasts to " +
             shapeText(op.b.shape(value)));
  value = op.b.binary(BinaryKind::Mul, value, scale);
  return bias ? op.b.binary(BinaryKind::Add, value, bias) : value;
}

/// Before opset 13 all dimensions from `axis` on are one row.
static void oldSoftmax(OpBinder &op, bool log) {
  op.requireFloat(0, "input");
  const int64_t axis = op.axis(op.intAttribute("axis", 1), op.rank(0, "X", 1));
  op.result(softmaxFlattened(op, op.value(0, "input"), axis, log));
}

void importSoftmax(OpBinder &op) { softmax(op, false); }
void importLogSoftmax(OpBinder &op) { softmax(op, true); }
void importSoftmaxFlattened(OpBinder &op) { oldSoftmax(op, false); }
void importLogSoftmaxFlattened(OpBinder &op) { oldSoftmax(op, true); }

void importLayerNormalization(OpBinder &op) {
  op.requireFloat(0, "X");
  op.ignoreAttribute("stash_type"); // reductions accumulate in float32 at least anyway
  noFurtherResults(op, 1);
  const int64_t axis = op.axis(op.intAttribute("axis", -1), op.rank(0, "X", 1));
  Value value = op.b.layerNorm(op.value(0, "X"), axis, op.floatAttribute("epsilon", 1e-5f),
                               /*rms=*/false);
  op.result(scaleAndShift(op, value, op.value(1, "Scale"), op.has(2) ? op.value(2, "B") : Value()));
}

void importRMSNormalization(OpBinder &op) {
  op.requireFloat(0, "X");
  op.ignoreAttribute("stash_type");
  const int64_t axis = op.axis(op.intAttribute("axis", -1), op.rank(0, "X", 1));
  Value value = op.b.layerNorm(op.value(0, "X"), axis, op.floatAttribute("epsilon", 1e-5f),
                               /*rms=*/true);
  Value scale = op.value(1, "scale"); // its type is that of the result
  op.result(scaleAndShift(op, op.b.cast(value, op.b.element(scale)), scale, Value()));
}

void importInstanceNormalization(OpBinder &op) {
  op.requireFloat(0, "input");
  const int64_t rank = op.rank(0, "X", 3);
  Value value = op.value(0, "input");
  const Expr channels = op.b.shape(value)[1];
  Value normal = op.b.layerNorm(value, 2, op.floatAttribute("epsilon", 1e-5f), /*rms=*/false);
  op.result(
      scaleAndShift(op, normal, perChannel(op, 1, "scale", rank, channels), perChannel(op, 2, "B", rank, channels)));
}

void importGroupNormalization(OpBinder &op) {
  op.requireFloat(0, "X");
  op.ignoreAttribute("stash_type");
  const int64_t rank = op.rank(0, "X", 2), groups = op.requiredInt("num_groups");
  Value value = op.value(0, "X");
  const Expr channels = op.b.shape(value)[1];
  if (groups < 1 || (channels.constant() && *channels.constant() % groups != 0))
    op.bad("num_groups is " + std::to_string(groups) + ", expected a divisor of the " + channels.text() + " channels");
  Value normal = normalizeGroups(op, value, groups, op.floatAttribute("epsilon", 1e-5f));
  op.result(
      scaleAndShift(op, normal, perChannel(op, 1, "scale", rank, channels), perChannel(op, 2, "bias", rank, channels)));
}

void importBatchNormalization(OpBinder &op) {
  op.requireFloat(0, "X");
  op.ignoreAttribute("momentum"); // of training
  if (op.intAttribute("training_mode", 0) != 0)
    op.unsupported("training_mode is 1, supported is inference");
  if (op.intAttribute("spatial", 1) != 1)
    op.unsupported("spatial is 0, supported is 1");
  noFurtherResults(op, 1);
  const int64_t rank = op.rank(0, "X", 2);
  Value value = op.value(0, "X");
  const Type type = formulaType({op.b.element(value), op.element(1, "scale"), op.element(3, "input_mean")});
  const Expr channels = op.b.shape(value)[1];
  const auto operand = [&](size_t index, StringRef name) {
    return op.b.cast(perChannel(op, index, name, rank, channels), type);
  };
  // x * s + (bias - mean * s): s and the sum are constants that fold.
  Value epsilon = op.b.scalar(op.floatAttribute("epsilon", 1e-5f), type);
  Value deviation = op.b.unary(UnaryKind::Sqrt, op.b.binary(BinaryKind::Add, operand(4, "input_var"), epsilon));
  Value factor = op.b.binary(BinaryKind::Div, operand(1, "scale"), deviation);
  Value shift =
      op.b.binary(BinaryKind::Sub, operand(2, "B"), op.b.binary(BinaryKind::Mul, operand(3, "input_mean"), factor));
  const auto rounded = [&](Value constant) { return op.b.cast(constant, op.b.element(value)); };
  op.result(scaleAndShift(op, value, rounded(factor), rounded(shift)));
}

void importMeanVarianceNormalization(OpBinder &op) {
  op.requireFloat(0, "X");
  const int64_t rank = op.rank(0, "X", 1);
  const Ints axes = op.axes(op.intsAttribute("axes").value_or(Ints{0, 2, 3}), rank);
  op.result(roundedOnce(op.b, op.value(0, "X"), [&](Value value) {
    Value centred = op.b.binary(BinaryKind::Sub, value, op.b.reduce(ReduceKind::Mean, value, axes));
    Value variance = op.b.reduce(ReduceKind::Mean, op.b.binary(BinaryKind::Mul, centred, centred), axes);
    Value deviation =
        op.b.binary(BinaryKind::Add, op.b.unary(UnaryKind::Sqrt, variance), op.b.scalar(1e-9, op.b.element(value)));
    return op.b.binary(BinaryKind::Div, centred, deviation);
  }));
}

} // namespace cupola::onnx_import
