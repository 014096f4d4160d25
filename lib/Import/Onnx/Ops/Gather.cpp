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

void importGatherND(OpBinder &op) {
  op.requireIndex(1, "indices");
  op.result(op.b.gatherND(op.value(0, "data"), op.value(1, "indices"), op.intAttribute("batch_dims", 0)));
}

} // namespace cupola::onnx_import
