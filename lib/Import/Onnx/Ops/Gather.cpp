//===- lib/Import/Onnx/Ops/Gather.cpp - indexed reads ----------------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/ValuePropagation.h"

using namespace mlir;

namespace cupola::onnx_import {

/// Constant indices are checked now, all others by the kernel.
static void checkConstantIndices(OpBinder &op, const Expr &extent) {
  const Known *indices = op.known(1);
  if (!indices || !extent.constant())
    return;
  const int64_t size = *extent.constant();
  for (const Scalar &element : indices->elements)
    if (const auto index = element.intConstant(); index && (*index < -size || *index >= size))
      op.bad("an index is " + std::to_string(*index) + ", expected " + std::to_string(-size) + " to " +
             std::to_string(size - 1) + " for extent " + std::to_string(size));
}

void importGather(OpBinder &op) {
  op.requireIndex(1, "indices");
  const Exprs shape = op.shape(0, "data");
  const int64_t axis = op.axis(op.intAttribute("axis", 0), static_cast<int64_t>(shape.size()));
  checkConstantIndices(op, shape[static_cast<size_t>(axis)]);
  if (op.known(0) && op.known(1))
    if (auto known = gatherKnown(*op.known(0), *op.known(1), axis))
      return op.result(std::move(*known), op.element(0, "data"));
  op.result(op.b.gather(op.value(0, "data"), op.value(1, "indices"), axis));
}

void importGatherElements(OpBinder &op) {
  op.requireIndex(1, "indices");
  const Exprs shape = op.shape(0, "data");
  const int64_t axis = op.axis(op.intAttribute("axis", 0), static_cast<int64_t>(shape.size()));
  checkConstantIndices(op, shape[static_cast<size_t>(axis)]);
  op.result(op.b.gatherElements(op.value(0, "data"), op.value(1, "indices"), axis));
}

/// Indices of one dimension are those of Gather.
void importGatherND(OpBinder &op) {
  op.requireIndex(1, "indices");
  const int64_t batch = op.intAttribute("batch_dims", 0), last = op.rank(1, "indices", 1) - 1;
  Value data = op.value(0, "data"), indices = op.value(1, "indices");
  const bool isOne =
      op.b.shape(indices).back().isConstant(1) && batch >= 0 && batch <= last && batch < op.rank(0, "data");
  op.result(isOne ? op.b.gather(data, op.b.squeeze(indices, {last}), batch, batch)
                  : op.b.gatherND(data, indices, batch));
}

/// Along time the first elements of each entry of the batch come last one first; the others stay.
void importReverseSequence(OpBinder &op) {
  op.requireIndex(1, "sequence_lens");
  const int64_t rank = op.rank(0, "input", 2), batch = op.axis(op.intAttribute("batch_axis", 1), rank, "batch_axis");
  const int64_t time = op.axis(op.intAttribute("time_axis", 0), rank, "time_axis");
  if (batch == time)
    op.bad("batch_axis and time_axis are both " + std::to_string(batch) + ", expected two axes");
  Value value = op.value(0, "input"), lengths = op.value(1, "sequence_lens");
  const Exprs shape = op.b.shape(value);
  if (op.b.shape(lengths).size() != 1)
    op.bad("input 1 (sequence_lens) has the shape " + shapeText(op.b.shape(lengths)) + ", expected rank 1");
  Exprs perEntry(shape.size(), Expr(1)), steps = perEntry;
  perEntry[batch] = op.b.sameExtent(shape[batch], op.b.shape(lengths)[0], "the extents of the batch and sequence_lens");
  steps[time] = shape[time];
  Value step = op.b.iota(steps, time), one = op.b.intScalar(1, op.b.element(step));
  Value length = op.b.reshape(op.b.cast(lengths, op.b.element(step)), perEntry);
  Value mirrored = op.b.binary(BinaryKind::Sub, op.b.binary(BinaryKind::Sub, length, one), step);
  Value index = op.b.select(op.b.binary(BinaryKind::Less, step, length), mirrored, step);
  op.result(op.b.gatherElements(value, op.b.broadcast(index, shape), time));
}

} // namespace cupola::onnx_import
