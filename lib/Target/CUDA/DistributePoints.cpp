//===- lib/Target/CUDA/DistributePoints.cpp - one thread per vector of grid points ---===//
// SPDX-License-Identifier: Apache-2.0
//
// For reductions over axes that are not contiguous, and windows: neighbouring threads read
// neighbouring elements or vectors.

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Schedules.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

LogicalResult cuda::lowerPoints(kernel::FuncOp func) {
  int64_t threads = func.getParams().getAs<IntegerAttr>("threads").getInt();
  int64_t width = func.getParams().getAs<IntegerAttr>("vector").getInt();
  Lowering low(func);
  graph::Exprs extents = low.grid();
  if (width > 1)
    extents.back() = floorDiv(extents.back(), width);
  Expr vectors = graph::product(extents);
  low.launch(threads, ceilDiv(vectors, threads));
  Expr flat = low.block() * threads + low.thread();
  return low.guard({vectors - 1 - flat}, [&] {
    if (width == 1) {
      low.bindGrid(flat);
      return low.clone(low.body());
    }
    ValueRange outer = ValueRange(func.getPoint()).drop_back();
    low.bindCoordinates(outer, ArrayRef(extents).drop_back(), floorDiv(flat, extents.back()));
    Expr first = (outer.empty() ? flat : mod(flat, extents.back())) * width;
    return low.cloneVector(low.body(), func.getPoint().back(), first, low.grid().back(), width,
                           [](ValueRange, const Expr &) {});
  });
}
