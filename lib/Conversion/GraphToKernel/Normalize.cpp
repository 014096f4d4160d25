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

RowMoments combineMoments(Emitter &emitter, Value moments, ArrayRef<int64_t> axes, graph::Exprs at, bool aboutZero) {
  const graph::Exprs shape = graph::shapeOf(moments);
  SmallVector<int64_t> split; // of these a row has several parts, or of one of them one
  llvm::copy_if(axes, std::back_inserter(split), [&](int64_t axis) { return !shape[axis].isConstant(1); });
  if (split.empty())
    split.push_back(axes.front());
  const auto extents = llvm::map_to_vector(split, [&](int64_t axis) { return shape[axis]; });
  Emitter::Loop loop = emitter.makeLoop(extents, /*keepOnes=*/true);
  for (int64_t axis : axes)
    at[axis] = 0;
  for (auto [axis, variable] : llvm::zip_equal(split, loop.index))
    at[axis] = variable;
  at.push_back(0);
  auto moment = [&](int64_t which) {
    at.back() = which;
    return emitter.emit(moments, at);
  };
  Value count = emitter.indexValue(graph::product(extents), graph::elementOf(moments));
  auto average = [&](llvm::function_ref<Value()> part) {
    return emitter.binary(BinaryKind::Div, emitter.reduce(loop, ReduceKind::Sum, part), count);
  };
  Value mean = average([&] { return moment(0); });
  Value variance = average([&] {
    Value apart = aboutZero ? moment(0) : emitter.binary(BinaryKind::Sub, moment(0), mean);
    return emitter.binary(BinaryKind::Add, moment(1), emitter.binary(BinaryKind::Mul, apart, apart));
  });
  return {mean, variance};
}

void generateNormalize(Emitter &emitter, Operation *hero) {
  auto norm = cast<graph::NormalizeOp>(hero);
  emitter.finishGrid();
  Emitter::Loop space = emitter.makeLoop(graph::shapeOf(norm.getInput()));
  emitter.foreach (space, [&] {
    RowMoments row = combineMoments(emitter, norm.getMoments(), norm.getAxes(), space.index);
    Value epsilon = emitter.constant(row.variance.getType(), norm.getEpsilon().convertToDouble());
    Value scale = emitter.unary(graph::UnaryKind::Rsqrt, emitter.binary(BinaryKind::Add, row.variance, epsilon));
    Value centred = emitter.binary(BinaryKind::Sub, emitter.emit(norm.getInput(), space.index), row.mean);
    emitter.setHero(norm.getResult(), space.index, emitter.binary(BinaryKind::Mul, centred, scale));
    emitter.storeResults();
  });
}

} // namespace cupola
