//===- lib/Conversion/GraphToKernel/Product.cpp - what contractions share ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;

namespace cupola {

void generateProduct(Emitter &emitter, Operation *hero, const Product &product) {
  // m, n and k keep their variables even where an extent is 1.
  OpBuilder &b = emitter.builder();
  Emitter::Loop mnk = emitter.makeLoop({product.rows, product.columns, product.depth}, /*keepOnes=*/true);
  Value result = hero->getResult(0);
  Type tile = kernel::tileType(graph::accumulatorOf(graph::elementOf(result)),
                               ArrayRef(graph::exprsOf(mnk.extents)).take_front(2));
  auto dot = kernel::DotOp::create(b, emitter.loc(), tile, mnk.extents);
  const Expr &m = mnk.index[0], &n = mnk.index[1], &k = mnk.index[2];
  auto operand = [&](Region &region, ArrayRef<Expr> vars, Value value, const graph::Exprs &index) {
    emitter.inRegion(region, vars,
                     [&] { kernel::YieldOp::create(b, emitter.loc(), emitter.emitStored(value, index)); });
  };
  operand(dot.getLhs(), {m, k}, product.lhs, product.lhsAt(m, k));
  operand(dot.getRhs(), {k, n}, product.rhs, product.rhsAt(k, n));

  Emitter::Loop out = emitter.makeLoop({product.rows, product.columns}, /*keepOnes=*/true);
  emitter.foreach (out, [&] {
    emitter.setHero(result, product.resultAt(out.index[0], out.index[1]), emitter.extract(dot.getTile(), out));
    emitter.storeResults();
  });
}

} // namespace cupola
