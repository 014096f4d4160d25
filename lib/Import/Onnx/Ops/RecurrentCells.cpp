//===- lib/Import/Onnx/Ops/RecurrentCells.cpp - LSTM, GRU, RNN -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// (https://onnx.ai/onnx/operators/onnx__LSTM.html, onnx__GRU.html, onnx__RNN.html)
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"
#include "lib/Import/Onnx/Ops/Recurrent.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// a * x + b * y
Value weighted(GraphBuilder &b, Value a, Value x, Value other, Value y) {
  const Value first = b.binary(BinaryKind::Mul, a, x);
  const Value second = b.binary(BinaryKind::Mul, other, y);
  return b.binary(BinaryKind::Add, first, second);
}

Value complement(GraphBuilder &b, Value value) {
  return b.binary(BinaryKind::Sub, b.scalar(1, b.element(value)), value);
}

/// Gates stand in the order input, output, forget, cell; peepholes of the first three.
class LSTMCell {
public:
  explicit LSTMCell(OpBinder &op, Recurrence::Weights weights = Recurrence::Weights::Floats)
      : b(op.b), isCoupled(op.intAttribute("input_forget", 0) != 0), steps(op, 4, {"Sigmoid", "Tanh", "Tanh"}, weights),
        peepholes(steps.rows(7, "P", 3)) {}

  void run() {
    steps.multiplyInputs(/*both=*/4);
    const Value h = steps.initialState(5, "initial_h"), c = steps.initialState(6, "initial_c");
    steps.run({h, c}, [&](Value input, ArrayRef<Value> states) { return step(input, states[0], states[1]); });
  }

private:
  enum Gate { Input, Output, Forget, Cell };

  std::vector<Value> step(Value input, Value h, Value c) {
    const Value products = steps.multiplyState(h, 0, 4);
    const Value sums = b.binary(BinaryKind::Add, input, products);
    const Value in = gate(sums, Input, c);
    const Value forget = isCoupled ? complement(b, in) : gate(sums, Forget, c);
    const Value candidate = steps.activateSum(1, steps.part(sums, Cell));
    const Value next = weighted(b, forget, c, in, candidate);
    const Value out = gate(sums, Output, next);
    const Value shown = steps.activate(2, next); // not clipped, as onnxruntime has it
    return {b.binary(BinaryKind::Mul, out, shown), next};
  }

  Value gate(Value sums, Gate which, Value cell) {
    Value sum = steps.part(sums, which);
    if (peepholes) {
      const Value seen = b.binary(BinaryKind::Mul, steps.part(peepholes, which), cell);
      sum = b.binary(BinaryKind::Add, sum, seen);
    }
    return steps.activateSum(0, sum);
  }

  GraphBuilder &b;
  const bool isCoupled;
  Recurrence steps;
  const Tensor peepholes;
};

/// Gates stand in the order update, reset, hidden.
class GRUCell {
public:
  explicit GRUCell(OpBinder &op)
      : b(op.b), resetsProducts(op.intAttribute("linear_before_reset", 0) != 0), steps(op, 3, {"Sigmoid", "Tanh"}),
        biases(steps.rows(3, "B", 6)) {}

  void run() {
    steps.multiplyInputs(/*both=*/resetsProducts ? 2 : 3);
    const Value h = steps.initialState(5, "initial_h");
    steps.run({h}, [&](Value input, ArrayRef<Value> states) { return std::vector{step(input, states[0])}; });
  }

private:
  enum Gate { Update, Reset, Hidden };

  Value step(Value input, Value h) {
    const Value products = steps.multiplyState(h, 0, resetsProducts ? 3 : 2);
    const Value update = gate(input, products, Update);
    const Value reset = gate(input, products, Reset);
    const Value remembered = resetsProducts ? afterProduct(products, reset) : beforeProduct(h, reset);
    const Value sum = b.binary(BinaryKind::Add, steps.part(input, Hidden), remembered);
    const Value candidate = steps.activateSum(1, sum);
    const Value share = complement(b, update);
    return weighted(b, share, candidate, update, h);
  }

  Value gate(Value input, Value products, Gate which) {
    const Value in = steps.part(input, which);
    return steps.activateSum(0, b.binary(BinaryKind::Add, in, steps.part(products, which)));
  }

  Value afterProduct(Value products, Value reset) {
    Value product = steps.part(products, Hidden);
    if (biases)
      product = b.binary(BinaryKind::Add, product, steps.part(biases, 3 + Hidden));
    return b.binary(BinaryKind::Mul, reset, product);
  }

  Value beforeProduct(Value h, Value reset) {
    return steps.multiplyState(b.binary(BinaryKind::Mul, reset, h), Hidden, 1);
  }

  GraphBuilder &b;
  const bool resetsProducts;
  Recurrence steps;
  const Tensor biases;
};

} // namespace

void importLSTM(OpBinder &op) { LSTMCell(op).run(); }

void microsoft::importDynamicQuantizeLSTM(OpBinder &op) {
  op.requireInputs(12, 12);
  LSTMCell(op, Recurrence::Weights::Bytes).run();
}

void importGRU(OpBinder &op) { GRUCell(op).run(); }

void importRNN(OpBinder &op) {
  Recurrence steps(op, 1, {"Tanh"});
  steps.multiplyInputs(/*both=*/1);
  const Value h = steps.initialState(5, "initial_h");
  steps.run({h}, [&](Value input, ArrayRef<Value> states) {
    const Value product = steps.multiplyState(states[0], 0, 1);
    return std::vector{steps.activateSum(0, op.b.binary(BinaryKind::Add, input, product))};
  });
}

} // namespace cupola::onnx_import
