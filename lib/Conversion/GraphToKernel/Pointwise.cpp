//===- lib/Conversion/GraphToKernel/Pointwise.cpp - one loop over the result ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;

namespace cupola {

void generatePointwise(Emitter &emitter, Operation *) {
  auto yield = cast<graph::YieldOp>(emitter.fusion().getBody().front().getTerminator());
  Emitter::Loop loop = emitter.makeLoop(graph::shapeOf(yield.getValues().front()));
  emitter.finishGrid();
  emitter.foreach (loop, [&] {
    for (auto [i, output] : llvm::enumerate(yield.getValues())) // all of one shape
      emitter.store(i, loop.index, emitter.emit(output, loop.index));
  });
}

} // namespace cupola
