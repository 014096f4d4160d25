//===- lib/Conversion/GraphToKernel/Reduction.cpp - sums, means, extrema ---===//
// SPDX-License-Identifier: Apache-2.0
//
// One program per element of the result. The targets tell from the positions whether
// neighbouring threads should share a row or own a column each.

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;
using cupola::graph::ReduceKind;

namespace cupola {

namespace {

/// The grid over kept dimensions and the loop over reduced ones.
struct Space {
  Space(Emitter &emitter, Value input, ArrayRef<int64_t> axes) {
    graph::Exprs dims = graph::shapeOf(input), reduced;
    for (auto [i, extent] : llvm::enumerate(dims)) {
      bool isReduced = llvm::is_contained(axes, static_cast<int64_t>(i));
      kept.push_back(isReduced ? Expr(0) : emitter.addGrid(extent));
      if (isReduced)
        reduced.push_back(extent);
    }
    emitter.finishGrid();
    loop = emitter.makeLoop(reduced);
    in = kept;
    for (auto [axis, variable] : llvm::zip_equal(axes, loop.index))
      in[axis] = variable;
    count = graph::product(reduced);
  }

  graph::Exprs kept, in; ///< index of the result, of the input
  Emitter::Loop loop;
  Expr count;
};

} // namespace

/// f16 sums in f32; integers in their own type. All reductions of the fusion are of the same values, in one loop.
void generateReduction(Emitter &emitter, Operation *hero) {
  auto all = llvm::to_vector(emitter.fusion().getBody().getOps<graph::ReduceOp>());
  auto reduce = cast<graph::ReduceOp>(hero);
  Space space(emitter, reduce.getInput(), reduce.getAxes());
  const auto kinds = llvm::map_to_vector(
      all, [](graph::ReduceOp op) { return op.getKind() == ReduceKind::Mean ? ReduceKind::Sum : op.getKind(); });
  SmallVector<Value> results,
      scalars = emitter.reduce(space.loop, kinds, [&] { return emitter.emit(reduce.getInput(), space.in); });
  for (auto [op, scalar] : llvm::zip_equal(all, scalars)) {
    results.push_back(op.getResult());
    if (op.getKind() == ReduceKind::Mean)
      scalar = emitter.binary(graph::BinaryKind::Div, scalar, emitter.indexValue(space.count, scalar.getType()));
  }
  emitter.setHeroes(results, space.kept, scalars);
  emitter.storeResults();
}

void generateArgReduction(Emitter &emitter, Operation *hero) {
  auto reduce = cast<graph::ArgReduceOp>(hero);
  Space space(emitter, reduce.getInput(), {static_cast<int64_t>(reduce.getAxis())});
  OpBuilder &b = emitter.builder();
  auto op = kernel::ArgReduceOp::create(b, emitter.loc(), b.getI64Type(), reduce.getKind(), reduce.getLast(),
                                        space.loop.extents);
  emitter.inRegion(op.getBody(), space.loop.vars,
                   [&] { kernel::YieldOp::create(b, emitter.loc(), emitter.emit(reduce.getInput(), space.in)); });
  emitter.setHero(hero->getResult(0), space.kept, op.getResult());
  emitter.storeResults();
}

} // namespace cupola
