//===- lib/Conversion/GraphToKernel/Moments.cpp - mean and variance of rows ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The mean, then the mean of squared differences, as in a layer normalisation.

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;
using cupola::graph::BinaryKind;
using cupola::graph::ReduceKind;

namespace cupola {

RowMoments momentsOf(Emitter &emitter, Value count, function_ref<Value(function_ref<Value(Value)>)> sum) {
  auto average = [&](Value total) { return emitter.binary(BinaryKind::Div, total, count); };
  const Value mean = average(sum([](Value x) { return x; }));
  const Value variance = average(sum([&](Value x) {
    const Value difference = emitter.binary(BinaryKind::Sub, x, mean);
    return emitter.binary(BinaryKind::Mul, difference, difference);
  }));
  return {mean, variance};
}

void generateMoments(Emitter &emitter, Operation *hero) {
  auto moments = cast<graph::MomentsOp>(hero);
  graph::Exprs columns;
  auto at = gridOfRows(emitter, moments.getInput(), moments.getAxes(), columns);
  Row row(emitter, moments.getInput(), columns, at);
  Value count = emitter.indexValue(row.count(), graph::elementOf(moments.getResult()));
  const RowMoments found =
      momentsOf(emitter, count, [&](function_ref<Value(Value)> f) { return row.reduce(ReduceKind::Sum, f); });
  graph::Exprs place = at(graph::Exprs(columns.size(), Expr(0)));
  place.push_back(0);
  for (Value moment : {found.mean, found.variance}) {
    emitter.setHero(moments.getResult(), place, moment);
    emitter.storeResults();
    place.back() = 1;
  }
}

} // namespace cupola
