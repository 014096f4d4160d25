//===- lib/Import/Onnx/Ops/Optimizer.cpp - a step of training --------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Inputs are the rate R, the number of steps T, and then a list of each: tensors, gradients, states. Outputs are the
// lists of new tensors and new states.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ops.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// Arithmetic on values of any float types, in that of the left one.
class Numbers {
public:
  explicit Numbers(OpBinder &op) : op(op) {}
  Value add(Value a, Value b) { return binary(BinaryKind::Add, a, b); }
  Value subtract(Value a, Value b) { return binary(BinaryKind::Sub, a, b); }
  Value multiply(Value a, Value b) { return binary(BinaryKind::Mul, a, b); }
  Value divide(Value a, Value b) { return binary(BinaryKind::Div, a, b); }
  Value add(Value a, double b) { return add(a, number(b, a)); }
  Value multiply(Value a, double b) { return b == 1 ? a : multiply(a, number(b, a)); }
  Value root(Value a) { return op.b.unary(UnaryKind::Sqrt, a); }
  Value number(double value, Value like) { return op.b.scalar(value, op.b.element(like)); }
  /// 1 - base^T
  Value oneLessPower(double base, Value steps) {
    return subtract(number(1, steps), binary(BinaryKind::Pow, number(base, steps), steps));
  }

private:
  OpBinder &op;

  Value binary(BinaryKind kind, Value a, Value b) { return op.b.binary(kind, a, op.b.cast(b, op.b.element(a))); }
};

/// One tensor with what belongs to it.
struct Variable {
  Value x, gradient;
  SmallVector<Value> states;
};

/// The variables, `states` of each, with gradients that hold the decay of weights.
std::vector<Variable> readVariables(OpBinder &op, size_t states) {
  op.requireFloat(0, "R");
  const size_t lists = 2 + states, given = op.inputCount() - 2, count = given / lists;
  if (given == 0 || given % lists != 0)
    op.bad("the node has " + std::to_string(given) + " inputs behind R and T, expected a multiple of " +
           std::to_string(lists));
  std::vector<Variable> variables(count);
  const double decay = op.floatAttribute("norm_coefficient", 0);
  for (size_t i = 0; i < count; ++i) {
    const Exprs shape = op.shape(2 + i, "X");
    for (size_t list = 0; list < lists; ++list) {
      op.requireFloat(2 + list * count + i, "operand");
      op.b.sameShape(shape, op.shape(2 + list * count + i, "operand"), "shapes of a tensor and of what belongs to it");
      if (list > 1)
        variables[i].states.push_back(op.value(2 + list * count + i, "state"));
    }
    Numbers n(op);
    variables[i].x = op.value(2 + i, "X");
    variables[i].gradient = op.value(2 + count + i, "G");
    if (decay != 0)
      variables[i].gradient = n.add(n.multiply(variables[i].x, decay), variables[i].gradient);
  }
  return variables;
}

void setResults(OpBinder &op, ArrayRef<Variable> variables) {
  for (auto [i, variable] : llvm::enumerate(variables)) {
    op.result(variable.x, i);
    for (auto [list, state] : llvm::enumerate(variable.states))
      op.result(state, (list + 1) * variables.size() + i);
  }
}

Value rate(OpBinder &op) { return op.b.reshape(op.scalar(0, "R"), {}); }

/// How often the step was made before, as a number of the rate's type.
Value steps(OpBinder &op) { return op.b.cast(op.b.reshape(op.scalar(1, "T"), {}), op.element(0, "R")); }

Value isPositive(OpBinder &op, Value value) {
  return op.b.binary(BinaryKind::Greater, value, op.b.scalar(0, op.b.element(value)));
}

} // namespace

void importAdagrad(OpBinder &op) {
  Numbers n(op);
  const double epsilon = op.floatAttribute("epsilon", 0), decay = op.floatAttribute("decay_factor", 0);
  std::vector<Variable> variables = readVariables(op, 1);
  Value step = n.divide(rate(op), n.add(n.multiply(steps(op), decay), 1));
  for (Variable &v : variables) {
    Value &squares = v.states[0];
    squares = n.add(squares, n.multiply(v.gradient, v.gradient));
    v.x = n.subtract(v.x, n.divide(n.multiply(v.gradient, step), n.add(n.root(squares), epsilon)));
  }
  setResults(op, variables);
}

void importAdam(OpBinder &op) {
  Numbers n(op);
  const double alpha = op.floatAttribute("alpha", 0.9f), beta = op.floatAttribute("beta", 0.999f);
  const double epsilon = op.floatAttribute("epsilon", 0), decay = op.floatAttribute("norm_coefficient_post", 0);
  std::vector<Variable> variables = readVariables(op, 2);
  Value t = steps(op), r = rate(op);
  Value corrected = n.divide(n.multiply(r, n.root(n.oneLessPower(beta, t))), n.oneLessPower(alpha, t));
  Value step = op.b.select(isPositive(op, t), corrected, r);
  for (Variable &v : variables) {
    Value &mean = v.states[0], &squares = v.states[1];
    mean = n.add(n.multiply(mean, alpha), n.multiply(v.gradient, 1 - alpha));
    squares = n.add(n.multiply(squares, beta), n.multiply(n.multiply(v.gradient, v.gradient), 1 - beta));
    Value change = n.divide(n.multiply(mean, step), n.add(n.root(squares), epsilon));
    v.x = n.multiply(n.subtract(v.x, change), 1 - decay);
  }
  setResults(op, variables);
}

void importMomentum(OpBinder &op) {
  Numbers n(op);
  const std::string mode = op.stringAttribute("mode", "");
  if (mode != "standard" && mode != "nesterov")
    op.bad("attribute 'mode' is not standard or nesterov");
  const double alpha = op.floatAttribute("alpha", 0), beta = op.floatAttribute("beta", 0);
  std::vector<Variable> variables = readVariables(op, 1);
  Value r = rate(op), share = op.b.select(isPositive(op, steps(op)), n.number(beta, r), n.number(1, r));
  for (Variable &v : variables) {
    Value &momentum = v.states[0];
    momentum = n.add(n.multiply(momentum, alpha), n.multiply(v.gradient, share));
    Value change = mode == "nesterov" ? n.add(v.gradient, n.multiply(momentum, alpha)) : momentum;
    v.x = n.subtract(v.x, n.multiply(change, r));
  }
  setResults(op, variables);
}

} // namespace cupola::onnx_import
