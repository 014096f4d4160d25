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
  const graph::Exprs shape = graph::shapeOf(op.getMoments());
  const Expr parts = graph::product(ArrayRef(shape).drop_front().drop_back());
  const Type type = graph::elementOf(op.getMoments());
  auto moment = [&](const Emitter::Loop &loop, int64_t which) {
    graph::Exprs place{m};
    for (const Expr &extent : ArrayRef(shape).drop_front().drop_back())
      place.push_back(extent.isConstant(1) ? Expr(0) : loop.index[0]);
    place.push_back(which);
    return emitter.emit(op.getMoments(), place);
  };
  const Value count = emitter.indexValue(parts, type);
  auto average = [&](llvm::function_ref<Value(const Emitter::Loop &)> part) {
    const Emitter::Loop loop = emitter.makeLoop({parts}, /*keepOnes=*/true);
    return emitter.binary(BinaryKind::Div, emitter.reduce(loop, ReduceKind::Sum, [&] { return part(loop); }), count);
  };
  const Value mean = average([&](const Emitter::Loop &loop) { return moment(loop, 0); });
  const Value squares = average([&](const Emitter::Loop &loop) {
    const Value ofPart = moment(loop, 0), apart = op.getRms() ? ofPart : emitter.binary(BinaryKind::Sub, ofPart, mean);
    return emitter.binary(BinaryKind::Add, moment(loop, 1), emitter.binary(BinaryKind::Mul, apart, apart));
  });
  const Value epsilon = emitter.constant(type, op.getEpsilon().convertToDouble());
  const Value scale = emitter.unary(graph::UnaryKind::Rsqrt, emitter.binary(BinaryKind::Add, squares, epsilon));
  if (op.getRms())
    return {mean, scale};
  const Value zero = emitter.constant(type, 0);
  return {mean, emitter.select(emitter.binary(BinaryKind::Equal, squares, zero), zero, scale)};
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
    auto average = [&](llvm::function_ref<Value(Value)> f) {
      const Emitter::Loop part = emitter.makeLoop({shape[2]});
      const graph::Exprs point{space.index[0], space.index[1] * shape[2] + part.index[0]};
      const Value sum = emitter.reduce(part, ReduceKind::Sum, [&] { return f(emitter.extract(tile, point)); });
      return emitter.binary(BinaryKind::Div, sum, count);
    };
    const Value mean = average([](Value x) { return x; });
    const Value variance = average([&](Value x) {
      const Value difference = emitter.binary(BinaryKind::Sub, x, mean);
      return emitter.binary(BinaryKind::Mul, difference, difference);
    });
    graph::Exprs place{space.index[0], space.index[1], 0, 0};
    for (const Value moment : {mean, variance}) {
      emitter.setHero(moments.getResult(), place, moment);
      emitter.storeResults();
      place.back() = 1;
    }
  });
}

} // namespace cupola
