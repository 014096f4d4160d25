//===- lib/Import/Onnx/Ops/Sequence.cpp - sequences, element by element ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Composite.h"
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/Ops/Ops.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

void giveSequence(OpBinder &op, std::vector<Tensor> elements, Type element) {
  op.result(op.ofComposite({Composite::Sequence, std::move(elements)}, element));
}

void requireElement(OpBinder &op, Type found, Type expected, const std::string &what) {
  if (found != expected)
    op.bad(what + " has elements of " + typeText(found) + ", expected " + typeText(expected) +
           ", which the sequence has");
}

/// The operand `position` among `count` places, of which negative ones are counted from `length`; nothing where a run
/// finds it.
std::optional<size_t> knownPlace(OpBinder &op, size_t index, size_t length, size_t count) {
  op.requireIndex(index, "position");
  const Known *known = op.known(index);
  const auto place = known && known->isScalarLike() ? known->elements[0].intConstant() : std::nullopt;
  if (!place)
    return std::nullopt;
  const auto all = static_cast<int64_t>(length), last = static_cast<int64_t>(count) - 1;
  if (*place < -all || *place > last)
    op.bad(operandText(index, "position") + " is " + std::to_string(*place) + ", expected " + std::to_string(-all) +
           " to " + std::to_string(last) + " for a sequence of " + std::to_string(length));
  return static_cast<size_t>(*place < 0 ? *place + all : *place);
}

/// The operand `position` as one int64 that is counted from the front.
Value placeOf(OpBinder &op, size_t index, size_t length) {
  const Value given = op.b.cast(op.b.reshape(op.scalar(index, "position"), {}), op.b.int64());
  const Value wrapped = op.b.binary(BinaryKind::Add, given, op.b.intScalar(static_cast<int64_t>(length), op.b.int64()));
  const Value isNegative = op.b.binary(BinaryKind::Less, given, op.b.intScalar(0, op.b.int64()));
  return op.b.select(isNegative, wrapped, given);
}

/// A place that a run finds can be any: what is there then has one shape.
void requireAlike(OpBinder &op, size_t index, ArrayRef<Tensor> tensors) {
  if (!areAlike(op, tensors))
    op.undecided(index, operandText(index, "position") +
                            " is not known while compiling, supported is that of sequences of tensors of one shape");
}

Value compare(OpBinder &op, BinaryKind kind, size_t number, Value place) {
  return op.b.binary(kind, op.b.intScalar(static_cast<int64_t>(number), op.b.int64()), place);
}

/// At the back or the front: other places would move rows.
void insertIntoStack(OpBinder &op, Tensor stack) {
  const Value rows = op.materialize(stack), added = op.b.unsqueeze(op.value(1, "tensor"), {0});
  const Known *place = op.known(2);
  const bool atFront = place && place->isScalarLike() && place->elements[0].num.isConstant(0);
  if (op.has(2) && !atFront)
    op.unsupported("input 0 (input_sequence) is " + formOf(*op.sequence(0, "input_sequence")) +
                   ", supported positions are its front and its back");
  const std::vector<Value> parts = atFront ? std::vector<Value>{added, rows} : std::vector<Value>{rows, added};
  op.result(stackOfRows(op, op.b.concat(parts, 0), op.element(0, "input_sequence")));
}

std::vector<Tensor> insertedAnywhere(OpBinder &op, std::vector<Tensor> elements, Tensor added) {
  const size_t count = elements.size();
  std::vector<Tensor> all = elements;
  all.push_back(added);
  requireAlike(op, 2, all);
  const Value place = placeOf(op, 2, count), tensor = op.materialize(added);
  for (size_t i = 0; i <= count; ++i) {
    Value value = tensor;
    if (i > 0)
      value = op.b.select(compare(op, BinaryKind::Equal, i, place), value, op.materialize(elements[i - 1]));
    if (i < count)
      value = op.b.select(compare(op, BinaryKind::Less, i, place), op.materialize(elements[i]), value);
    if (i == 0 && count > 0) // nothing is before the first place
      value = op.b.select(compare(op, BinaryKind::Equal, 0, place), tensor, op.materialize(elements[0]));
    all[i] = op.ofValue(value);
  }
  return all;
}

