//===- lib/Conversion/GraphToKernel/Product.cpp - what contractions share ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;

namespace cupola {

void generateProduct(Emitter &emitter, const Product &product) {
  // m, n and k keep their variables even where an extent is 1.
  SmallVector<Value> tiles;
  for (auto [rhs, result] : llvm::zip_equal(product.rhs, product.results)) {
    Emitter::Loop mnk = emitter.makeLoop({product.rows, product.columns, product.depth}, /*keepOnes=*/true);
    const Expr &m = mnk.index[0], &n = mnk.index[1], &k = mnk.index[2];
    tiles.push_back(emitter.dot(
        mnk, graph::accumulatorOf(graph::elementOf(result)), /*init=*/{},
        [&] { return emitter.emitStored(product.lhs, product.lhsAt(m, k)); },
        [&, rhs = rhs] { return emitter.emitStored(rhs, product.rhsAt(k, n)); }));
    tiles.back().getDefiningOp<kernel::DotOp>().setTf32Attr(product.tf32);
  }
  Emitter::Loop out = emitter.makeLoop({product.rows, product.columns}, /*keepOnes=*/true);
  auto store = [&] {
    auto sums = llvm::map_to_vector(tiles, [&](Value tile) { return emitter.extract(tile, out); });
    emitter.setHeroes(product.results, product.resultAt(out.index[0], out.index[1]), sums);
    emitter.storeResults();
  };
  auto moments = emitter.fusion().getBody().getOps<graph::MomentsOp>();
  if (moments.empty())
    return emitter.foreach (out, store);
  const SmallVector<Value> kept = emitter.map(out, [&]() -> SmallVector<Value> {
    store();
    return {emitter.emitAfterHero((*moments.begin()).getInput(), {})};
  });
  generatePartMoments(emitter, *moments.begin(), product.rows, kept.front());
}

} // namespace cupola
