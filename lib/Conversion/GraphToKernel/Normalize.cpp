//===- lib/Conversion/GraphToKernel/Normalize.cpp - rows whose parts have moments ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Every element combines the moments of its row's few parts, which come from the cache: the
// loop is a pointwise one, in the order of memory whatever the axes of a row are.

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;
using cupola::graph::BinaryKind;
using cupola::graph::ReduceKind;

namespace cupola {

namespace {

/// Mean and variance of a row from those of its parts, which have one size.
struct Combined {
  Value mean, variance;
};

Combined combine(Emitter &emitter, graph::NormalizeOp norm, const graph::Exprs &at) {
  graph::Exprs parts = graph::shapeOf(norm.getMoments()), extents;
  for (int64_t axis : norm.getAxes())
    extents.push_back(parts[axis]);
  Emitter::Loop loop = emitter.makeLoop(extents);
  graph::Exprs place = at;
  place.push_back(0);
  for (auto [axis, variable] : llvm::zip_equal(norm.getAxes(), loop.index))
    place[axis] = variable;
  auto moment = [&](int64_t which) {
    place.back() = which;
    return emitter.emit(norm.getMoments(), place);
  };
  Type type = graph::elementOf(norm.getMoments());
  Value count = emitter.indexValue(graph::product(extents), type);
  auto average = [&](llvm::function_ref<Value()> part) {
    return emitter.binary(BinaryKind::Div, emitter.reduce(loop, ReduceKind::Sum, part), count);
  };
  Value mean = average([&] { return moment(0); });
  Value variance = average([&] {
    Value difference = emitter.binary(BinaryKind::Sub, moment(0), mean);
    return emitter.binary(BinaryKind::Add, moment(1), emitter.binary(BinaryKind::Mul, difference, difference));
  });
  return {mean, variance};
}

} // namespace

void generateNormalize(Emitter &emitter, Operation *hero) {
  auto norm = cast<graph::NormalizeOp>(hero);
  emitter.finishGrid();
  Emitter::Loop space = emitter.makeLoop(graph::shapeOf(norm.getInput()));
  emitter.foreach (space, [&] {
    Combined row = combine(emitter, norm, space.index);
    Value epsilon = emitter.constant(row.variance.getType(), norm.getEpsilon().convertToDouble());
    Value scale = emitter.unary(graph::UnaryKind::Rsqrt, emitter.binary(BinaryKind::Add, row.variance, epsilon));
    Value centred = emitter.binary(BinaryKind::Sub, emitter.emit(norm.getInput(), space.index), row.mean);
    emitter.setHero(norm.getResult(), space.index, emitter.binary(BinaryKind::Mul, centred, scale));
    emitter.storeResults();
  });
}

} // namespace cupola
