//===- lib/Import/Onnx/Ops/Recurrent.cpp - what LSTM, GRU and RNN share ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Recurrent.h"

#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/LoopBody.h"
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/Text.h"

using namespace mlir;

namespace cupola::onnx_import {

//===----------------------------------------------------------------------===//
// What the node says
//===----------------------------------------------------------------------===//

Recurrence::Recurrence(OpBinder &op, int64_t gates, ArrayRef<StringRef> functions, Weights weights)
    : op(op), gates(gates), batchFirst(op.intAttribute("layout", 0) != 0) {
  op.requireFloat(0, "X");
  element = op.element(0, "X");
  compute = formulaType({element});
  op.ignoreAttribute("output_sequence"); // up to opset 6: whether output 0 is wanted
  readDirection();
  readClip();
  activations = activationsOf(op, functions, static_cast<size_t>(directions));
  const Exprs dims = shapeOf(0, "X");
  length = dims[batchFirst ? 1 : 0];
  batch = dims[batchFirst ? 0 : 1];
  width = dims[2];
  hidden = shapeOf(2, "R")[weights == Weights::Bytes ? 1 : 2];
  if (op.hasAttribute("hidden_size"))
    hidden = op.b.sameExtent(hidden, Expr(op.intAttribute("hidden_size", 0)),
                             "the extent of states in input 2 (R) and attribute 'hidden_size'");
  if (weights == Weights::Bytes) {
    bytes.emplace(op, directions, width, hidden, Expr(gates) * hidden);
  } else {
    operand(1, "W", {Expr(directions), Expr(gates) * hidden, width});
    operand(2, "R", {Expr(directions), Expr(gates) * hidden, hidden});
  }
  readLengths();
}

void Recurrence::readDirection() {
  const std::string direction = op.stringAttribute("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    op.bad("attribute 'direction' is " + quoted(direction) + ", expected forward, reverse or bidirectional");
  directions = direction == "bidirectional" ? 2 : 1;
  firstIsBackward = direction == "reverse";
}

void Recurrence::readClip() {
  if (!op.hasAttribute("clip"))
    return;
  clip = op.floatAttribute("clip", 0);
  if (!(*clip > 0))
    op.bad("attribute 'clip' is " + std::to_string(*clip) + ", expected more than 0");
}

/// Lengths that follow from shapes are no data: most exporters write the extent of X, if anything.
void Recurrence::readLengths() {
  if (!op.has(4))
    return;
  op.requireIndex(4, "sequence_lens");
  op.b.sameShape(op.shape(4, "sequence_lens"), {batch},
                 "extents of input 4 (sequence_lens) and those that the node asks for");
  const Known *known = op.known(4);
  const auto values = known ? known->integers() : std::nullopt;
  bool isWhole = values.has_value();
  for (const Expr &value : values.value_or(std::vector<Expr>())) {
    if (proveLess(value, Expr(0), op.b.ranges()) == true || proveLess(length, value, op.b.ranges()) == true)
      op.bad("input 4 (sequence_lens) holds " + value.text() + ", expected 0 to " + length.text());
    isWhole &= proveEqual(value, length, op.b.ranges()) == true;
  }
  if (!isWhole)
    lengths = op.tensor(4, "sequence_lens");
}

Exprs Recurrence::shapeOf(size_t index, StringRef name) const {
  const Exprs dims = op.shape(index, name);
  if (dims.size() != 3)
    op.bad(operandText(index, name) + " has the shape " + shapeText(dims) + ", expected rank 3");
  return dims;
}

Tensor Recurrence::operand(size_t index, StringRef name, ArrayRef<Expr> dims) const {
  const Type found = op.element(index, name);
  if (found != element)
    op.bad(operandText(index, name) + " has elements of " + typeText(found) + ", expected " + typeText(element) +
           " as those of input 0 (X)");
  op.b.sameShape(op.shape(index, name), dims,
                 "extents of " + operandText(index, name) + " and those that the node asks for");
  return op.tensor(index, name);
}

Tensor Recurrence::rows(size_t index, StringRef name, int64_t parts) const {
  return op.has(index) ? operand(index, name, {Expr(directions), Expr(parts) * hidden}) : nullptr;
}

Value Recurrence::initialState(size_t index, StringRef name) const {
  if (!op.has(index))
    return op.b.broadcast(op.b.scalar(0, element), {Expr(directions), batch, hidden});
  if (!batchFirst)
    return here(operand(index, name, {Expr(directions), batch, hidden}));
  return op.b.transpose(here(operand(index, name, {batch, Expr(directions), hidden})), {1, 0, 2});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// [length * batch, width] -> [length * batch, .. ]
Value Recurrence::productsOfInputs(Value x) const {
  if (bytes)
    return bytes->ofInputs(x);
  const Value rows = op.b.reshape(op.value(1, "W"), {Expr(directions * gates) * hidden, width});
  return op.b.matmul(x, op.b.transpose(rows, {1, 0}));
}

void Recurrence::multiplyInputs(int64_t both) {
  Value x = op.value(0, "X");
  if (batchFirst)
    x = op.b.transpose(x, {1, 0, 2});
  Value products = productsOfInputs(op.b.reshape(x, {length * batch, width}));
  products = op.b.reshape(op.b.cast(products, compute), {length, batch, Expr(directions), Expr(gates) * hidden});
  inputs = op.ofValue(addBiases(products, both));
}

Value Recurrence::addBiases(Value products, int64_t both) const {
  const Tensor biases = rows(3, "B", 2 * gates);
  if (!biases)
    return products;
  const Expr all = Expr(gates) * hidden, some = Expr(both) * hidden;
  const Value values = op.b.cast(here(biases), compute);
  const Value ofInputs = piece(values, 1, Expr(0), some);
  const Value ofStates = piece(values, 1, all, some);
  Value sum = op.b.binary(BinaryKind::Add, ofInputs, ofStates);
  if (both < gates) {
    const Value rest = piece(values, 1, some, all - some);
    sum = op.b.concat({sum, rest}, 1);
  }
  return op.b.binary(BinaryKind::Add, products, sum);
}

Value Recurrence::multiplyState(Value state, int64_t gate, int64_t count) const {
  if (bytes)
    return bytes->ofState(state);
  const Value rows = piece(here(op.tensor(2, "R")), 1, Expr(gate) * hidden, Expr(count) * hidden);
  const Value weights = op.b.transpose(rows, {0, 2, 1});
  return op.b.cast(op.b.matmul(op.b.cast(state, element), weights), compute);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void Recurrence::run(ArrayRef<Value> initial, Step step) {
  std::vector<Value> states = initial.vec();
  for (Value &state : llvm::drop_begin(states)) // what Y does not show is not rounded between steps
    state = op.b.cast(state, compute);
  const size_t count = states.size();
  std::vector<Value> made;
  if (length.isConstant(1)) {
    made = iterate(Expr(0), states, step);
    for (Value &row : llvm::drop_begin(made, count))
      row = op.b.unsqueeze(row, {0});
  } else {
    LoopBody body(op, states, {length, Value(), Value()}, /*hasCondition=*/false);
    body.make([&](const Expr &index, ArrayRef<Tensor> carried) {
      const auto values = llvm::map_to_vector(carried, [&](Tensor tensor) { return op.materialize(tensor); });
      std::vector<Tensor> outputs;
      for (Value value : iterate(index, values, step))
        outputs.push_back(op.ofValue(value));
      return outputs;
    });
    made = body.create();
  }
  setResults(made.size() > count ? made.back() : Value(), ArrayRef(made).take_front(count));
}

/// New states and, where Y is asked for, its row. Behind the end of its sequence a state stays what it was, for a
/// backward one the state before the first step, and Y is 0.
std::vector<Value> Recurrence::iterate(const Expr &index, ArrayRef<Value> carried, Step step) const {
  Exprs places;
  for (int64_t i = 0; i < directions; ++i)
    places.push_back(isBackward(i) ? length - 1 - index : index);
  const Value input = inputsAt(places);
  std::vector<Value> states;
  for (Value state : carried)
    states.push_back(op.b.cast(state, compute));
  std::vector<Value> next = step(input, states);
  for (auto [value, before] : llvm::zip_equal(next, carried))
    value = op.b.cast(value, op.b.element(before));
  if (op.wants(0))
    next.push_back(next[0]);
  if (!lengths)
    return next;
  const Value within = isWithin(places);
  for (auto [value, before] : llvm::zip(next, carried))
    value = op.b.select(within, value, before);
  if (op.wants(0)) {
    const Value zero = op.b.scalar(0, element);
    next.back() = op.b.select(within, next.back(), zero);
  }
  return next;
}

Value Recurrence::inputsAt(ArrayRef<Expr> places) const {
  const Value all = here(inputs);
  SmallVector<Value> parts;
  for (auto [i, place] : llvm::enumerate(places)) {
    const Expr columns = Expr(gates) * hidden;
    const Value one = op.b.slice(all, {place, Expr(0), Expr(static_cast<int64_t>(i)), Expr(0)}, {1, 1, 1, 1},
                                 {Expr(1), batch, Expr(1), columns});
    parts.push_back(op.b.reshape(one, {Expr(1), batch, columns}));
  }
  return op.b.concat(parts, 0);
}

/// Of each direction and sequence, [directions, batch, 1].
Value Recurrence::isWithin(ArrayRef<Expr> places) const {
  const Type integer = IntegerType::get(op.b.context(), 64);
  const Value ends = op.b.reshape(op.b.cast(here(lengths), integer), {Expr(1), batch, Expr(1)});
  const Value at = op.b.dims(places, {directions, 1, 1}, integer);
  return op.b.binary(BinaryKind::Less, at, ends);
}

Value Recurrence::part(Value parts, int64_t number) const {
  return piece(parts, graph::rankOf(parts) - 1, Expr(number) * hidden, hidden);
}

Value Recurrence::part(Tensor rows, int64_t number) const {
  return op.b.cast(op.b.unsqueeze(part(here(rows), number), {1}), compute);
}

Value Recurrence::activateSum(size_t function, Value sum) const {
  if (clip) {
    const Value low = op.b.scalar(-*clip, compute), high = op.b.scalar(*clip, compute);
    sum = op.b.binary(BinaryKind::Min, op.b.binary(BinaryKind::Max, sum, low), high);
  }
  return activate(function, sum);
}

Value Recurrence::activate(size_t function, Value value) const {
  const RecurrentActivation &forward = activations[function];
  const RecurrentActivation &last = activations[activations.size() * (directions - 1) / directions + function];
  if (forward == last)
    return forward.of(op.b, value);
  const Value first = forward.of(op.b, piece(value, 0, Expr(0), Expr(1)));
  const Value second = last.of(op.b, piece(value, 0, Expr(1), Expr(1)));
  return op.b.concat({first, second}, 0);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// What a backward direction made first is the last row.
Value Recurrence::inOrder(Value rows) const {
  SmallVector<Value> parts;
  for (int64_t i = 0; i < directions; ++i) {
    Exprs starts(4, Expr(0)), sizes{length, Expr(1), batch, hidden};
    starts[1] = Expr(i);
    Ints steps(4, 1);
    if (isBackward(i) && !length.isConstant(1)) {
      starts[0] = length - 1;
      steps[0] = -1;
    }
    parts.push_back(op.b.slice(rows, starts, steps, sizes));
  }
  return op.b.concat(parts, 1);
}

void Recurrence::setResults(Value rows, ArrayRef<Value> states) {
  if (op.wants(0)) {
    const Value y = inOrder(rows);
    op.result(batchFirst ? op.b.transpose(y, {2, 0, 1, 3}) : y, 0);
  }
  for (auto [i, state] : llvm::enumerate(states)) {
    if (!op.wants(1 + i))
      continue;
    const Value last = op.b.cast(state, element);
    op.result(batchFirst ? op.b.transpose(last, {1, 0, 2}) : last, 1 + i);
  }
}

/// As the body that is being made may use it.
Value Recurrence::here(Tensor tensor) const { return op.materialize(op.bodies().scopes.here(tensor)); }

Value Recurrence::piece(Value value, int64_t axis, const Expr &start, const Expr &size) const {
  Exprs starts(graph::rankOf(value), Expr(0)), sizes = op.b.shape(value);
  starts[axis] = start;
  sizes[axis] = size;
  return op.b.slice(value, starts, Ints(starts.size(), 1), sizes);
}

} // namespace cupola::onnx_import
