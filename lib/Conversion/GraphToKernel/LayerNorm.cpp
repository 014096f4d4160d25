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

void generateLayerNorm(Emitter &emitter, Operation *hero) {
  auto norm = cast<graph::LayerNormOp>(hero);
  graph::Exprs columns;
  auto at = gridOfRows(emitter, norm.getInput(), norm.getAxes(), columns);
  Row row(emitter, norm.getInput(), columns, at);
  Type type = graph::accumulatorOf(graph::elementOf(norm.getInput()));
  Value count = emitter.indexValue(row.count(), type);
  auto mean = [&](Value sum) { return emitter.binary(BinaryKind::Div, sum, count); };
  if (!norm.getRms()) {
    Value center = mean(row.reduce(ReduceKind::Sum, [](Value x) { return x; }));
    row.transform([&emitter, center](Value x) { return emitter.binary(BinaryKind::Sub, x, center); });
  }
  Value variance = mean(row.reduce(ReduceKind::Sum, [&](Value x) { return emitter.binary(BinaryKind::Mul, x, x); }));
  Value shifted =
      emitter.binary(BinaryKind::Add, variance, emitter.constant(type, norm.getEpsilon().convertToDouble()));
  Value scale = emitter.unary(UnaryKind::Rsqrt, shifted);

  Emitter::Loop space = row.loop();
  emitter.foreach (space, [&] {
    Value result = emitter.binary(BinaryKind::Mul, row.element(space), scale);
    emitter.setHero(norm.getResult(), at(space.index), result);
    emitter.storeResults();
  });
}

} // namespace cupola
