//===- lib/Conversion/GraphToKernel/Pointwise.cpp - one loop over the result ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;

namespace cupola {

void generatePointwise(Emitter &emitter, Operation *) {
  auto yield = cast<graph::YieldOp>(emitter.fusion().getBody().front().getTerminator());
  Value output = yield.getValues().front();
  Emitter::Loop loop = emitter.makeLoop(graph::shapeOf(output));
  emitter.finishGrid();
  emitter.foreach (loop, [&] { emitter.store(0, loop.index, emitter.emit(output, loop.index)); });
}

} // namespace cupola
