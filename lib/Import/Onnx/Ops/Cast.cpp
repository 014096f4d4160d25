//===- lib/Import/Onnx/Ops/Cast.cpp - conversions of the element type ------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/Text.h"
#include "lib/Import/Onnx/ValuePropagation.h"

#include "onnx/onnx_pb.h"

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

static void castToNumber(OpBinder &op, int32_t number) {
  const Type to = elementTypeOf(number, op.b.context());
  if (!to)
    op.unsupported("attribute 'to' is " + elementTypeName(number) + ", which is not supported");
  castTo(op, to);
}

void importCast(OpBinder &op) { castToNumber(op, static_cast<int32_t>(op.requiredInt("to"))); }

void importCast1(OpBinder &op) {
  onnx::TensorProto::DataType number;
  const std::string name = op.stringAttribute("to", "");
  if (!onnx::TensorProto::DataType_Parse(name, &number))
    op.bad("attribute 'to' is '" + printable(name) + "', expected the name of a type as FLOAT or INT64");
  castToNumber(op, number);
}

void importCastLike(OpBinder &op) { castTo(op, op.element(1, "target_type")); }

} // namespace cupola::onnx_import
