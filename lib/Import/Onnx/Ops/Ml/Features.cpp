//===- lib/Import/Onnx/Ops/Ml/Features.cpp - what prepares features --------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ml/NodeAttributes.h"
#include "lib/Import/Onnx/Ops/Ml/Ops.h"
#include "lib/Import/Onnx/StringTypes.h"
#include "lib/Import/Onnx/Text.h"

#include <cmath>

using namespace mlir;

namespace cupola::onnx_import::ml {
namespace {

/// X, whose last dimension has the features.
Value featuresOf(OpBinder &op) {
  op.rank(0, "X", 1);
  return op.value(0, "X");
}

/// The attribute `name` has one number, or one per feature of `x`; returns how many.
int64_t countOf(OpBinder &op, StringRef name, size_t values, Value x) {
  const auto count = static_cast<int64_t>(values);
  if (count != 1)
    op.b.sameExtent(op.b.shape(x).back(), Expr(count),
                    "the features of input 0 (X) and the elements of '" + name.str() + "'");
  return count;
}

/// A row to be broadcast to `x`.
Value perFeature(OpBinder &op, StringRef name, ArrayRef<double> values, Value x) {
  return table(op, values, {countOf(op, name, values.size(), x)}, op.b.element(x));
}

/// x with `fill` where it is missing.
Value filled(OpBinder &op, Value x, Value isMissing, Value fill) {
  return op.b.select(isMissing, op.b.broadcast(fill, op.b.shape(x)), x);
}

} // namespace

void importScaler(OpBinder &op) {
  op.requireNumber(0, "X");
  const Reals offset = floatsOf(op, "offset"), scale = floatsOf(op, "scale");
  Value x = op.b.cast(featuresOf(op), Float32Type::get(op.b.context()));
  if (!offset.empty())
    x = op.b.binary(BinaryKind::Sub, x, perFeature(op, "offset", offset, x));
  if (!scale.empty())
    x = op.b.binary(BinaryKind::Mul, x, perFeature(op, "scale", scale, x));
  op.result(x);
}

void importBinarizer(OpBinder &op) {
  op.requireNumber(0, "X");
  Value x = op.value(0, "X");
  const Type type = op.b.element(x), compared = llvm::isa<FloatType>(type) ? type : Float64Type::get(op.b.context());
  Value threshold = op.b.scalar(op.floatAttribute("threshold", 0), compared);
  op.result(op.b.cast(op.b.binary(BinaryKind::Greater, op.b.cast(x, compared), threshold), type));
}

void importNormalizer(OpBinder &op) {
  const std::string norm = op.stringAttribute("norm", "MAX");
  const bool isVector = op.shape(0, "X").size() == 1;
  Value x = op.b.cast(rowsOf(op), Float32Type::get(op.b.context())), length;
  if (norm == "MAX")
    length = op.b.reduce(ReduceKind::Max, op.b.unary(UnaryKind::Abs, x), {1});
  else if (norm == "L1")
    length = op.b.reduce(ReduceKind::Sum, op.b.unary(UnaryKind::Abs, x), {1});
  else if (norm == "L2")
    length = op.b.unary(UnaryKind::Sqrt, op.b.reduce(ReduceKind::Sum, op.b.binary(BinaryKind::Mul, x, x), {1}));
  else
    op.bad("attribute 'norm' is " + quoted(norm) + ", expected MAX, L1 or L2");
  length = op.b.binary(BinaryKind::Max, length, op.b.scalar(1e-30, op.b.element(x))); // a row of zeros stays one
  x = op.b.binary(BinaryKind::Div, x, length);
  op.result(isVector ? op.b.squeeze(x, {0}) : x);
}

void importImputer(OpBinder &op) {
  op.requireNumber(0, "X");
  Value x = featuresOf(op);
  const Type type = op.b.element(x);
  if (llvm::isa<FloatType>(type)) {
    const double replaced = op.floatAttribute("replaced_value_float", 0);
    op.ignoreAttribute("replaced_value_int64");
    op.ignoreAttribute("imputed_value_int64s");
    const Reals fill = floatsOf(op, "imputed_value_floats");
    if (fill.empty())
      op.bad("attribute 'imputed_value_floats' is missing");
    Value isMissing = std::isnan(replaced) ? op.b.unary(UnaryKind::IsNaN, x)
                                           : op.b.binary(BinaryKind::Equal, x, op.b.scalar(replaced, type));
    return op.result(filled(op, x, isMissing, perFeature(op, "imputed_value_floats", fill, x)));
  }
  op.ignoreAttribute("replaced_value_float");
  op.ignoreAttribute("imputed_value_floats");
  const Ints fill = intsOf(op, "imputed_value_int64s");
  if (fill.empty())
    op.bad("attribute 'imputed_value_int64s' is missing");
  countOf(op, "imputed_value_int64s", fill.size(), x);
  Value missing = op.b.intScalar(op.intAttribute("replaced_value_int64", 0), type);
  op.result(filled(op, x, op.b.binary(BinaryKind::Equal, x, missing), op.b.cast(list(op, fill), type)));
}

void importArrayFeatureExtractor(OpBinder &op) {
  op.requireIndex(1, "Y");
  Value x = featuresOf(op), places = op.value(1, "Y");
  if (op.shape(0, "X").size() == 1)
    x = op.b.unsqueeze(x, {0});
  places = op.b.reshape(places, {graph::product(op.shape(1, "Y"))});
  op.result(op.b.gather(x, places, static_cast<int64_t>(op.b.shape(x).size()) - 1));
}

void importFeatureVectorizer(OpBinder &op) {
  const Ints sizes = op.requiredInts("inputdimensions");
  if (sizes.size() != op.inputCount())
    op.bad("attribute 'inputdimensions' has " + std::to_string(sizes.size()) + " elements, expected " +
           std::to_string(op.inputCount()) + ", one per input");
  SmallVector<Value> parts;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const std::string name = "X" + std::to_string(i);
    Value part = op.value(i, name);
    if (op.shape(i, name).size() == 1)
      part = op.b.unsqueeze(part, {1});
    const Exprs shape = op.b.shape(part);
    if (shape.size() != 2)
      op.bad(operandText(i, name) + " has the shape " + shapeText(shape) + ", expected [rows, features] or [rows]");
    op.b.sameExtent(shape[1], Expr(sizes[i]), "the features of " + operandText(i, name) + " and 'inputdimensions'");
    parts.push_back(op.b.cast(part, Float32Type::get(op.b.context())));
  }
  op.result(op.b.concat(parts, 1));
}

void importOneHotEncoder(OpBinder &op) {
  op.requireNumber(0, "X");
  const ClassLabels categories = classLabels(op, "cats_int64s", "cats_strings");
  if (isString(op.element(0, "X")) != categories.areStrings)
    op.bad("input 0 (X) has elements of " + typeText(op.element(0, "X")) + ", expected those of the categories");
  if (op.intAttribute("zeros", 1) == 0)
    op.unsupported("attribute 'zeros' is 0, an error for what is in no category, supported is 1");
  Value x = op.b.cast(op.value(0, "X"), op.b.int64());
  Value each = op.b.unsqueeze(x, {op.rank(0, "X")});
  Value isIt = op.b.binary(BinaryKind::Equal, each, list(op, categories.numbers));
  op.result(op.b.cast(isIt, Float32Type::get(op.b.context())));
}

} // namespace cupola::onnx_import::ml
