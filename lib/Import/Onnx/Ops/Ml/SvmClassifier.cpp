//===- lib/Import/Onnx/Ops/Ml/SvmClassifier.cpp - SVMClassifier ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// ONNX gives no formulas: labels, scores and their number are those of onnxruntime.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ml/NodeAttributes.h"
#include "lib/Import/Onnx/Ops/Ml/Ops.h"
#include "lib/Import/Onnx/Ops/Ml/Svm.h"

#include <numeric>

using namespace mlir;

namespace cupola::onnx_import::ml {
namespace {

struct Decision {
  Value place;  ///< of the label, [rows]
  Value scores; ///< [rows, scores], after `post_transform`
};

/// Which class each support vector is of; classes are contiguous.
Ints classesOf(ArrayRef<int64_t> counts) {
  Ints classes;
  for (auto [number, count] : llvm::enumerate(counts))
    classes.append(static_cast<size_t>(count), static_cast<int64_t>(number));
  return classes;
}

int64_t pairsOf(int64_t classes) { return classes * (classes - 1) / 2; }

/// [vectors, pairs]: how much each vector counts where two classes are told apart. Of a vector of class c, row d - 1
/// of `coefficients` is for the pair with a class d after c, and row d for one before.
Value pairWeights(OpBinder &op, ArrayRef<int64_t> counts, Type type) {
  const Reals coefficients = floatsOf(op, "coefficients");
  const Ints classes = classesOf(counts);
  const size_t vectors = classes.size(), count = counts.size();
  requireCount(op, "coefficients", coefficients.size(), (count - 1) * vectors);
  const auto pairs = static_cast<size_t>(pairsOf(static_cast<int64_t>(count)));
  Reals weights(vectors * pairs);
  for (size_t vector = 0; vector < vectors; ++vector) {
    size_t pair = 0;
    for (size_t i = 0; i < count; ++i)
      for (size_t j = i + 1; j < count; ++j, ++pair) {
        if (classes[vector] == static_cast<int64_t>(i))
          weights[vector * pairs + pair] = coefficients[(j - 1) * vectors + vector];
        else if (classes[vector] == static_cast<int64_t>(j))
          weights[vector * pairs + pair] = coefficients[i * vectors + vector];
      }
  }
  return table(op, weights, {static_cast<int64_t>(vectors), static_cast<int64_t>(pairs)}, type);
}

/// [rows]: the class that wins the most pairs, the first of several: a pair's first class by values above 0.
Value mostVotes(OpBinder &op, Value values, int64_t classes) {
  const Type type = op.b.element(values);
  const int64_t pairs = pairsOf(classes);
  Reals first(static_cast<size_t>(pairs * classes)), second(first.size());
  size_t pair = 0;
  for (int64_t i = 0; i < classes; ++i)
    for (int64_t j = i + 1; j < classes; ++j, ++pair) {
      first[pair * static_cast<size_t>(classes) + static_cast<size_t>(i)] = 1;
      second[pair * static_cast<size_t>(classes) + static_cast<size_t>(j)] = 1;
    }
  Value wins = op.b.binary(BinaryKind::Greater, values, op.b.scalar(0, type));
  Value votes = op.b.select(op.b.unsqueeze(wins, {2}), table(op, first, {pairs, classes}, type),
                            table(op, second, {pairs, classes}, type));
  votes = op.b.squeeze(op.b.reduce(ReduceKind::Sum, votes, {1}), {1});
  return op.b.squeeze(op.b.argReduce(ReduceKind::Max, votes, 1, false), {1});
}

Decision byVectors(OpBinder &op, Value x, ArrayRef<int64_t> counts, int64_t classes) {
  const Type type = op.b.element(x);
  requireCount(op, "vectors_per_class", counts.size(), static_cast<size_t>(classes));
  const auto most = static_cast<int64_t>(floatsOf(op, "support_vectors").size());
  for (int64_t count : counts)
    if (count < 0 || count > most)
      op.bad("attribute 'vectors_per_class' has " + std::to_string(count) + ", expected 0 to " + std::to_string(most) +
             ", the elements of 'support_vectors'");
  const Reals rho = floatsOf(op, "rho");
  requireCount(op, "rho", rho.size(), static_cast<size_t>(pairsOf(classes)));
  const int64_t vectors = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  Value values = kernelOf(op, x, supportVectors(op, vectors, x));
  for (int64_t other : {vectors, classes}) // the tables that are made now
    (void)op.b.type({Expr(pairsOf(classes)), Expr(other)}, type);
  values = op.b.matmul(values, pairWeights(op, counts, type));
  values = op.b.binary(BinaryKind::Add, values, table(op, rho, {1, pairsOf(classes)}, type));
  Value place = mostVotes(op, values, classes);
  if (!floatsOf(op, "prob_a").empty())
    return {place, transformed(op, namedTransform(op), coupledProbabilities(op, values, classes))};
  if (classes == 2) // one value, of which onnxruntime makes two scores
    return {place, bothOf(op, values, /*isProbability=*/false)};
  return {place, transformed(op, namedTransform(op), values)};
}

/// Without support vectors there is a linear score for each class.
Decision byScores(OpBinder &op, Value x, int64_t classes) {
  const Type type = op.b.element(x);
  for (StringRef name : {"kernel_type", "kernel_params", "support_vectors", "prob_a", "prob_b"})
    op.ignoreAttribute(name);
  const Reals coefficients = floatsOf(op, "coefficients"), rho = floatsOf(op, "rho");
  const auto count = static_cast<int64_t>(coefficients.size());
  if (count == 0 || count % classes != 0)
    op.bad("attribute 'coefficients' has " + std::to_string(count) + " elements, expected a multiple of " +
           std::to_string(classes));
  if (rho.empty())
    op.bad("attribute 'rho' is missing");
  op.b.sameExtent(op.b.shape(x)[1], Expr(count / classes), "the features of input 0 (X) and those of 'coefficients'");
  Value weights = op.b.transpose(table(op, coefficients, {classes, count / classes}, type), {1, 0});
  Value scores = op.b.binary(BinaryKind::Add, op.b.matmul(x, weights), op.b.scalar(rho[0], type));
  Value place = op.b.argReduce(ReduceKind::Max, scores, 1, false);
  if (classes == 2 && rho.size() == 1) { // a great score decides for the second class, whosever it is
    const bool isPositive = llvm::all_of(coefficients, [](double weight) { return weight >= 0; });
    Value most = op.b.reduce(ReduceKind::Max, scores, {1});
    Value isGreat = op.b.binary(isPositive ? BinaryKind::GreaterEqual : BinaryKind::Greater, most,
                                op.b.scalar(isPositive ? 0.5 : 0, type));
    place = op.b.select(isGreat, op.b.intScalar(1, op.b.int64()), place);
  }
  return {op.b.squeeze(place, {1}), transformed(op, namedTransform(op), scores)};
}

} // namespace

void importSvmClassifier(OpBinder &op) {
  const ClassLabels labels = classLabels(op, "classlabels_ints", "classlabels_strings");
  const auto classes = static_cast<int64_t>(labels.size());
  if (classes < 2)
    op.unsupported("there is one label of a class, supported are two and more");
  Value x = op.b.cast(rowsOf(op), Float32Type::get(op.b.context()));
  const Ints counts = intsOf(op, "vectors_per_class");
  const bool hasVectors = llvm::any_of(counts, [](int64_t count) { return count != 0; });
  const Decision decision = hasVectors ? byVectors(op, x, counts, classes) : byScores(op, x, classes);
  if (op.wants(0))
    op.result(labelsAt(op, labels, decision.place), 0);
  if (op.wants(1))
    op.result(decision.scores, 1);
}

} // namespace cupola::onnx_import::ml
