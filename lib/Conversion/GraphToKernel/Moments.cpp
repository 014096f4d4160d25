//===- lib/Conversion/GraphToKernel/Moments.cpp - mean and variance of rows ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The mean, then the mean of squared differences, as in a layer normalisation.

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;
using cupola::graph::BinaryKind;
using cupola::graph::ReduceKind;

namespace cupola {

void generateMoments(Emitter &emitter, Operation *hero) {
  auto moments = cast<graph::MomentsOp>(hero);
  graph::Exprs columns;
  auto at = gridOfRows(emitter, moments.getInput(), moments.getAxes(), columns);
  Row row(emitter, moments.getInput(), columns, at);
  Value count = emitter.indexValue(row.count(), graph::elementOf(moments.getResult()));
  auto mean = [&](Value sum) { return emitter.binary(BinaryKind::Div, sum, count); };
  Value center = mean(row.reduce(ReduceKind::Sum, [](Value x) { return x; }));
  Value variance = mean(row.reduce(ReduceKind::Sum, [&](Value x) {
    Value difference = emitter.binary(BinaryKind::Sub, x, center);
    return emitter.binary(BinaryKind::Mul, difference, difference);
  }));
  graph::Exprs place = at(graph::Exprs(columns.size(), Expr(0)));
  place.push_back(0);
  for (Value moment : {center, variance}) {
    emitter.setHero(moments.getResult(), place, moment);
    emitter.storeResults();
    place.back() = 1;
  }
}

} // namespace cupola
