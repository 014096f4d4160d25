//===- lib/Import/Onnx/Ops/Normalization.cpp - softmax and normalisations --===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Normalization.h"

#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Constants.h"

#include "onnx/onnx_pb.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

void softmax(OpBinder &op, bool log) {
  op.requireFloat(0, "input");
  const int64_t axis = op.axis(op.intAttribute("axis", -1), op.rank(0, "X", 1));
  op.result(op.b.softmax(op.value(0, "input"), axis, log));
}

/// All dimensions from `axis` on are one row for `ofRow`.
Value flattened(OpBinder &op, Value value, int64_t axis, function_ref<Value(Value)> ofRow) {
  const Exprs shape = op.b.shape(value);
  if (axis + 1 == static_cast<int64_t>(shape.size()))
    return ofRow(value);
  Exprs rows(ArrayRef<Expr>(shape).take_front(axis));
  rows.push_back(graph::product(ArrayRef<Expr>(shape).drop_front(axis)));
  return op.b.reshape(ofRow(op.b.reshape(value, rows)), shape);
}

/// 1 for the first of the largest elements of a row, 0 for the others.
Value hardmax(OpBinder &op, Value value, int64_t axis) {
  if (graph::product(op.b.shape(value)).isConstant(0))
    return value;
  Exprs places(op.b.shape(value).size(), Expr(1));
  places[axis] = op.b.shape(value)[axis];
  Value largest = op.b.argReduce(ReduceKind::Max, value, axis, /*last=*/false);
  return op.b.cast(op.b.binary(BinaryKind::Equal, op.b.iota(places, axis), largest), op.b.element(value));
}

void noFurtherResults(OpBinder &op, size_t first) {
  for (size_t i = first; i < op.outputCount(); ++i)
    if (op.wants(i))
      op.unsupported("output " + std::to_string(i) + " is used, supported is the first result");
}

/// A [C, D1, D2..] operand as [1, C, D1, D2..] (up to opset 8).
Value perActivation(OpBinder &op, size_t index, StringRef name) {
  const Exprs shape = op.shape(0, "X");
  op.b.sameShape(op.shape(index, name), ArrayRef<Expr>(shape).drop_front(),
                 "the shapes of " + name.str() + " and of one entry of the batch");
  return op.b.unsqueeze(op.value(index, name), {0});
}

} // namespace

Value softmaxFlattened(OpBinder &op, Value value, int64_t axis, bool log) {
  return flattened(op, value, axis, [&](Value rows) { return op.b.softmax(rows, axis, log); });
}

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

