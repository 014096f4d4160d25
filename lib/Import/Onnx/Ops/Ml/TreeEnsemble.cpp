//===- lib/Import/Onnx/Ops/Ml/TreeEnsemble.cpp - regressors and classifiers of trees ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ml/Forest.h"
#include "lib/Import/Onnx/Ops/Ml/NodeAttributes.h"
#include "lib/Import/Onnx/Text.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace cupola::onnx_import::ml {
namespace {

Aggregate aggregateOf(OpBinder &op) {
  const std::string name = op.stringAttribute("aggregate_function", "SUM");
  const auto aggregate = llvm::StringSwitch<std::optional<Aggregate>>(name)
                             .Case("SUM", Aggregate::Sum)
                             .Case("AVERAGE", Aggregate::Average)
                             .Case("MIN", Aggregate::Min)
                             .Case("MAX", Aggregate::Max)
                             .Default(std::nullopt);
  if (!aggregate)
    op.bad("attribute 'aggregate_function' is " + quoted(name) + ", expected SUM, AVERAGE, MIN or MAX");
  return *aggregate;
}

/// X in the type in which splits are compared and weights added.
Value comparable(OpBinder &op, const Forest &forest) {
  Value x = rowsOf(op);
  return forest.isFloat64 ? op.b.cast(x, Float64Type::get(op.b.context())) : x;
}

Value withBase(OpBinder &op, Value scores, ArrayRef<double> base) {
  if (base.empty())
    return scores;
  Value values = table(op, base, {1, static_cast<int64_t>(base.size())}, op.b.element(scores));
  return op.b.binary(BinaryKind::Add, scores, values);
}

void classify(OpBinder &op, const ClassLabels &labels, Value place, Value probabilities) {
  if (op.wants(0))
    op.result(labelsAt(op, labels, place), 0);
  if (op.wants(1))
    op.result(op.b.cast(probabilities, Float32Type::get(op.b.context())), 1);
}

/// Two classes by one score: that of the second class. Where no weight is negative it is a probability, else a distance
/// from the border.
void classifyByOne(OpBinder &op, const Forest &forest, const ClassLabels &labels, Value score) {
  const bool isProbability = llvm::all_of(forest.weights, [](const auto &weight) { return weight.value >= 0; });
  Value border = op.b.scalar(isProbability ? 0.5 : 0, op.b.element(score));
  Value isSecond = op.b.cast(op.b.binary(BinaryKind::Greater, score, border), op.b.int64());
  classify(op, labels, op.b.squeeze(isSecond, {1}), bothOf(op, score, isProbability));
}

} // namespace

void importTreeEnsemble(OpBinder &op) {
  const int64_t aggregate = op.intAttribute("aggregate_function", 1), transform = op.intAttribute("post_transform", 0);
  if (aggregate < 0 || aggregate > 3)
    op.bad("attribute 'aggregate_function' is " + std::to_string(aggregate) + ", expected 0 to 3");
  if (transform < 0 || transform > 4)
    op.bad("attribute 'post_transform' is " + std::to_string(transform) + ", expected 0 to 4");
  const Forest forest = readForestByPlace(op);
  Value scores = scoresOf(op, forest, static_cast<Aggregate>(aggregate), comparable(op, forest));
  scores = transformed(op, static_cast<PostTransform>(transform), scores);
  op.result(op.b.cast(scores, op.element(0, "X")));
}

void importTreeEnsembleRegressor(OpBinder &op) {
  const int64_t targets = op.intAttribute("n_targets", 1);
  if (targets < 1)
    op.bad("attribute 'n_targets' is " + std::to_string(targets) + ", expected 1 or more");
  const Reals base = realsAttribute(op, "base_values");
  if (!base.empty() && static_cast<int64_t>(base.size()) != targets)
    op.bad("attribute 'base_values' has " + std::to_string(base.size()) + " elements, expected " +
           std::to_string(targets));
  const Forest forest = readForestById(op, "target", targets);
  const PostTransform transform = namedTransform(op);
  Value scores = withBase(op, scoresOf(op, forest, aggregateOf(op), comparable(op, forest)), base);
  op.result(op.b.cast(transformed(op, transform, scores), Float32Type::get(op.b.context())));
}

void importTreeEnsembleClassifier(OpBinder &op) {
  const ClassLabels labels = classLabels(op, "classlabels_int64s", "classlabels_strings");
  const int64_t classes = static_cast<int64_t>(labels.size());
  if (classes < 2)
    op.unsupported("there is one label of a class, supported are two and more");
  Forest forest = readForestById(op, "class", classes);
  const auto isOf = [](int64_t target) {
    return [=](const Forest::Weight &weight) { return weight.target == target; };
  };
  const bool isByOne = classes == 2 && llvm::all_of(forest.weights, isOf(0));
  if (isByOne)
    forest.targets = 1;
  else if (classes == 2 && llvm::all_of(forest.weights, isOf(1)))
    op.unsupported("attribute 'class_ids' names the second of two classes alone, supported are the first or both");
  const Reals base = realsAttribute(op, "base_values");
  if (!base.empty() && static_cast<int64_t>(base.size()) != forest.targets)
    op.unsupported("attribute 'base_values' has " + std::to_string(base.size()) + " elements, supported are " +
                   std::to_string(forest.targets) + ", as many as scores");
  Value scores = withBase(op, scoresOf(op, forest, Aggregate::Sum, comparable(op, forest)), base);
  if (isByOne)
    return classifyByOne(op, forest, labels, scores);
  Value place = op.b.squeeze(op.b.argReduce(ReduceKind::Max, scores, 1, false), {1});
  classify(op, labels, place, transformed(op, namedTransform(op), scores));
}

} // namespace cupola::onnx_import::ml
