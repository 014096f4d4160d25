//===- lib/Import/Onnx/Ops/Microsoft/CacheFormat.cpp - how a cache has its numbers --------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Microsoft/CacheFormat.h"

#include "lib/Import/Onnx/NarrowTypes.h"
#include "lib/Import/Onnx/Ops/Heads.h"
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"
#include "lib/Import/Onnx/Ops/Quantize.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {
namespace {

constexpr int64_t middleOfNibble = 8;

std::string inputText(size_t index, StringRef name) {
  return "input " + std::to_string(index) + " (" + name.str() + ")";
}

/// What the two attributes say, which is the same of keys and values but for how many scales there are.
bool isQuantised(OpBinder &op, int64_t bits) {
  const bool keys = op.stringAttribute("k_quant_type", "NONE") != "NONE",
             values = op.stringAttribute("v_quant_type", "NONE") != "NONE";
  if (keys != values)
    op.bad("one of attributes 'k_quant_type' and 'v_quant_type' is NONE, expected both or none of them");
  const std::string why =
      std::string(", as attributes 'k_quant_type' and 'v_quant_type' are ") + (keys ? "not " : "") + "NONE";
  if (keys ? bits != 8 && bits != 4 : bits != 0)
    op.bad("attribute 'kv_cache_bit_width' is " + std::to_string(bits) + ", expected " + (keys ? "8 or 4" : "0") + why);
  for (size_t scale : {12, 13})
    if (op.has(scale) != keys)
      op.bad("input " + std::to_string(scale) + (scale == 12 ? " (k_scale) is " : " (v_scale) is ") +
             (keys ? "missing" : "given") + why);
  return keys;
}

/// What the model declares of integers of so many bits, or of float8, where there is a cache to tell.
Type elementOf(OpBinder &op, size_t past, StringRef name, int64_t bits) {
  const Type usual = IntegerType::get(op.b.context(), 8, bits == 8 ? IntegerType::Signless : IntegerType::Unsigned);
  const Type found = op.has(past) ? op.element(past, name) : usual;
  if (found != usual && !(bits == 8 && isa<Float8E4M3FNType>(found)))
    op.bad(inputText(past, name) + " has elements of " + typeText(found) + ", expected " + typeText(usual) +
           (bits == 8 ? " or float8e4m3fn" : "") + ", as attribute 'kv_cache_bit_width' is " + std::to_string(bits));
  return found;
}

/// [] or [1, heads, 1, size]
Value scaleOf(OpBinder &op, size_t index, StringRef side, Value rows) {
  const std::string name = side.str() + "_scale", attribute = side.str() + "_quant_type";
  const std::string kind = op.stringAttribute(attribute, "NONE");
  if (kind != "PER_TENSOR" && kind != "PER_CHANNEL")
    op.unsupported("attribute '" + attribute + "' is " + kind + ", supported are NONE, PER_TENSOR and PER_CHANNEL");
  op.requireFloat(index, name);
  const Exprs all = op.b.shape(rows);
  const Exprs shape = kind == "PER_CHANNEL" ? Exprs{Expr(1), all[1], Expr(1), all[3]} : Exprs{};
  op.b.sameExtent(graph::product(op.shape(index, name)), graph::product(shape),
                  "the elements of " + inputText(index, name) + " and the scales of a " + kind + " cache");
  return op.b.cast(op.b.reshape(op.value(index, name), shape), Float32Type::get(op.b.context()));
}

/// Half of the last dimension: every other element.
Value everyOther(OpBinder &op, Value value, int64_t first) {
  Exprs sizes = op.b.shape(value), from(sizes.size(), Expr(0));
  Ints steps(sizes.size(), 1);
  sizes.back() = floorDiv(sizes.back(), 2);
  from.back() = Expr(first);
  steps.back() = 2;
  return op.b.slice(value, from, steps, sizes);
}

/// Two neighbours as a byte.
Value inPairs(OpBinder &op, Value nibbles) {
  Value high = op.b.binary(BinaryKind::Mul, everyOther(op, nibbles, 1), op.b.intScalar(16, op.b.element(nibbles)));
  return op.b.binary(BinaryKind::BitwiseOr, everyOther(op, nibbles, 0), high);
}

Value encodedRows(OpBinder &op, const CacheFormat &format, Value rows, Value scale) {
  Value quotient = op.b.binary(BinaryKind::Div, op.b.cast(rows, op.b.element(scale)), scale);
  if (isNarrow(format.element))
    return roundedTo(op.b, quotient, format.element, NarrowRounding());
  if (format.bits == 8)
    return quantize::rounded(op, quotient, Value(), format.element);
  const Type type = op.b.element(quotient);
  const auto number = [&](int64_t value) { return op.b.scalar(static_cast<double>(value), type); };
  Value nibble = op.b.binary(BinaryKind::Add, op.b.unary(UnaryKind::Round, quotient), number(middleOfNibble));
  nibble =
      op.b.binary(BinaryKind::Max, op.b.binary(BinaryKind::Min, nibble, number(2 * middleOfNibble - 1)), number(0));
  return inPairs(op, op.b.cast(nibble, format.element));
}

Value numbersOfRows(OpBinder &op, const CacheFormat &format, Value cached, Type type) {
  if (format.bits != 4)
    return op.b.cast(numbersOf(op.b, cached, format.element), type);
  Value integers = unpacked(op, cached, format.bits);
  Value middle = op.b.intScalar(middleOfNibble, op.b.element(integers));
  return op.b.cast(op.b.binary(BinaryKind::Sub, integers, middle), type);
}

/// The product is rounded once.
Value times(OpBinder &op, Value value, Value scale) {
  Value wide = op.b.cast(value, op.b.element(scale));
  return op.b.cast(op.b.binary(BinaryKind::Mul, wide, scale), op.b.element(value));
}

/// [] or [1, heads, 1, size]
Value ofHeads(OpBinder &op, Value scale, const Expr &heads) {
  return op.b.shape(scale).empty() ? scale : repeatHeads(op, scale, heads);
}

} // namespace

