//===- lib/Conversion/GraphToKernel/Gemm.cpp - matrix products ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;

namespace cupola {

void generateGemm(Emitter &emitter, Operation *hero) {
  auto matmul = cast<graph::MatMulOp>(hero);
  graph::Exprs dims = graph::shapeOf(matmul.getResult()), batch;
  for (const Expr &extent : ArrayRef<Expr>(dims).drop_back(2))
    batch.push_back(emitter.addGrid(extent));
  emitter.finishGrid();
  auto at = [&](const Expr &row, const Expr &column) {
    graph::Exprs index = batch;
    index.push_back(row);
    index.push_back(column);
    return index;
  };
  unsigned rank = dims.size();
  generateProduct(emitter, hero,
                  {matmul.getLhs(), matmul.getRhs(), dims[rank - 2], dims[rank - 1],
                   graph::extentOf(matmul.getLhs(), rank - 1), at, at, at});
}

} // namespace cupola
