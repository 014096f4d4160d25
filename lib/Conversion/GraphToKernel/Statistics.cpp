//===- lib/Conversion/GraphToKernel/Statistics.cpp - what products need of rows that a norm scales ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A norm between two products is no kernel: the first one leaves moments of parts of its rows, the second one combines
// them for the rows of its tile. Both in sums of fixed order.

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;
using cupola::graph::BinaryKind;
using cupola::graph::ReduceKind;

namespace cupola {

namespace {

/// Mean and inverse deviation of row `m`.
SmallVector<Value> statisticsOf(Emitter &emitter, graph::StatisticsOp op, const Expr &m) {
  graph::Exprs at(graph::rankOf(op.getMoments()) - 1, Expr(0));
  at.front() = m;
  const auto [mean, variance] = combineMoments(emitter, op.getMoments(), op.getAxes(), at, /*aboutZero=*/op.getRms());
  const Type type = variance.getType();
  const Value epsilon = emitter.constant(type, op.getEpsilon().convertToDouble());
  const Value scale = emitter.unary(graph::UnaryKind::Rsqrt, emitter.binary(BinaryKind::Add, variance, epsilon));
  if (op.getRms())
    return {mean, scale};
  const Value zero = emitter.constant(type, 0);
  return {mean, emitter.select(emitter.binary(BinaryKind::Equal, variance, zero), zero, scale)};
}

} // namespace

void generateStatistics(Emitter &emitter) {
  for (auto op : emitter.fusion().getBody().getOps<graph::StatisticsOp>()) {
    const Emitter::Loop rows = emitter.makeLoop({graph::extentOf(op.getMoments(), 0)}, /*keepOnes=*/true);
    const SmallVector<Value> tiles = emitter.map(rows, [&] { return statisticsOf(emitter, op, rows.index[0]); });
    emitter.setElements(op.getResult(), [&emitter, tiles](Emitter::Index index) {
      return emitter.extract(tiles[*index.back().constant()], {index.front()});
    });
  }
}

void generatePartMoments(Emitter &emitter, graph::MomentsOp moments, const Expr &rows, Value tile) {
  const graph::Exprs shape = graph::shapeOf(moments.getInput()); // rows, parts, elements
  const Emitter::Loop space = emitter.makeLoop({rows, shape[1]}, /*keepOnes=*/true);
  emitter.foreach (space, [&] {
    const Value count = emitter.indexValue(shape[2], graph::elementOf(moments.getResult()));
    const RowMoments found = momentsOf(emitter, count, [&](function_ref<Value(Value)> f) {
      const Emitter::Loop part = emitter.makeLoop({shape[2]});
      const graph::Exprs point{space.index[0], space.index[1] * shape[2] + part.index[0]};
      return emitter.reduce(part, ReduceKind::Sum, [&] { return f(emitter.extract(tile, point)); });
    });
    graph::Exprs place{space.index[0], space.index[1], 0, 0};
    for (const Value moment : {found.mean, found.variance}) {
      emitter.setHero(moments.getResult(), place, moment);
      emitter.storeResults();
      place.back() = 1;
    }
  });
}

} // namespace cupola