/// As [N, G, C / G, rest..].
Value normalizeGroups(OpBinder &op, Value value, int64_t groups, StringRef attribute) {
  const Exprs shape = op.b.shape(value);
  const Expr channels = shape[1];
  if (groups < 1 || (channels.constant() && *channels.constant() % groups != 0))
    op.bad(attribute.str() + " is " + std::to_string(groups) + ", expected a divisor of the " + channels.text() +
           " channels");
  Exprs apart = {shape[0], Expr(groups), simplify(floorDiv(channels, Expr(groups)), op.b.ranges())};
  apart.append(shape.begin() + 2, shape.end());
  const double epsilon = op.floatAttribute("epsilon", 1e-5f);
  return op.b.reshape(op.b.layerNorm(op.b.reshape(value, apart), 2, epsilon, /*rms=*/false), shape);
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

/// The axis before opset 13, which says where a row of all further dimensions begins.
static int64_t rowAxis(OpBinder &op) {
  op.requireFloat(0, "input");
  return op.axis(op.intAttribute("axis", 1), op.rank(0, "X", 1));
}

static void oldSoftmax(OpBinder &op, bool log) {
  const int64_t axis = rowAxis(op);
  op.result(softmaxFlattened(op, op.value(0, "input"), axis, log));
}

void importSoftmax(OpBinder &op) { softmax(op, false); }
void importLogSoftmax(OpBinder &op) { softmax(op, true); }
void importSoftmaxFlattened(OpBinder &op) { oldSoftmax(op, false); }
void importLogSoftmaxFlattened(OpBinder &op) { oldSoftmax(op, true); }

void importHardmaxFlattened(OpBinder &op) {
  const int64_t axis = rowAxis(op);
  op.result(flattened(op, op.value(0, "input"), axis, [&](Value rows) { return hardmax(op, rows, axis); }));
}

void importHardmax(OpBinder &op) {
  op.requireFloat(0, "input");
  const int64_t axis = op.axis(op.intAttribute("axis", -1), op.rank(0, "input", 1));
  op.result(hardmax(op, op.value(0, "input"), axis));
}

/// x / |x|, 0 where that is 0 / 0.
void importLpNormalization(OpBinder &op) {
  op.requireFloat(0, "input");
  const int64_t axis = op.axis(op.intAttribute("axis", -1), op.rank(0, "input", 1)), p = op.intAttribute("p", 2);
  if (p != 1 && p != 2)
    op.bad("p is " + std::to_string(p) + ", expected 1 or 2");
  op.result(roundedOnce(op.b, op.value(0, "input"), [&](Value x) {
    Value terms = p == 1 ? op.b.unary(UnaryKind::Abs, x) : op.b.binary(BinaryKind::Mul, x, x);
    Value sum = op.b.reduce(ReduceKind::Sum, terms, {axis}), zero = op.b.scalar(0, op.b.element(x));
    Value norm = p == 1 ? sum : op.b.unary(UnaryKind::Sqrt, sum);
    return op.b.select(op.b.binary(BinaryKind::Equal, norm, zero), zero, op.b.binary(BinaryKind::Div, x, norm));
  }));
}

/// Outputs 1 and 2 of LayerNormalization: what the rows were shifted and scaled by.
static void meanAndInverse(OpBinder &op, int64_t axis, double epsilon) {
  const auto number = static_cast<int32_t>(op.intAttribute("stash_type", onnx::TensorProto::FLOAT));
  const Type stash = elementTypeOf(number, op.b.context());
  if (!stash || !isa<FloatType>(stash))
    op.bad("stash_type is " + elementTypeName(number) + ", expected a float type");
  Value x = op.value(0, "X");
  x = op.b.cast(x, formulaType({op.b.element(x)}));
  const Ints axes = sequence(axis, op.rank(0, "X"));
  Value mean = op.b.reduce(ReduceKind::Mean, x, axes), centred = op.b.binary(BinaryKind::Sub, x, mean);
  Value variance = op.b.reduce(ReduceKind::Mean, op.b.binary(BinaryKind::Mul, centred, centred), axes);
  Value shifted = op.b.binary(BinaryKind::Add, variance, op.b.scalar(epsilon, op.b.element(x)));
  op.result(op.b.cast(mean, stash), 1);
  op.result(op.b.cast(op.b.unary(UnaryKind::Rsqrt, shifted), stash), 2);
}

void importLayerNormalization(OpBinder &op) {
  op.requireFloat(0, "X");
  op.ignoreAttribute("stash_type"); // reductions accumulate in float32 at least anyway
  const int64_t axis = op.axis(op.intAttribute("axis", -1), op.rank(0, "X", 1));
  const double epsilon = op.floatAttribute("epsilon", 1e-5f);
  Value value = op.b.layerNorm(op.value(0, "X"), axis, epsilon, /*rms=*/false);
  if (op.wants(1) || op.wants(2))
    meanAndInverse(op, axis, epsilon);
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
  const int64_t rank = op.rank(0, "X", 2);
  Value value = op.value(0, "X");
  const Expr channels = op.b.shape(value)[1];
  Value normal = normalizeGroups(op, value, op.requiredInt("num_groups"), "num_groups");
  op.result(
      scaleAndShift(op, normal, perChannel(op, 1, "scale", rank, channels), perChannel(op, 2, "bias", rank, channels)));
}

namespace {

struct Statistics {
  Value mean, variance; ///< they broadcast to the input
};

/// Of the batch itself; outputs 1 and 2 become what a run remembers of it.
Statistics trainedStatistics(OpBinder &op, const Statistics &before, Type type) {
  Ints axes = sequence(0, op.rank(0, "X"));
  axes.erase(axes.begin() + 1);
  Value x = op.b.cast(op.value(0, "X"), type), mean = op.b.reduce(ReduceKind::Mean, x, axes);
  Value centred = op.b.binary(BinaryKind::Sub, x, mean);
  const Statistics now{mean, op.b.reduce(ReduceKind::Mean, op.b.binary(BinaryKind::Mul, centred, centred), axes)};
  const double momentum = op.floatAttribute("momentum", 0.9f);
  const auto remember = [&](Value old, Value batch, size_t index) {
    const auto share = [&](Value value, double factor) {
      return op.b.binary(BinaryKind::Mul, value, op.b.scalar(factor, type));
    };
    Value sum = op.b.binary(BinaryKind::Add, share(old, momentum), share(batch, 1 - momentum));
    op.result(op.b.cast(op.b.reshape(sum, op.shape(3, "input_mean")), op.element(3, "input_mean")), index);
  };
  remember(before.mean, now.mean, 1);
  remember(before.variance, now.variance, 2);
  return now;
}

} // namespace

void importBatchNormalization(OpBinder &op) {
  op.requireFloat(0, "X");
  const bool training = op.intAttribute("training_mode", 0) != 0;
  const bool spatial = op.intAttribute("spatial", 1) != 0;
  if (!training)
    noFurtherResults(op, 1);
  op.ignoreAttribute("momentum"); // of training
  const int64_t rank = op.rank(0, "X", 2);
  Value value = op.value(0, "X");
  const Type type = formulaType({op.b.element(value), op.element(1, "scale"), op.element(3, "input_mean")});
  const Expr channels = op.b.shape(value)[1];
  const auto operand = [&](size_t index, StringRef name) {
    return op.b.cast(spatial ? perChannel(op, index, name, rank, channels) : perActivation(op, index, name), type);
  };
  Statistics s{operand(3, "input_mean"), operand(4, "input_var")};
  if (training)
    s = trainedStatistics(op, s, type);
  // x * s + (bias - mean * s): s and the sum are constants that fold.
  Value epsilon = op.b.scalar(op.floatAttribute("epsilon", 1e-5f), type);
  Value deviation = op.b.unary(UnaryKind::Sqrt, op.b.binary(BinaryKind::Add, s.variance, epsilon));
  Value factor = op.b.binary(BinaryKind::Div, operand(1, "scale"), deviation);
  Value shift = op.b.binary(BinaryKind::Sub, operand(2, "B"), op.b.binary(BinaryKind::Mul, s.mean, factor));
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
