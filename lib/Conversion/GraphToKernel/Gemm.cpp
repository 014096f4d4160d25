//===- lib/Conversion/GraphToKernel/Gemm.cpp - contractions ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;

namespace cupola {

void generateGemm(Emitter &emitter, Operation *hero) {
  auto matmul = cast<graph::MatMulOp>(hero);
  graph::Exprs dims = graph::shapeOf(matmul.getResult()), batch;
  ArrayRef<Expr> all(dims);
  for (const Expr &extent : all.drop_back(2))
    batch.push_back(emitter.addGrid(extent));
  emitter.finishGrid();
  auto at = [&](const Expr &row, const Expr &column) {
    graph::Exprs index = batch;
    index.push_back(row);
    index.push_back(column);
    return index;
  };

  // m, n and k keep their variables even where an extent is 1.
  OpBuilder &b = emitter.builder();
  unsigned rank = dims.size();
  Expr depth = graph::extentOf(matmul.getLhs(), rank - 1);
  Emitter::Loop mnk = emitter.makeLoop({dims[rank - 2], dims[rank - 1], depth}, /*keepOnes=*/true);
  Type type = computeType(graph::elementOf(matmul.getResult()));
  SmallVector<StringAttr> tileExtents{cast<StringAttr>(mnk.extents[0]),
                                      cast<StringAttr>(mnk.extents[1])};
  auto dot = kernel::DotOp::create(
      b, emitter.loc(), kernel::TileType::get(b.getContext(), type, tileExtents), mnk.vars,
      mnk.extents);
  const Expr &m = mnk.index[0], &n = mnk.index[1], &k = mnk.index[2];
  auto operand = [&](Region &region, Value value, const graph::Exprs &index) {
    emitter.inRegion(region, [&] {
      kernel::YieldOp::create(b, emitter.loc(), emitter.emitStored(value, index));
    });
  };
  operand(dot.getLhs(), matmul.getLhs(), at(m, k));
  operand(dot.getRhs(), matmul.getRhs(), at(k, n));

  Emitter::Loop out = emitter.makeLoop({dims[rank - 2], dims[rank - 1]}, /*keepOnes=*/true);
  emitter.foreach (out, [&] {
    emitter.setHero(matmul.getResult(), at(out.index[0], out.index[1]),
                    emitter.extract(dot.getTile(), out));
    emitter.storeResults();
  });
}

} // namespace cupola
