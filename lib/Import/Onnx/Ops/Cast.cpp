//===- lib/Import/Onnx/Ops/Cast.cpp - conversions of the element type ------===//
// SPDX-License-Identifier: Apache-2.0
#include "dialects/Graph/ElementTypes.h"
#include "lib/Import/Onnx/NarrowTypes.h"
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/StringTypes.h"
#include "lib/Import/Onnx/Text.h"
#include "lib/Import/Onnx/ValuePropagation.h"

#include "onnx/onnx_pb.h"

using namespace mlir;

namespace cupola::onnx_import {

static NarrowRounding roundingOf(OpBinder &op) {
  static constexpr std::pair<StringRef, RoundMode> modes[] = {
      {"up", RoundMode::Up}, {"down", RoundMode::Down}, {"nearest", RoundMode::Nearest}};
  const std::string mode = op.stringAttribute("round_mode", "up");
  const auto *found = llvm::find_if(modes, [&](const auto &row) { return row.first == mode; });
  if (found == std::end(modes))
    op.bad("attribute 'round_mode' is '" + printable(mode) + "', expected up, down or nearest");
  return {op.intAttribute("saturate", 1) != 0, found->second};
}

static bool isNarrowFloat(Type element) { return isNarrow(element) && isa<FloatType>(element); }

/// A text of each number, or the number that each text is.
static void castText(OpBinder &op, Type to) {
  const bool toText = isString(to);
  Value input = op.value(0, "input");
  const Type number = toText ? op.b.element(input) : to;
  Value result = op.b.host(toText ? "string_format" : "string_parse", {format::dtypeName(graph::dtypeOf(number))},
                           {input}, op.b.shape(input), toText ? op.b.int64() : number);
  op.result(toText ? asStrings(op, result) : op.ofValue(result));
}

/// Whether numbers of one type lose digits as those of another with 16 bits, in which kernels do not compute.
static bool losesDigits(Type from, Type to) { return (to.isF16() || to.isBF16()) && from.getIntOrFloatBitWidth() > 8; }

static void castTo(OpBinder &op, Type to) {
  const NarrowRounding rounding = roundingOf(op);
  const Type from = op.element(0, "input");
  if (from == to)
    return op.result(op.tensor(0, "input"));
  if (isString(to) || isString(from))
    return castText(op, to);
  if (!isNarrowFloat(from) && !isNarrow(to))
    if (auto known = foldCast(op, to))
      return op.result(std::move(*known), to);
  Value numbers = numbersOf(op.b, op.value(0, "input"), from);
  op.result(isNarrow(to) ? roundedTo(op.b, numbers, to, rounding) : op.b.cast(numbers, to, losesDigits(from, to)), to);
}

static Type typeNumbered(OpBinder &op, int32_t number) {
  const Type to = modelTypeOf(number, op.b.context());
  if (!to)
    op.unsupported("attribute 'to' is " + elementTypeName(number) + ", which is not supported");
  return to;
}

static void castToNumber(OpBinder &op, int32_t number) { castTo(op, typeNumbered(op, number)); }

/// Of an element where several may share a byte; a bool takes one.
static int64_t bitsOf(Type element) {
  return isNarrow(element) ? element.getIntOrFloatBitWidth() : 8 * graph::byteSize(element);
}

void importBitCast(OpBinder &op) {
  const Type from = op.element(0, "input"), to = typeNumbered(op, static_cast<int32_t>(op.requiredInt("to")));
  if (bitsOf(from) != bitsOf(to))
    op.bad("attribute 'to' is " + typeText(to) + " and input 0 (input) has elements of " + typeText(from) +
           ", expected types of one size");
  if (from == to)
    return op.result(op.tensor(0, "input"));
  const Type held = heldIn(from), target = heldIn(to);
  Value value = bytesOf(op.b, op.value(0, "input"), from);
  // Integers wrap. The byte of a bool is 0 or 1; as a bool, every other byte is 1.
  value = isa<IntegerType>(held) && isa<IntegerType>(target) ? op.b.cast(value, target) : op.b.bitcast(value, target);
  op.result(heldOf(op.b, value, to), to);
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
