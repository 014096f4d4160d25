//===- lib/Import/Onnx/Ops/SequenceParts.cpp - sequences as a whole --------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Bodies.h"
#include "lib/Import/Onnx/Composite.h"
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/Ops/Ops.h"

#include "onnx/onnx_pb.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// `count` parts of `size`, and what is left.
Exprs evenParts(OpBinder &op, const Expr &extent, int64_t size, const std::string &why) {
  if (!extent.constant())
    op.undecided({extent}, "the dimension that is split has the extent " + extent.text() + ", supported " + why +
                               " is one that is known while compiling");
  Exprs parts;
  for (int64_t left = *extent.constant(); left > 0; left -= size)
    parts.push_back(Expr(std::min(left, size)));
  return parts;
}

Exprs givenParts(OpBinder &op, const Expr &extent) {
  const Exprs sizes = op.symbolicInts(1, "split");
  if (op.rank(1, "split") == 0) {
    const int64_t size = op.constantInt(1, "split");
    if (size < 1)
      op.bad("input 1 (split) is " + std::to_string(size) + ", expected 1 or more");
    return evenParts(op, extent, size, "with a 'split' of one number");
  }
  Expr sum(0);
  for (const Expr &size : sizes) {
    if (size.constant() && *size.constant() < 0)
      op.bad("input 1 (split) has the value " + size.text() + ", expected none below 0");
    sum = sum + op.b.extent(size, "a part of the split");
  }
  op.b.sameExtent(sum, extent, "the sum of split and the extent that is split");
  return sizes;
}

std::vector<Tensor> cut(OpBinder &op, int64_t axis, ArrayRef<Expr> sizes, bool keepsDims) {
  const Value value = op.value(0, "input");
  const Exprs shape = op.b.shape(value);
  Exprs starts(shape.size(), Expr(0)), extents = shape;
  std::vector<Tensor> parts;
  for (const Expr &size : sizes) {
    extents[static_cast<size_t>(axis)] = size;
    const Value part = op.b.slice(value, starts, Ints(shape.size(), 1), extents);
    parts.push_back(op.ofValue(keepsDims ? part : op.b.squeeze(part, {axis})));
    starts[static_cast<size_t>(axis)] = starts[static_cast<size_t>(axis)] + size;
  }
  return parts;
}

/// `from` moves to `to`, the others keep their order.
Value moveAxis(OpBinder &op, Value value, int64_t from, int64_t to) {
  Ints perm = sequence(0, static_cast<int64_t>(op.b.shape(value).size()));
  perm.erase(perm.begin() + from);
  perm.insert(perm.begin() + to, from);
  return op.b.transpose(value, perm);
}

void concatStack(OpBinder &op, Value rows, int64_t axis, bool isNewAxis) {
  const Value moved = moveAxis(op, rows, 0, axis);
  if (isNewAxis)
    return op.result(moved);
  Exprs dims = op.b.shape(moved);
  const auto at = dims.begin() + axis;
  *at = *at * *(at + 1);
  dims.erase(at + 1);
  op.result(op.b.reshape(moved, dims));
}

std::vector<std::vector<Tensor>> mappedOperands(OpBinder &op, size_t count) {
  std::vector<std::vector<Tensor>> operands;
  for (size_t i = 0; i < op.inputCount(); ++i) {
    const Tensor operand = op.operand(i, "inputs");
    operands.push_back(operand->composite ? elementsOf(op, i, "inputs") : std::vector<Tensor>(count, operand));
    if (operands.back().size() != count)
      op.bad(operandText(i, "inputs") + " is " + formOf(*operand) + ", expected " + std::to_string(count) +
             ", as many as input 0 has");
  }
  return operands;
}

/// Of a sequence without elements, by what the body declares.
Type declaredElement(OpBinder &op, const onnx::ValueInfoProto &output) {
  const Type element = elementTypeOf(output.type().tensor_type().elem_type(), op.b.context());
  if (!element)
    op.unsupported("no element of the sequence '" + output.name() + "' is there, and the body declares no type of it");
  return element;
}

} // namespace

