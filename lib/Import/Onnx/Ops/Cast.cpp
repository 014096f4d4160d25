//===- lib/Import/Onnx/Ops/Cast.cpp - conversions of the element type ------===//
// SPDX-License-Identifier: Apache-2.0
#include "dialects/Graph/ElementTypes.h"
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/StringTypes.h"
#include "lib/Import/Onnx/Text.h"
#include "lib/Import/Onnx/ValuePropagation.h"

#include "onnx/onnx_pb.h"

using namespace mlir;

namespace cupola::onnx_import {

/// A text of each number, or the number that each text is.
static void castText(OpBinder &op, Type to) {
  const bool toText = isString(to);
  Value input = op.value(0, "input");
  const Type number = toText ? op.b.element(input) : to;
  Value result = op.b.host(toText ? "string_format" : "string_parse", {format::dtypeName(graph::dtypeOf(number))},
                           {input}, op.b.shape(input), toText ? op.b.int64() : number);
  op.result(toText ? asStrings(op, result) : op.ofValue(result));
}

static void castTo(OpBinder &op, Type to) {
  // Both concern 8-bit floats alone, which have no place here.
  op.ignoreAttribute("saturate");
  op.ignoreAttribute("round_mode");
  if (op.element(0, "input") == to)
    return op.result(op.tensor(0, "input"));
  if (isString(to) || isString(op.element(0, "input")))
    return castText(op, to);
  if (auto known = foldCast(op, to))
    return op.result(std::move(*known), to);
  op.result(op.b.cast(op.value(0, "input"), to));
}

static Type typeNumbered(OpBinder &op, int32_t number) {
  const Type to = elementTypeOf(number, op.b.context());
  if (!to)
    op.unsupported("attribute 'to' is " + elementTypeName(number) + ", which is not supported");
  return to;
}

static void castToNumber(OpBinder &op, int32_t number) {
  castTo(op, number == onnx::TensorProto::STRING ? stringType(op.b.context()) : typeNumbered(op, number));
}

void importBitCast(OpBinder &op) {
  const Type from = op.element(0, "input"), to = typeNumbered(op, static_cast<int32_t>(op.requiredInt("to")));
  if (graph::byteSize(from) != graph::byteSize(to))
    op.bad("attribute 'to' is " + typeText(to) + " and input 0 (input) has elements of " + typeText(from) +
           ", expected types of one size");
  // Integers wrap. The byte of a bool is 0 or 1; as a bool, every other byte is 1.
  if (from == to || (isa<IntegerType>(from) && isa<IntegerType>(to)))
    return castTo(op, to);
  op.result(op.b.bitcast(op.value(0, "input"), to));
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
