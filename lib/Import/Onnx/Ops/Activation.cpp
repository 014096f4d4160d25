//===- lib/Import/Onnx/Ops/Activation.cpp - activations with parameters ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/Text.h"

using namespace mlir;

namespace cupola::onnx_import {

/// One float operand, two parameters.
static void activation(OpBinder &op, UnaryKind kind, double alpha = 0, double beta = 0) {
  op.requireFloat(0, "X");
  op.result(op.b.unary(kind, op.value(0, "X"), alpha, beta));
}

void importLeakyRelu(OpBinder &op) { activation(op, UnaryKind::LeakyRelu, op.floatAttribute("alpha", 0.01f)); }

void importElu(OpBinder &op) { activation(op, UnaryKind::Elu, op.floatAttribute("alpha", 1)); }

void importSelu(OpBinder &op) {
  activation(op, UnaryKind::Selu, op.floatAttribute("alpha", 1.67326319217681884765625f),
             op.floatAttribute("gamma", 1.05070102214813232421875f));
}

void importCelu(OpBinder &op) { activation(op, UnaryKind::Celu, op.floatAttribute("alpha", 1)); }

void importHardSigmoid(OpBinder &op) {
  activation(op, UnaryKind::HardSigmoid, op.floatAttribute("alpha", 0.2f), op.floatAttribute("beta", 0.5f));
}

void importThresholdedRelu(OpBinder &op) { activation(op, UnaryKind::ThresholdedRelu, op.floatAttribute("alpha", 1)); }

void importShrink(OpBinder &op) {
  op.requireNumber(0, "input");
  const double lambd = op.floatAttribute("lambd", 0.5f), bias = op.floatAttribute("bias", 0);
  op.result(
      roundedOnce(op.b, op.value(0, "input"), [&](Value x) { return op.b.unary(UnaryKind::Shrink, x, lambd, bias); }));
}

void importGelu(OpBinder &op) {
  const std::string form = op.stringAttribute("approximate", "none");
  if (form != "none" && form != "tanh")
    op.bad("attribute 'approximate' is " + quoted(form) + ", expected none or tanh");
  activation(op, form == "tanh" ? UnaryKind::GeluTanh : UnaryKind::GeluErf);
}

void importSwish(OpBinder &op) { activation(op, UnaryKind::Silu, op.floatAttribute("alpha", 1)); }

void importPRelu(OpBinder &op) {
  op.requireNumber(0, "X");
  Value value = op.value(0, "X"), slope = op.value(1, "slope");
  if (op.b.shape(slope).size() > op.b.shape(value).size())
    op.bad("slope has the shape " + shapeText(op.b.shape(slope)) + ", expected one that broadcasts to " +
           shapeText(op.b.shape(value)));
  op.result(op.b.binary(BinaryKind::Prelu, value, slope));
}

} // namespace cupola::onnx_import
