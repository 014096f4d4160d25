//===- lib/Target/CUDA/DistributePoints.cpp - a thread per grid point ---===//
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
    int64_t threads = func.getParams().getAs<IntegerAttr>("threads").getInt();
    cuda::Lowering lowering(func);
    Expr points = graph::product(lowering.grid());
    lowering.launch(threads, ceilDiv(points, threads));
    Expr flat = Expr::symbol("b") * threads + Expr::symbol("t");
    LogicalResult done = lowering.guard({points - 1 - flat}, [&] {
      lowering.letGrid(flat);
      return lowering.clone(lowering.source());
    });
    if (failed(done))
      signalPassFailure();
  }
};

} // namespace