void importSplitToSequence(OpBinder &op) {
  const Exprs shape = op.shape(0, "input");
  const int64_t axis = op.axis(op.intAttribute("axis", 0), static_cast<int64_t>(shape.size()));
  const bool keepsDims = op.intAttribute("keepdims", 1) != 0 || op.has(1);
  const Expr &extent = shape[static_cast<size_t>(axis)];
  const Type element = op.element(0, "input");
  if (op.has(1))
    return op.result(op.ofComposite({Composite::Sequence, cut(op, axis, givenParts(op, extent), true)}, element));
  if (!extent.constant()) {
    Value rows = moveAxis(op, op.value(0, "input"), axis, 0);
    if (keepsDims)
      rows = op.b.unsqueeze(rows, {axis + 1});
    return op.result(op.ofComposite({Composite::Stack, {op.ofValue(rows)}}, element));
  }
  if (*extent.constant() > op.limits.nodeOperands)
    op.b.fail("a sequence of " + exceeds(op.limits, &Limits::nodeOperands, extent.text() + " elements"),
              ErrorKind::Limit);
  op.result(
      op.ofComposite({Composite::Sequence, cut(op, axis, Exprs(*extent.constant(), Expr(1)), keepsDims)}, element));
}

void importConcatFromSequence(OpBinder &op) {
  const Tensor sequence = op.sequence(0, "input_sequence"), stack = stackOf(*sequence);
  const bool isNewAxis = op.intAttribute("new_axis", 0) != 0;
  const std::vector<Tensor> &elements = sequence->composite->elements;
  if (elements.empty())
    op.bad("input 0 (input_sequence) is a sequence of 0 tensors, expected at least one");
  std::vector<Value> values;
  for (const Tensor element : elements)
    values.push_back(op.materialize(element));
  const auto rank = static_cast<int64_t>(op.b.shape(values.front()).size()) - (stack ? 1 : 0);
  const int64_t axis = op.axis(op.requiredInt("axis"), rank + (isNewAxis ? 1 : 0));
  if (stack)
    return concatStack(op, values.front(), axis, isNewAxis);
  if (isNewAxis)
    for (Value &value : values)
      value = op.b.unsqueeze(value, {axis});
  op.result(op.b.concat(values, axis));
}

void importSequenceMap(OpBinder &op) {
  const onnx::GraphProto &body = op.graphAttribute("body");
  const size_t count = elementsOf(op, 0, "input_sequence").size();
  if (static_cast<size_t>(body.input_size()) != op.inputCount() ||
      static_cast<size_t>(body.output_size()) != op.outputCount())
    op.bad("the body has " + std::to_string(body.input_size()) + " inputs and " + std::to_string(body.output_size()) +
           " outputs, the node has " + std::to_string(op.inputCount()) + " and " + std::to_string(op.outputCount()));
  op.bodies().requireRoom(op, body, static_cast<int64_t>(count));
  const std::vector<std::vector<Tensor>> operands = mappedOperands(op, count);
  std::vector<std::vector<Tensor>> results(op.outputCount());
  for (size_t i = 0; i < count; ++i) {
    std::vector<Tensor> inputs;
    for (const std::vector<Tensor> &list : operands)
      inputs.push_back(list[i]);
    for (auto [list, output] : llvm::zip_equal(results, op.bodies().inPlace(body, inputs))) {
      if (output->poisoned)
        throw BodyError();
      if (output->composite)
        op.bad("the body gives " + formOf(*output) + ", expected a tensor");
      list.push_back(output);
    }
  }
  for (auto [i, list] : llvm::enumerate(results)) {
    const Type element = list.empty() ? declaredElement(op, body.output(static_cast<int>(i))) : list.front()->element;
    op.result(op.ofComposite({Composite::Sequence, list}, element), i);
  }
}

} // namespace cupola::onnx_import
