//===- lib/Conversion/GraphToKernel/Product.cpp - what contractions share ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;

namespace cupola {

void generateProduct(Emitter &emitter, Operation *hero, const Product &product) {
  // m, n and k keep their variables even where an extent is 1.
  Emitter::Loop mnk = emitter.makeLoop({product.rows, product.columns, product.depth}, /*keepOnes=*/true);
  Value result = hero->getResult(0);
  const Expr &m = mnk.index[0], &n = mnk.index[1], &k = mnk.index[2];
  Value tile = emitter.dot(
      mnk, graph::accumulatorOf(graph::elementOf(result)), /*init=*/{},
      [&] { return emitter.emitStored(product.lhs, product.lhsAt(m, k)); },
      [&] { return emitter.emitStored(product.rhs, product.rhsAt(k, n)); });

  Emitter::Loop out = emitter.makeLoop({product.rows, product.columns}, /*keepOnes=*/true);
  emitter.foreach (out, [&] {
    emitter.setHero(result, product.resultAt(out.index[0], out.index[1]), emitter.extract(tile, out));
    emitter.storeResults();
  });
}

} // namespace cupola
