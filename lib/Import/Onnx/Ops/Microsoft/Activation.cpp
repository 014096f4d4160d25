//===- lib/Import/Onnx/Ops/Microsoft/Activation.cpp - alone, or behind another op ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"

#include "lib/Import/Onnx/Text.h"

#include <limits>

using namespace mlir;

namespace cupola::onnx_import::microsoft {

/// f(x + bias), where bias has the last extent of x.
static void withBias(OpBinder &op, UnaryKind kind, int least) {
  op.requireInputs(least, 2);
  op.requireFloat(0, "X");
  Value value = op.value(0, "X");
  if (op.has(1)) {
    const Exprs shape = op.b.shape(value), bias = op.shape(1, "bias");
    if (shape.empty() || bias.size() != 1)
      op.bad("inputs 0 (X) and 1 (bias) have the shapes " + shapeText(shape) + " and " + shapeText(bias) +
             ", expected a bias of rank 1 for the last dimension");
    op.b.sameExtent(bias[0], shape.back(), "the extent of the bias and the last one of X");
    value = op.b.binary(BinaryKind::Add, value, op.value(1, "bias"));
  }
  op.result(op.b.unary(kind, value));
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
