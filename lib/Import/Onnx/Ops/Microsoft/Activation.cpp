//===- lib/Import/Onnx/Ops/Microsoft/Activation.cpp - alone, or behind another op ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"

#include "lib/Import/Onnx/Text.h"

#include <limits>

using namespace mlir;

namespace cupola::onnx_import::microsoft {

Value columns(OpBinder &op, Value value, const Expr &first, const Expr &count) {
  Exprs starts(op.b.shape(value).size(), Expr(0)), sizes = op.b.shape(value);
  starts.back() = first;
  sizes.back() = count;
  return op.b.slice(value, starts, Ints(sizes.size(), 1), sizes);
}

std::pair<Value, Value> halves(OpBinder &op, Value value, const std::string &name) {
  const Expr all = op.b.shape(value).back();
  const auto extent = all.constant();
  if (!extent || *extent % 2 != 0)
    op.unsupported(name + " has " + all.text() + " columns, supported are constant even numbers");
  const Expr half(*extent / 2);
  Value right = columns(op, value, half, half);
  return {columns(op, value, Expr(0), half), right};
}

/// The operand, a list as long as the last dimension of `value`.
static Value lastLine(OpBinder &op, Value value, size_t index, StringRef name) {
  const Exprs shape = op.b.shape(value), own = op.shape(index, name);
  if (shape.empty() || own.size() != 1)
    op.bad("input " + std::to_string(index) + " (" + name.str() + ") has the shape " + shapeText(own) +
           " beside values of " + shapeText(shape) + ", expected rank 1 for the last dimension");
  op.b.sameExtent(own[0], shape.back(), "the extent of the " + name.str() + " and the last one of its values");
  return op.value(index, name);
}

Value lastBiased(OpBinder &op, Value value, size_t index, StringRef name) {
  return op.b.binary(BinaryKind::Add, value, lastLine(op, value, index, name));
}

Value lastTimes(OpBinder &op, Value value, size_t index, StringRef name) {
  return op.b.binary(BinaryKind::Mul, value, lastLine(op, value, index, name));
}

/// f(x + bias), where bias has the last extent of x.
static void withBias(OpBinder &op, UnaryKind kind, int least) {
  op.requireInputs(least, 2);
  op.requireFloat(0, "X");
  Value value = op.value(0, "X");
  op.result(op.b.unary(kind, op.has(1) ? lastBiased(op, value, 1, "bias") : value));
}

void importGelu(OpBinder &op) {
  op.requireInputs(1, 1);
  op.requireFloat(0, "X");
  op.result(op.b.unary(UnaryKind::GeluErf, op.value(0, "X")));
}

void importFastGelu(OpBinder &op) { withBias(op, UnaryKind::GeluTanh, 1); }
void importBiasGelu(OpBinder &op) { withBias(op, UnaryKind::GeluErf, 2); }

void importQuickGelu(OpBinder &op) {
  op.requireInputs(1, 1);
  op.requireFloat(0, "X");
  op.result(op.b.unary(UnaryKind::Silu, op.value(0, "X"), op.floatAttribute("alpha", 1.702f)));
}

void importBiasAdd(OpBinder &op) {
  op.requireInputs(3, 3);
  op.requireFloat(0, "X");
  op.b.sameShape(op.shape(2, "skip"), op.shape(0, "X"), "the shapes of inputs 2 (skip) and 0 (X)");
  op.result(op.b.binary(BinaryKind::Add, lastBiased(op, op.value(0, "X"), 1, "bias"), op.value(2, "skip")));
}

/// One half of the last dimension times the Gelu of the other.
void importBiasSplitGelu(OpBinder &op) {
  op.requireInputs(2, 2);
  op.requireFloat(0, "X");
  Value value = lastBiased(op, op.value(0, "X"), 1, "bias");
  const auto [left, right] = halves(op, value, "input 0 (X)");
  op.result(op.b.binary(BinaryKind::Mul, left, op.b.unary(UnaryKind::GeluErf, right)));
}

namespace {

struct Activation {
  std::string_view name;
  UnaryKind kind;
  double alpha, beta; ///< ONNX's defaults
};

constexpr Activation activations[] = {
    {"Elu", UnaryKind::Elu, 1, 0},
    {"HardSigmoid", UnaryKind::HardSigmoid, 0.2f, 0.5},
    {"LeakyRelu", UnaryKind::LeakyRelu, 0.01f, 0},
    {"Relu", UnaryKind::Relu, 0, 0},
    {"Sigmoid", UnaryKind::Sigmoid, 0, 0},
    {"Softplus", UnaryKind::Softplus, 0, 0},
    {"Softsign", UnaryKind::Softsign, 0, 0},
    {"Tanh", UnaryKind::Tanh, 0, 0},
    {"ThresholdedRelu", UnaryKind::ThresholdedRelu, 1, 0},
};

} // namespace

Value activated(OpBinder &op, Value value, ArrayRef<double> parameters) {
  const std::string name = op.stringAttribute("activation", "");
  const auto parameter = [&](size_t i, double fallback) { return i < parameters.size() ? parameters[i] : fallback; };
  if (name.empty())
    return value;
  if (name == "Clip") {
    const Type type = op.b.element(value);
    const double all = std::numeric_limits<float>::max();
    value = op.b.binary(BinaryKind::Max, value, op.b.scalar(parameter(0, -all), type));
    return op.b.binary(BinaryKind::Min, value, op.b.scalar(parameter(1, all), type));
  }
  for (const Activation &known : activations)
    if (known.name == name)
      return op.b.unary(known.kind, value, parameter(0, known.alpha), parameter(1, known.beta));
  std::string names = "Clip";
  for (const Activation &known : activations)
    names += ", " + std::string(known.name);
  op.unsupported("attribute 'activation' is '" + printable(name) + "', supported are " + names);
}

} // namespace cupola::onnx_import::microsoft
