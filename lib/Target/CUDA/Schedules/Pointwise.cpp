//===- lib/Target/CUDA/Schedules/Pointwise.cpp - one thread per vector of a foreach ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Schedules/Cost.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

/// The loop's points, the innermost extent counted in vectors.
static graph::Exprs vectorExtents(ForeachOp loop, int64_t width) {
  graph::Exprs extents = graph::exprsOf(loop.getExtents());
  extents.back() = floorDiv(extents.back(), width);
  return extents;
}

static LogicalResult distribute(cuda::Lowering &low, ForeachOp loop, int64_t threads, int64_t width) {
  graph::Exprs extents = vectorExtents(loop, width);
  ValueRange indices = loop.getBody().getArguments();
  Expr flat = low.block() * threads + low.thread();
  return low.guard({graph::product(extents) - 1 - flat}, [&]() -> LogicalResult {
    ArrayRef<Expr> outer = ArrayRef(extents).drop_back();
    Expr rest = outer.empty() ? flat : floorDiv(flat, extents.back());
    Expr inner = outer.empty() ? flat : mod(flat, extents.back());
    low.bindCoordinates(indices.drop_back(), outer, rest);
    low.enter(loop);
    return low.cloneVector(loop.getBody().front(), indices.back(), inner * width,
                           graph::exprsOf(loop.getExtents()).back(), width, [](ValueRange, const Expr &) {});
  });
}

LogicalResult cuda::PointwiseAttr::verify(EmitError error, int64_t threads, int64_t vector) {
  return success(succeeded(verifyThreads(error, threads)) && succeeded(verifyVector(error, vector)));
}

cuda::Candidates cuda::PointwiseAttr::candidates(KernelFacts &facts, const GpuArchitecture &) {
  if (!facts.isElementwise)
    return {};
  return {PointwiseAttr::get(facts.context(), /*threads=*/256, facts.vector)};
}

double cuda::PointwiseAttr::cost(const KernelFacts &facts, const GpuArchitecture &) const {
  return facts.transposedAxis ? strided : 1;
}

StringRef cuda::PointwiseAttr::getLabel(graph::KernelKind kind) const {
  return kind == graph::KernelKind::Gather ? "gather" : getMnemonic();
}

LogicalResult cuda::PointwiseAttr::lower(kernel::FuncOp func) const {
  int64_t threads = getThreads(), width = getVector();
  Lowering low(func);
  std::optional<Expr> blocks;
  for (auto loop : low.body().getOps<ForeachOp>()) {
    Expr count = ceilDiv(graph::product(vectorExtents(loop, width)), threads);
    blocks = blocks ? max(*blocks, count) : count;
  }
  low.launch(threads, *blocks);
  for (Operation &op : low.body()) {
    auto loop = dyn_cast<ForeachOp>(op);
    if (failed(loop ? distribute(low, loop, threads, width) : low.clone(op)))
      return failure();
  }
  return success();
}
