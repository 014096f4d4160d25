//===- lib/Target/CUDA/DistributePointwise.cpp - a thread per vector of elements ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_DISTRIBUTEPOINTWISE
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// The loop's points, the innermost extent counted in vectors.
graph::Exprs vectorExtents(ForeachOp loop, int64_t width) {
  graph::Exprs extents = graph::exprsOf(loop.getExtents());
  extents.back() = floorDiv(extents.back(), width);
  return extents;
}

LogicalResult distribute(cuda::Lowering &lowering, ForeachOp loop, int64_t threads, int64_t width) {
  graph::Exprs extents = vectorExtents(loop, width);
  SmallVector<std::string> vars = cuda::names(loop.getVars());
  Expr flat = Expr::symbol("b") * threads + Expr::symbol("t");
  return lowering.guard({graph::product(extents) - 1 - flat}, [&]() -> LogicalResult {
    ArrayRef<Expr> outer = ArrayRef(extents).drop_back();
    Expr rest = outer.empty() ? flat : floorDiv(flat, extents.back());
    Expr inner = outer.empty() ? flat : mod(flat, extents.back());
    lowering.letCoordinates(ArrayRef(vars).drop_back(), outer, rest);
    lowering.enter(loop.getVars(), loop.getExtents());
    return lowering.cloneVector(loop.getBody().front(), vars.back(), inner * width,
                                graph::exprsOf(loop.getExtents()).back(), width, [](ValueRange) {});
  });
}

struct DistributePointwise : cuda::impl::DistributePointwiseBase<DistributePointwise> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    bool isPointwise = func.getSchedule() == "pointwise" || func.getSchedule() == "gather";
    if (!isPointwise || func->hasAttr("launch"))
      return;
    int64_t threads = func.getParams().getAs<IntegerAttr>("threads").getInt();
    int64_t width = func.getParams().getAs<IntegerAttr>("vector").getInt();
    cuda::Lowering lowering(func);
    std::optional<Expr> blocks;
    for (auto loop : lowering.source().getOps<ForeachOp>()) {
      Expr count = ceilDiv(graph::product(vectorExtents(loop, width)), threads);
      blocks = blocks ? max(*blocks, count) : count;
    }
    lowering.launch(threads, *blocks);
    for (Operation &op : lowering.source()) {
      auto loop = dyn_cast<ForeachOp>(op);
      if (failed(loop ? distribute(lowering, loop, threads, width) : lowering.clone(op)))
        return signalPassFailure();
    }
  }
};

} // namespace