CacheFormat cacheFormat(OpBinder &op, const KeysAndValues &rows) {
  const int64_t bits = op.intAttribute("kv_cache_bit_width", 0);
  if (!isQuantised(op, bits)) {
    for (size_t past : {3, 4})
      if (op.has(past))
        op.requireFloat(past, past == 3 ? "past_key" : "past_value");
    return {};
  }
  for (Value side : {rows.k, rows.v}) {
    const Expr size = op.b.shape(side)[3];
    const std::optional<int64_t> known = size.constant();
    if (bits == 4 && (!known || *known % 2 != 0))
      op.unsupported("heads have " + size.text() +
                     " elements, supported are even numbers of them where attribute 'kv_cache_bit_width' is 4");
  }
  const Type element = elementOf(op, 3, "past_key", bits);
  if (element != elementOf(op, 4, "past_value", bits))
    op.bad("inputs 3 (past_key) and 4 (past_value) have elements of different types, expected one type");
  return {element, bits, {scaleOf(op, 12, "k", rows.k), scaleOf(op, 13, "v", rows.v)}};
}

KeysAndValues encoded(OpBinder &op, const CacheFormat &format, const KeysAndValues &rows) {
  if (!format.element)
    return rows;
  return {encodedRows(op, format, rows.k, format.scales.k), encodedRows(op, format, rows.v, format.scales.v)};
}

KeysAndValues numbers(OpBinder &op, const CacheFormat &format, const KeysAndValues &cached, Type type) {
  if (!format.element)
    return cached;
  return {numbersOfRows(op, format, cached.k, type), numbersOfRows(op, format, cached.v, type)};
}

Value withScalesOfKeys(OpBinder &op, const CacheFormat &format, Value q) {
  return format.element ? times(op, q, ofHeads(op, format.scales.k, op.b.shape(q)[1])) : q;
}

Value withScalesOfValues(OpBinder &op, const CacheFormat &format, Value result, const Expr &heads) {
  if (!format.element)
    return result;
  Value scale = ofHeads(op, format.scales.v, heads);
  return times(op, result, op.b.shape(scale).empty() ? scale : joinHeads(op, scale));
}

} // namespace cupola::onnx_import::microsoft
