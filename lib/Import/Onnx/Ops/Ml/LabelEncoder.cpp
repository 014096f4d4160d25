//===- lib/Import/Onnx/Ops/Ml/LabelEncoder.cpp - numbers looked up in a table ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ml/NodeAttributes.h"
#include "lib/Import/Onnx/Ops/Ml/Ops.h"

using namespace mlir;

namespace cupola::onnx_import::ml {
namespace {

/// [n] of "keys" or "values": int64, float32, or from version 4 on a tensor.
Value listOf(OpBinder &op, const std::string &what) {
  const std::string tensor = what + "_tensor", ints = what + "_int64s", floats = what + "_floats";
  if (op.hasAttribute(what + "_strings"))
    op.unsupported("attribute '" + what + "_strings' is given, supported are numbers, by '" + ints + "' or '" + floats +
                   "'");
  if (const auto given = op.hasAttribute(tensor) ? op.tensorAttribute(tensor) : nullptr) {
    Value value = op.materialize(given);
    if (op.b.shape(value).size() != 1)
      op.bad("attribute '" + tensor + "' has the shape " + shapeText(op.b.shape(value)) + ", expected a list");
    return value;
  }
  if (op.hasAttribute(ints))
    return list(op, intsOf(op, ints));
  const Reals reals = floatsOf(op, floats);
  if (reals.empty())
    op.bad("attribute '" + ints + "', '" + floats + "' or '" + tensor + "' is missing");
  return table(op, reals, {static_cast<int64_t>(reals.size())}, Float32Type::get(op.b.context()));
}

/// What stands for numbers that are no key, in the type of the values.
Value fallbackOf(OpBinder &op, Type type) {
  op.ignoreAttribute("default_string");
  const int64_t integer = op.intAttribute("default_int64", -1);
  const double real = op.floatAttribute("default_float", -0.0);
  if (op.hasAttribute("default_tensor"))
    return op.b.cast(op.b.reshape(op.materialize(op.tensorAttribute("default_tensor")), {}), type);
  return isa<FloatType>(type) ? op.b.scalar(real, type) : op.b.intScalar(integer, type);
}

/// Equality in which a NaN is equal to one.
Value areEqual(OpBinder &op, Value a, Value b) {
  Value equal = op.b.binary(BinaryKind::Equal, a, b);
  if (!isa<FloatType>(op.b.element(a)))
    return equal;
  Value both = op.b.binary(BinaryKind::And, op.b.unary(UnaryKind::IsNaN, a), op.b.unary(UnaryKind::IsNaN, b));
  return op.b.binary(BinaryKind::Or, equal, both);
}

} // namespace

void importLabelEncoder(OpBinder &op) {
  Value keys = listOf(op, "keys"), values = listOf(op, "values"), x = op.value(0, "X");
  op.b.sameExtent(op.b.shape(keys)[0], op.b.shape(values)[0], "the numbers of keys and of values");
  if (op.b.element(x) != op.b.element(keys))
    op.bad(operandText(0, "X") + " has elements of " + typeText(op.b.element(x)) + ", expected those of the keys, " +
           typeText(op.b.element(keys)));
  const int64_t rank = op.rank(0, "X");
  Value each = areEqual(op, op.b.unsqueeze(x, {rank}), op.b.withRank(keys, rank + 1));
  Value first = op.b.argReduce(ReduceKind::Max, op.b.cast(each, IntegerType::get(op.b.context(), 32)), rank, false);
  first = op.b.squeeze(first, {rank});
  Value isKey = areEqual(op, op.b.gather(keys, first, 0), x);
  Value found = op.b.gather(values, first, 0);
  op.result(op.b.select(isKey, found, fallbackOf(op, op.b.element(values))));
}

void importLabelEncoderOfStrings(OpBinder &op) {
  op.unsupported("it is between strings and their places in a list, supported are numbers, from version 2 on");
}

} // namespace cupola::onnx_import::ml
