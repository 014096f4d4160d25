//===- lib/Import/Onnx/Ops/Ml/LabelEncoder.cpp - labels looked up in a table ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ml/NodeAttributes.h"
#include "lib/Import/Onnx/Ops/Ml/Ops.h"
#include "lib/Import/Onnx/StringTypes.h"

using namespace mlir;

namespace cupola::onnx_import::ml {
namespace {

/// A tensor of labels in the graph; TensorRecord::element says what they are.
struct Labels {
  Value value;
  Type element;
  Ints integers = {}; ///< or numbers of strings, where these are at hand
};

Labels labelsOf(OpBinder &op, Tensor tensor) { return {op.materialize(tensor), tensor->element}; }
Labels labelsOf(OpBinder &op, Value value) { return {value, op.b.element(value)}; }
Labels integersOf(OpBinder &op, const Ints &integers) { return {list(op, integers), op.b.int64(), integers}; }
Labels stringsOf(OpBinder &op, ArrayRef<std::string> texts) {
  const Ints numbers = numbersOf(op, texts);
  return {list(op, numbers), stringType(op.b.context()), numbers};
}

/// [n] of "keys" or "values": strings, int64, float32, or from version 4 on a tensor.
Labels listOf(OpBinder &op, const std::string &what) {
  const std::string tensor = what + "_tensor", ints = what + "_int64s", floats = what + "_floats",
                    strings = what + "_strings";
  if (const auto given = op.hasAttribute(tensor) ? op.tensorAttribute(tensor) : nullptr) {
    const Labels labels = labelsOf(op, given);
    if (op.b.shape(labels.value).size() != 1)
      op.bad("attribute '" + tensor + "' has the shape " + shapeText(op.b.shape(labels.value)) + ", expected a list");
    return labels;
  }
  if (const auto texts = op.hasAttribute(strings) ? op.stringsAttribute(strings) : std::nullopt)
    return stringsOf(op, *texts);
  if (op.hasAttribute(ints))
    return integersOf(op, intsOf(op, ints));
  const Reals reals = floatsOf(op, floats);
  if (reals.empty())
    op.bad("attribute '" + strings + "', '" + ints + "', '" + floats + "' or '" + tensor + "' is missing");
  return labelsOf(op, table(op, reals, {static_cast<int64_t>(reals.size())}, Float32Type::get(op.b.context())));
}

/// What stands for labels that are no key, of the type of the values.
Value fallbackOf(OpBinder &op, Type type) {
  const std::string text = op.stringAttribute("default_string", "_Unused");
  const int64_t integer = op.intAttribute("default_int64", -1);
  const double real = op.floatAttribute("default_float", -0.0);
  if (op.hasAttribute("default_tensor")) {
    const Labels given = labelsOf(op, op.tensorAttribute("default_tensor"));
    if (isString(given.element) != isString(type))
      op.bad("attribute 'default_tensor' has elements of " + typeText(given.element) + ", expected " + typeText(type));
    return op.b.cast(op.b.reshape(given.value, {}),
                     op.b.element(given.value) == type || isString(type) ? op.b.element(given.value) : type);
  }
  if (isString(type))
    return op.b.intScalar(op.b.strings().of(text), op.b.int64());
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

/// For each of x, the place of the first key that is equal, if there is one. All keys are looked at.
Value placeAmongAll(OpBinder &op, Value keys, Value x) {
  const int64_t rank = graph::rankOf(x);
  Value each = areEqual(op, op.b.unsqueeze(x, {rank}), op.b.withRank(keys, rank + 1));
  Value first = op.b.argReduce(ReduceKind::Max, op.b.cast(each, IntegerType::get(op.b.context(), 32)), rank, false);
  return op.b.squeeze(first, {rank});
}

/// values[i] where input 0 is keys[i], the first of equal keys.
void lookUp(OpBinder &op, const Labels &keys, const Labels &values) {
  Value x = op.value(0, "X");
  op.b.sameExtent(op.b.shape(keys.value)[0], op.b.shape(values.value)[0], "the numbers of keys and of values");
  if (op.element(0, "X") != keys.element)
    op.bad(operandText(0, "X") + " has elements of " + typeText(op.element(0, "X")) + ", expected those of the keys, " +
           typeText(keys.element));
  constexpr size_t few = 16;
  const Value first = keys.integers.size() > few ? placeAmong(op, keys.integers, x) : placeAmongAll(op, keys.value, x);
  Value isKey = areEqual(op, op.b.gather(keys.value, first, 0), x);
  Value found = op.b.gather(values.value, first, 0);
  found = op.b.select(isKey, found, fallbackOf(op, values.element));
  op.result(isString(values.element) ? asStrings(op, found) : op.ofValue(found));
}

/// Between texts and numbers, in the direction that input 0 asks for.
void lookUpEither(OpBinder &op, const Labels &texts, const Labels &numbers) {
  const bool fromTexts = isString(op.element(0, "X"));
  lookUp(op, fromTexts ? texts : numbers, fromTexts ? numbers : texts);
}

} // namespace

void importLabelEncoder(OpBinder &op) { lookUp(op, listOf(op, "keys"), listOf(op, "values")); }

void importLabelEncoderOfStrings(OpBinder &op) {
  const auto classes = op.stringsAttribute("classes_strings").value_or(std::vector<std::string>());
  if (classes.empty())
    op.bad("attribute 'classes_strings' is missing");
  lookUpEither(op, stringsOf(op, classes), integersOf(op, sequence(0, static_cast<int64_t>(classes.size()))));
}

void importCategoryMapper(OpBinder &op) {
  const auto texts = op.stringsAttribute("cats_strings").value_or(std::vector<std::string>());
  const Ints numbers = intsOf(op, "cats_int64s");
  requireCount(op, "cats_strings", texts.size(), numbers.size());
  if (texts.empty())
    op.bad("attribute 'cats_strings' is missing");
  lookUpEither(op, stringsOf(op, texts), integersOf(op, numbers));
}

} // namespace cupola::onnx_import::ml