std::vector<Tensor> erasedAnywhere(OpBinder &op, const std::vector<Tensor> &elements) {
  requireAlike(op, 1, elements);
  const Value place = placeOf(op, 1, elements.size());
  std::vector<Tensor> kept;
  for (size_t i = 0; i + 1 < elements.size(); ++i)
    kept.push_back(op.ofValue(op.b.select(compare(op, BinaryKind::Less, i, place), op.materialize(elements[i]),
                                          op.materialize(elements[i + 1]))));
  return kept;
}

} // namespace

void importSequenceConstruct(OpBinder &op) {
  std::vector<Tensor> elements;
  for (size_t i = 0; i < op.inputCount(); ++i) {
    elements.push_back(op.tensor(i, "inputs"));
    requireElement(op, elements.back()->element, elements.front()->element, operandText(i, "inputs"));
  }
  giveSequence(op, elements, elements.front()->element);
}

void importSequenceEmpty(OpBinder &op) {
  const auto dataType = static_cast<int32_t>(op.intAttribute("dtype", 1)); // float
  const Type element = elementTypeOf(dataType, op.b.context());
  if (!element)
    op.unsupported("attribute 'dtype' is " + elementTypeName(dataType) + ", which is not supported");
  giveSequence(op, {}, element);
}

void importSequenceInsert(OpBinder &op) {
  const Tensor sequence = op.sequence(0, "input_sequence"), added = op.tensor(1, "tensor");
  requireElement(op, added->element, sequence->element, operandText(1, "tensor"));
  if (const Tensor stack = stackOf(*sequence))
    return insertIntoStack(op, stack);
  std::vector<Tensor> elements = sequence->composite->elements;
  const auto place = op.has(2) ? knownPlace(op, 2, elements.size(), elements.size() + 1) : elements.size();
  if (!place)
    return giveSequence(op, insertedAnywhere(op, std::move(elements), added), sequence->element);
  elements.insert(elements.begin() + static_cast<ptrdiff_t>(*place), added);
  giveSequence(op, std::move(elements), sequence->element);
}

void importSequenceErase(OpBinder &op) {
  std::vector<Tensor> elements = elementsOf(op, 0, "input_sequence");
  const Type element = op.element(0, "input_sequence");
  if (elements.empty())
    op.bad("input 0 (input_sequence) is a sequence of 0 tensors, expected one to erase");
  const auto place = op.has(1) ? knownPlace(op, 1, elements.size(), elements.size()) : elements.size() - 1;
  if (!place)
    return giveSequence(op, erasedAnywhere(op, elements), element);
  elements.erase(elements.begin() + static_cast<ptrdiff_t>(*place));
  giveSequence(op, std::move(elements), element);
}

void importSequenceAt(OpBinder &op) {
  const Tensor sequence = op.sequence(0, "input_sequence");
  if (const Tensor stack = stackOf(*sequence)) {
    op.requireIndex(1, "position");
    return op.result(op.b.gather(op.materialize(stack), op.b.reshape(op.scalar(1, "position"), {}), 0));
  }
  const std::vector<Tensor> &elements = sequence->composite->elements;
  if (const auto place = knownPlace(op, 1, elements.size(), elements.size()))
    return op.result(elements[*place]);
  if (elements.empty())
    op.bad("input 0 (input_sequence) is a sequence of 0 tensors, expected one to read");
  requireAlike(op, 1, elements);
  op.result(op.b.gather(stacked(op, elements), op.b.reshape(op.scalar(1, "position"), {}), 0));
}

void importSequenceLength(OpBinder &op) {
  const Tensor sequence = op.sequence(0, "input_sequence"), stack = stackOf(*sequence);
  const Expr length =
      stack ? op.b.shape(op.materialize(stack))[0] : Expr(static_cast<int64_t>(sequence->composite->elements.size()));
  op.result(Known{{}, {Scalar::integer(length)}}, op.b.int64());
}

} // namespace cupola::onnx_import
