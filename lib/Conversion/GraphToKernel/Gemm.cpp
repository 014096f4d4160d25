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
  generateStatistics(emitter);
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
    for (Value operand : each->getOperands())
      emitter.chooseMatrices(operand, batch);
    product.rhs.push_back(each.getRhs());
    product.results.push_back(each.getResult());
  }
  generateProduct(emitter, product);
}

/// The extents of the loop are those of m, n, k and of the blocks.
static Value blockDot(Emitter &emitter, const Emitter::Loop &loop, graph::BlockMatMulOp product) {
  OpBuilder &b = emitter.builder();
  const graph::Exprs extents = graph::exprsOf(loop.extents);
  const Type tile = kernel::tileType(b.getF32Type(), ArrayRef(extents).take_front(2));
  auto dot = kernel::DotOp::create(b, product.getLoc(), tile,
                                   graph::exprArray(b.getContext(), ArrayRef(extents).take_front(3)), /*init=*/Value(),
                                   /*tf32=*/nullptr, b.getI64IntegerAttr(product.blockSize()), /*partsCount=*/3);
  const Expr &m = loop.vars[0], &n = loop.vars[1], &k = loop.vars[2], &block = loop.vars[3];
  const auto operand = [&](Region &region, Value matrix, const Expr &row, const Expr &column) {
    emitter.inRegion(region, {row, column},
                     [&] { kernel::YieldOp::create(b, product.getLoc(), emitter.emitStored(matrix, {row, column})); });
  };
  operand(dot.getLhs(), product.getLhs(), m, k);
  operand(dot.getRhs(), product.getRhs(), k, n);
  operand(dot.getStart(), product.getStart(), m, block);
  operand(dot.getLhsScale(), product.getLhsScales(), m, block);
  operand(dot.getRhsScale(), product.getRhsScales(), block, n);
  return dot.getTile();
}

void generateBlockGemm(Emitter &emitter, Operation *hero) {
  auto product = cast<graph::BlockMatMulOp>(hero);
  emitter.finishGrid();
  const graph::Exprs shape = graph::shapeOf(product.getResult());
  const Emitter::Loop loop = emitter.makeLoop(
      {shape[0], shape[1], graph::extentOf(product.getLhs(), 1), graph::extentOf(product.getRhsScales(), 0)},
      /*keepOnes=*/true);
  const Value tile = blockDot(emitter, loop, product);
  const Emitter::Loop out = emitter.makeLoop({shape[0], shape[1]}, /*keepOnes=*/true);
  emitter.foreach (out, [&] {
    emitter.setHeroes(product.getResult(), out.index, emitter.extract(tile, out));
    emitter.storeResults();
  });
}

} // namespace cupola
