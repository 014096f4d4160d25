//===- lib/Target/CUDA/DistributePoints.cpp - a thread per vector of grid points ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_DISTRIBUTEPOINTS
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

struct DistributePoints : cuda::impl::DistributePointsBase<DistributePoints> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.getSchedule() != "reduction" || func->hasAttr("launch"))
      return;
    if (failed(distribute(func)))
      signalPassFailure();
  }

  LogicalResult distribute(FuncOp func) {
    int64_t threads = func.getParams().getAs<IntegerAttr>("threads").getInt();
    int64_t width = func.getParams().getAs<IntegerAttr>("vector").getInt();
    cuda::Lowering low(func);
    graph::Exprs extents = low.grid();
    if (width > 1)
      extents.back() = floorDiv(extents.back(), width);
    Expr vectors = graph::product(extents);
    low.launch(threads, ceilDiv(vectors, threads));
    Expr flat = Expr::symbol("b") * threads + Expr::symbol("t");
    return low.guard({vectors - 1 - flat}, [&] {
      if (width == 1) {
        low.letGrid(flat);
        return low.clone(low.source());
      }
      SmallVector<std::string> outer;
      for (size_t i = 0; i + 1 < extents.size(); ++i)
        outer.push_back("g" + std::to_string(i));
      low.letCoordinates(outer, ArrayRef(extents).drop_back(), floorDiv(flat, extents.back()));
      Expr first = (outer.empty() ? flat : mod(flat, extents.back())) * width;
      return low.cloneVector(low.source(), "g" + std::to_string(outer.size()), first, low.grid().back(), width,
                             [](ValueRange) {});
    });
  }
};

} // namespace
