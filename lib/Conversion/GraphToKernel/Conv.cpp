//===- lib/Conversion/GraphToKernel/Conv.cpp - convolution as an implicit product ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Rows are the places of the result in all images, columns the output channels of a
// group, the depth runs over the window and the channels of a group, in the order of the
// weights. Nothing is copied to make a matrix: the row and the depth say which element of
// the input is meant.

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;
using cupola::graph::Exprs;

namespace cupola {

namespace {

/// Where a convolution has the elements of its operands, as a product of matrices.
class ConvIndex {
public:
  ConvIndex(graph::ConvOp conv, const Ranges &ranges, const Expr &group)
      : conv(conv), dims(conv.dims()), ranges(ranges), group(group) {
    out = graph::shapeOf(conv.getResult());
    places = out;
    places.erase(places.begin() + dims.channels);
    taps = graph::shapeOf(conv.getWeights());
    columns = floorDiv(taps[dims.columns], Expr(static_cast<int64_t>(conv.getGroups())));
    depth = taps[dims.depth];
    taps.erase(taps.begin() + dims.columns);
    // Without the columns, which come before both of the others or behind.
    tapDepth = dims.columns < dims.depth ? dims.depth - 1 : dims.depth;
    tapWindow = dims.columns < dims.window ? dims.window - 1 : dims.window;
  }

  Exprs inputAt(const Expr &m, const Expr &k) const {
    const Exprs tap = graph::delinearize(k, taps, ranges);
    Exprs index = graph::delinearize(m, places, ranges);
    for (size_t i = 0; i + 1 < places.size(); ++i)
      index[i + 1] = index[i + 1] * Expr(conv.getStrides()[i]) + tap[tapWindow + i] * Expr(conv.getDilations()[i]);
    index.insert(index.begin() + dims.channels, group * depth + tap[tapDepth]);
    return index;
  }
  Exprs weightAt(const Expr &k, const Expr &n) const {
    Exprs index = graph::delinearize(k, taps, ranges);
    index.insert(index.begin() + dims.columns, group * columns + n);
    return index;
  }
  Exprs resultAt(const Expr &m, const Expr &n) const {
    Exprs index = graph::delinearize(m, places, ranges);
    index.insert(index.begin() + dims.channels, group * columns + n);
    return index;
  }

  Exprs places, taps; ///< rows and depth
  Expr columns{0};    ///< of a group

private:
  mutable graph::ConvOp conv;
  graph::ConvOp::Dims dims;
  const Ranges &ranges;
  Expr group, depth{0};
  Exprs out;
  int64_t tapDepth, tapWindow;
};

} // namespace

void generateConv(Emitter &emitter, Operation *hero) {
  auto conv = cast<graph::ConvOp>(hero);
  const Expr group = emitter.addGrid(Expr(static_cast<int64_t>(conv.getGroups())));
  emitter.finishGrid();
  const ConvIndex index(conv, emitter.ranges(), group);
  generateProduct(emitter, {conv.getInput(),
                            {conv.getWeights()},
                            {conv.getResult()},
                            graph::product(index.places),
                            index.columns,
                            graph::product(index.taps),
                            [&](const Expr &m, const Expr &k) { return index.inputAt(m, k); },
                            [&](const Expr &k, const Expr &n) { return index.weightAt(k, n); },
                            [&](const Expr &m, const Expr &n) { return index.resultAt(m, n); },
                            conv.getTf32Attr()});
}

} // namespace cupola
