//===- lib/Conversion/GraphToKernel/Gemm.cpp - matrix products ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;

namespace cupola {

/// The norm of the only row comes first, where the fusion has one.
static void generateNorm(Emitter &emitter, std::optional<NormalisedRow> &row) {
  for (auto norm : emitter.fusion().getBody().getOps<graph::LayerNormOp>()) {
    row.emplace(emitter, norm);
    emitter.setElements(norm.getResult(), [&row, axis = norm.getAxes().front()](Emitter::Index index) {
      return row->element(index[axis]);
    });
  }
}

void generateGemm(Emitter &emitter, Operation *hero) {
  auto matmul = cast<graph::MatMulOp>(hero);
  graph::Exprs dims = graph::shapeOf(matmul.getResult()), batch;
  for (const Expr &extent : ArrayRef<Expr>(dims).drop_back(2))
    batch.push_back(emitter.addGrid(extent));
  emitter.finishGrid();
  std::optional<NormalisedRow> row;
  generateNorm(emitter, row);
  auto at = [&](const Expr &m, const Expr &column) {
    graph::Exprs index = batch;
    index.push_back(m);
    index.push_back(column);
    return index;
  };
  const unsigned rank = dims.size();
  Product product{matmul.getLhs(),
                  {},
                  {},
                  dims[rank - 2],
                  dims[rank - 1],
                  graph::extentOf(matmul.getLhs(), rank - 1),
                  at,
                  at,
                  at,
                  matmul.getTf32Attr()};
  for (auto each : emitter.fusion().getBody().getOps<graph::MatMulOp>()) {
    product.rhs.push_back(each.getRhs());
    product.results.push_back(each.getResult());
  }
  generateProduct(emitter, product);
}

} // namespace cupola
