//===- lib/Conversion/GraphToKernel/LayerNorm.cpp - layer and RMS normalisation ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Two passes over the kept row: the mean, then the mean of squared differences, which
// does not cancel where the mean is large beside the deviation.

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;
using cupola::graph::BinaryKind;
using cupola::graph::ReduceKind;
using cupola::graph::UnaryKind;

namespace cupola {

NormalisedRow::NormalisedRow(Emitter &emitter, graph::LayerNormOp norm) : emitter(emitter) {
  graph::Exprs columns;
  place = gridOfRows(emitter, norm.getInput(), norm.getAxes(), columns);
  row.emplace(emitter, norm.getInput(), columns, place);
  Type type = graph::accumulatorOf(graph::elementOf(norm.getInput()));
  Value count = emitter.indexValue(row->count(), type);
  auto mean = [&](Value sum) { return emitter.binary(BinaryKind::Div, sum, count); };
  if (!norm.getRms()) {
    Value center = mean(row->reduce(ReduceKind::Sum, [](Value x) { return x; }));
    row->transform([&emitter, center](Value x) { return emitter.binary(BinaryKind::Sub, x, center); });
  }
  Value variance = mean(row->reduce(ReduceKind::Sum, [&](Value x) { return emitter.binary(BinaryKind::Mul, x, x); }));
  Value shifted =
      emitter.binary(BinaryKind::Add, variance, emitter.constant(type, norm.getEpsilon().convertToDouble()));
  scale = emitter.unary(UnaryKind::Rsqrt, shifted);
}

Value NormalisedRow::element(ArrayRef<Expr> columns) {
  return emitter.binary(BinaryKind::Mul, row->element(columns), scale);
}

void generateLayerNorm(Emitter &emitter, Operation *hero) {
  auto norm = cast<graph::LayerNormOp>(hero);
  NormalisedRow row(emitter, norm);
  Emitter::Loop space = row.loop();
  emitter.foreach (space, [&] {
    emitter.setHero(norm.getResult(), row.at(space.index), row.element(space.index));
    emitter.storeResults();
  });
}

} // namespace cupola
