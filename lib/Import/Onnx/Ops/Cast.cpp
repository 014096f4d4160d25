//===- lib/Import/Onnx/Ops/Cast.cpp - conversions of the element type ------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/ValuePropagation.h"

using namespace mlir;

namespace cupola::onnx_import {

static void castTo(OpBinder &op, Type to) {
  // Both concern 8-bit floats alone, which have no place here.
  op.ignoreAttribute("saturate");
  op.ignoreAttribute("round_mode");
  if (op.element(0, "input") == to)
    return op.result(op.tensor(0, "input"));
  if (auto known = foldCast(op, to))
    return op.result(std::move(*known), to);
  op.result(op.b.cast(op.value(0, "input"), to));
}

void importCast(OpBinder &op) {
  const int64_t number = op.requiredInt("to");
  const Type to = elementTypeOf(static_cast<int32_t>(number), op.b.context());
  if (!to)
    op.unsupported("attribute 'to' is " + elementTypeName(static_cast<int32_t>(number)) + ", which is not supported");
  castTo(op, to);
}

void importCastLike(OpBinder &op) { castTo(op, op.element(1, "target_type")); }

} // namespace cupola::onnx_import
