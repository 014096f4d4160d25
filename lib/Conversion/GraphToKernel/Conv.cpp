//===- lib/Conversion/GraphToKernel/Conv.cpp - convolution as an implicit product ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Rows are the places of the result in all images, columns the output channels of a
// group, the depth runs over the window and the channels of a group. Nothing is copied
// to make a matrix: the row and the depth say which element of the input is meant.

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;
using cupola::graph::Exprs;

namespace cupola {

void generateConv(Emitter &emitter, Operation *hero) {
  auto conv = cast<graph::ConvOp>(hero);
  Exprs out = graph::shapeOf(conv.getResult()), weights = graph::shapeOf(conv.getWeights());
  Exprs places(out.begin(), out.end() - 1), taps(weights.begin(), weights.end() - 1);
  size_t dims = places.size() - 1;
  Expr groups(static_cast<int64_t>(conv.getGroups()));
  Expr channels = taps.back(), columns = floorDiv(out.back(), groups);
  Expr group = emitter.addGrid(groups);
  emitter.finishGrid();

  auto inputAt = [&](const Expr &m, const Expr &k) {
    Exprs place = graph::delinearize(m, places, emitter.ranges());
    Exprs tap = graph::delinearize(k, taps, emitter.ranges());
    Exprs index{place[0]};
    for (size_t i = 0; i < dims; ++i)
      index.push_back(place[i + 1] * Expr(conv.getStrides()[i]) + tap[i] * Expr(conv.getDilations()[i]));
    index.push_back(group * channels + tap[dims]);
    return index;
  };
  auto weightAt = [&](const Expr &k, const Expr &n) {
    Exprs index = graph::delinearize(k, taps, emitter.ranges());
    index.push_back(group * columns + n);
    return index;
  };
  auto resultAt = [&](const Expr &m, const Expr &n) {
    Exprs index = graph::delinearize(m, places, emitter.ranges());
    index.push_back(group * columns + n);
    return index;
  };
  generateProduct(emitter, {conv.getInput(),
                            {conv.getWeights()},
                            {conv.getResult()},
                            graph::product(places),
                            columns,
                            graph::product(taps),
                            inputAt,
                            weightAt,
                            resultAt,
                            conv.getTf32Attr()});
}

} // namespace cupola
