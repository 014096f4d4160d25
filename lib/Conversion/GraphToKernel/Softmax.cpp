//===- lib/Conversion/GraphToKernel/Softmax.cpp - softmax and log-softmax ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToKernel/Schedule.h"

#include <limits>

using namespace mlir;
using cupola::graph::BinaryKind;
using cupola::graph::ReduceKind;
using cupola::graph::UnaryKind;

namespace cupola {

/// Where the result is 0 instead of the quotient; null without a guard.
static Value guarded(Emitter &emitter, graph::SoftmaxGuard guard, Value quotient, Value largest) {
  if (guard == graph::SoftmaxGuard::None)
    return {};
  if (guard == graph::SoftmaxGuard::NaN)
    return emitter.unary(UnaryKind::IsNaN, quotient);
  Value lowest = emitter.constant(largest.getType(), -std::numeric_limits<double>::infinity());
  return emitter.binary(BinaryKind::Equal, largest, lowest);
}

void generateSoftmax(Emitter &emitter, Operation *hero) {
  auto softmax = cast<graph::SoftmaxOp>(hero);
  graph::Exprs dims = graph::shapeOf(softmax.getInput()), rows;
  unsigned axis = softmax.getAxis();
  for (auto [i, extent] : llvm::enumerate(dims))
    rows.push_back(i == axis ? Expr(0) : emitter.addGrid(extent));
  emitter.finishGrid();
  auto at = [rows, axis](ArrayRef<Expr> column) {
    graph::Exprs index = rows;
    index[axis] = column[0];
    return index;
  };

  Row row(emitter, softmax.getInput(), {dims[axis]}, at);
  Value largest = row.reduce(ReduceKind::Max, [](Value x) { return x; });
  auto shift = [&emitter, largest](Value x) { return emitter.binary(BinaryKind::Sub, x, largest); };
  auto exponential = [&emitter, shift](Value x) { return emitter.unary(UnaryKind::Exp, shift(x)); };
  Value sum, logarithm;
  if (softmax.getLog()) {
    sum = row.reduce(ReduceKind::Sum, exponential);
    logarithm = emitter.unary(UnaryKind::Log, sum);
  } else {
    row.transform(exponential);
    sum = row.reduce(ReduceKind::Sum, [](Value x) { return x; });
  }

  Emitter::Loop space = row.loop();
  emitter.foreach (space, [&] {
    Value x = row.element(space), result;
    if (softmax.getLog())
      result = emitter.binary(BinaryKind::Sub, shift(x), logarithm);
    else
      result = emitter.binary(BinaryKind::Div, x, sum);
    if (Value isHidden = guarded(emitter, softmax.getGuard(), result, largest))
      result = emitter.select(isHidden, emitter.constant(result.getType(), 0), result);
    emitter.setHero(softmax.getResult(), at(space.index), result);
    emitter.storeResults();
  });
}

} // namespace cupola
