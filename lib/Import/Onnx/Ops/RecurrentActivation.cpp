//===- lib/Import/Onnx/Ops/RecurrentActivation.cpp - functions of cells ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/RecurrentActivation.h"

#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/Text.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

template <UnaryKind kind> Value unary(GraphBuilder &b, Value x, double alpha, double beta) {
  return b.unary(kind, x, alpha, beta);
}

Value scaled(GraphBuilder &b, Value x, double factor) {
  return b.binary(BinaryKind::Mul, x, b.scalar(factor, b.element(x)));
}

Value affine(GraphBuilder &b, Value x, double alpha, double beta) {
  return b.binary(BinaryKind::Add, scaled(b, x, alpha), b.scalar(beta, b.element(x)));
}

Value scaledTanh(GraphBuilder &b, Value x, double alpha, double beta) {
  return scaled(b, b.unary(UnaryKind::Tanh, scaled(b, x, beta)), alpha);
}

struct Row {
  StringLiteral name;
  int parameters; ///< 1: alpha, 2: beta, too
  RecurrentActivation withDefaults;
  bool hasDefaults = true;
};

/// Defaults are those of the ONNX op of that name; two have none.
constexpr Row rows[] = {
    {"Affine", 2, {affine, 0, 0}, false},
    {"Elu", 1, {unary<UnaryKind::Elu>, 1, 0}},
    {"HardSigmoid", 2, {unary<UnaryKind::HardSigmoid>, 0.2f, 0.5f}},
    {"LeakyRelu", 1, {unary<UnaryKind::LeakyRelu>, 0.01f, 0}},
    {"Relu", 0, {unary<UnaryKind::Relu>, 0, 0}},
    {"ScaledTanh", 2, {scaledTanh, 0, 0}, false},
    {"Sigmoid", 0, {unary<UnaryKind::Sigmoid>, 0, 0}},
    {"Softplus", 0, {unary<UnaryKind::Softplus>, 0, 0}},
    {"Softsign", 0, {unary<UnaryKind::Softsign>, 0, 0}},
    {"Tanh", 0, {unary<UnaryKind::Tanh>, 0, 0}},
    {"ThresholdedRelu", 1, {unary<UnaryKind::ThresholdedRelu>, 1, 0}},
};

/// Exporters write names in lower case, too.
const Row &rowOf(const OpBinder &op, StringRef name) {
  std::string known;
  for (const Row &row : rows) {
    if (row.name.equals_insensitive(name))
      return row;
    known += (known.empty() ? "" : ", ") + row.name.str();
  }
  op.bad("attribute 'activations' names " + quoted(name) + ", expected one of " + known);
}

/// The values of an attribute, which those functions use up in their order that have such a parameter.
class Parameters {
public:
  Parameters(const OpBinder &op, StringRef name) : op(op), name(name), values(op.floatsAttribute(name)) {}

  void take(const Row &row, double &parameter) {
    const bool isGiven = values && taken < values->size();
    if (isGiven)
      parameter = (*values)[taken];
    else if (!row.hasDefaults)
      op.bad("attribute '" + name.str() + "' has no value for " + row.name.str() + ", which has no default");
    ++taken;
  }

  /// What is left without any function to use it says nothing; else it is open which function a value is for.
  void checkAllTaken() const {
    if (values && taken != 0 && values->size() > taken)
      op.unsupported("attribute '" + name.str() + "' has " + std::to_string(values->size()) +
                     " values for activations that use " + std::to_string(taken) + ", supported are at most as many");
  }

private:
  const OpBinder &op;
  const StringRef name;
  const std::optional<std::vector<double>> values;
  size_t taken = 0;
};

} // namespace

std::vector<RecurrentActivation> activationsOf(const OpBinder &op, ArrayRef<StringRef> defaults, size_t directions) {
  std::vector<std::string> names;
  for (size_t i = 0; i < directions; ++i)
    names.insert(names.end(), defaults.begin(), defaults.end());
  const size_t count = names.size();
  names = op.stringsAttribute("activations").value_or(names);
  if (names.size() != count)
    op.bad("attribute 'activations' has " + std::to_string(names.size()) + " entries, expected " +
           std::to_string(count));
  Parameters alphas(op, "activation_alpha"), betas(op, "activation_beta");
  std::vector<RecurrentActivation> result;
  for (const std::string &name : names) {
    const Row &row = rowOf(op, name);
    result.push_back(row.withDefaults);
    if (row.parameters > 0)
      alphas.take(row, result.back().alpha);
    if (row.parameters > 1)
      betas.take(row, result.back().beta);
  }
  alphas.checkAllTaken();
  betas.checkAllTaken();
  return result;
}

} // namespace cupola::onnx_import
