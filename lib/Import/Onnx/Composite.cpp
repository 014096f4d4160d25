//===- lib/Import/Onnx/Composite.cpp - sequences and optionals -------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Composite.h"

#include "onnx/onnx_pb.h"

using namespace mlir;

namespace cupola::onnx_import {

std::string formOf(const TensorRecord &value) {
  if (!value.composite)
    return "a tensor";
  const std::vector<Tensor> &elements = value.composite->elements;
  switch (value.composite->kind) {
  case Composite::Optional:
    return elements.empty() ? "an optional that is absent" : "an optional that is " + formOf(*elements.front());
  case Composite::Stack:
    return "a sequence of tensors of one shape, whose number a run decides";
  case Composite::Maps:
    return "a sequence of maps";
  case Composite::Sequence:
    return "a sequence of " + std::to_string(elements.size()) + (elements.size() == 1 ? " tensor" : " tensors");
  }
  llvm_unreachable("all kinds are above");
}

Tensor compositeOf(TensorPool &pool, const format::Composite &input, const std::vector<Tensor> &elements,
                   Type element) {
  const auto sequence = [&] { return pool.ofComposite({Composite::Sequence, elements}, element); };
  if (input.kind == format::Composite::Sequence)
    return sequence();
  const bool isList = input.kind == format::Composite::OptionalSequence && !input.absent;
  return pool.ofComposite({Composite::Optional, isList ? std::vector<Tensor>{sequence()} : elements}, element);
}

void addLeaves(Tensor value, std::vector<Tensor> &leaves) {
  if (!value->composite)
    return leaves.push_back(value);
  for (Tensor element : value->composite->elements)
    addLeaves(element, leaves);
}

std::vector<Tensor> leavesOf(ArrayRef<Tensor> values) {
  std::vector<Tensor> leaves;
  for (Tensor value : values)
    addLeaves(value, leaves);
  return leaves;
}

Tensor withLeaves(OpBinder &op, const TensorRecord &form, ArrayRef<Tensor> &leaves) {
  if (!form.composite) {
    const Tensor leaf = leaves.front();
    leaves = leaves.drop_front();
    return leaf;
  }
  Composite composite{form.composite->kind, {}};
  for (const Tensor element : form.composite->elements)
    composite.elements.push_back(withLeaves(op, *element, leaves));
  return op.ofComposite(std::move(composite), form.element);
}

static Exprs shapeOf(const OpBinder &op, const TensorRecord &tensor) {
  return tensor.value ? op.b.shape(tensor.value) : op.b.facts().current(tensor.dims);
}

bool areAlike(const OpBinder &op, ArrayRef<Tensor> tensors) {
  const Exprs first = shapeOf(op, *tensors.front());
  return llvm::all_of(tensors, [&](const Tensor tensor) {
    const Exprs dims = shapeOf(op, *tensor);
    return tensor->element == tensors.front()->element && dims.size() == first.size() &&
           llvm::all_of(llvm::zip_equal(dims, first), [&](const auto &pair) {
             return proveEqual(std::get<0>(pair), std::get<1>(pair), op.b.ranges()) == true;
           });
  });
}

Value stacked(OpBinder &op, ArrayRef<Tensor> tensors) {
  std::vector<Value> rows;
  for (const Tensor tensor : tensors)
    rows.push_back(op.b.unsqueeze(op.materialize(tensor), {0}));
  return op.b.concat(rows, 0);
}

Tensor stackOfRows(OpBinder &op, Value rows, Type element) {
  return op.ofComposite({Composite::Stack, {op.ofValue(rows, element)}}, element);
}

std::vector<Value> rowsOf(GraphBuilder &b, Value stack) {
  std::vector<Value> rows;
  const Exprs dims = b.shape(stack);
  Exprs starts(dims.size(), Expr(0)), sizes = dims;
  sizes[0] = Expr(1);
  for (int64_t i = 0; i < *dims[0].constant(); ++i) {
    starts[0] = Expr(i);
    rows.push_back(b.squeeze(b.slice(stack, starts, Ints(dims.size(), 1), sizes), {0}));
  }
  return rows;
}

Tensor stackOf(const TensorRecord &sequence) {
  return sequence.composite->kind == Composite::Stack ? sequence.composite->elements.front() : nullptr;
}

std::vector<Tensor> elementsOf(OpBinder &op, size_t index, StringRef name) {
  const Tensor sequence = op.sequence(index, name), stack = stackOf(*sequence);
  if (!stack)
    return sequence->composite->elements;
  const Value rows = op.materialize(stack);
  const Exprs dims = op.b.shape(rows);
  if (!dims[0].constant())
    op.undecided({dims[0]}, operandText(index, name) + " is " + formOf(*sequence) + " (" + dims[0].text() +
                                "), supported are lengths that are known while compiling");
  std::vector<Tensor> elements;
  for (Value row : rowsOf(op.b, rows))
    elements.push_back(op.ofValue(row, sequence->element));
  return elements;
}

//===----------------------------------------------------------------------===//
// Of a node
//===----------------------------------------------------------------------===//

Tensor OpBinder::operand(size_t index, StringRef name) const {
  if (!has(index))
    bad(operandText(index, name) + " is missing");
  return operands[index];
}

Tensor OpBinder::sequence(size_t index, StringRef name) const {
  const Tensor found = operand(index, name);
  if (!found->composite || found->composite->kind == Composite::Optional)
    bad(operandText(index, name) + " is " + formOf(*found) + ", expected a sequence");
  if (found->composite->kind == Composite::Maps)
    unsupported(operandText(index, name) + " is " + formOf(*found) + ", supported are sequences of tensors");
  return found;
}

Tensor OpBinder::ofComposite(Composite composite, Type element) const {
  return pool.ofComposite(std::move(composite), element);
}

const onnx::TypeProto *OpBinder::typeAttribute(StringRef name) const {
  const auto *entry = attribute(name, onnx::AttributeProto::TYPE_PROTO);
  return entry ? &entry->tp() : nullptr;
}

} // namespace cupola::onnx_import
