//===- lib/Target/CUDA/Schedules/Reduction.cpp - one thread per vector of grid points ---===//
// SPDX-License-Identifier: Apache-2.0
//
// For reductions over axes that are not contiguous, and windows: neighbouring threads read
// neighbouring elements or vectors.

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Schedules/Cost.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

/// Neighbouring grid points that a thread computes at once, if enough threads are left.
static int64_t pointWidth(cuda::KernelFacts &facts, const GpuArchitecture &target) {
  FuncOp func = facts.func;
  Block &body = func.getBody().front();
  if (func.getGrid().empty() || !facts.hasOnly<kernel::ReduceOp>() ||
      !cuda::reducesVectors(body, func.getPoint().back()))
    return 1;
  Value last = func.getPoint().back();
  SmallVector<std::pair<Block *, Value>> all = {{&body, last}};
  for (Operation *loop : facts.loops)
    all.push_back({&loop->getRegion(0).front(), last});
  int64_t width = cuda::vectorWidth(all, graph::exprsOf(func.getGrid()).back(), facts.vars, facts.divisors);
  while (width > 1 && facts.points && *facts.points / width < cuda::enoughThreads(target))
    width /= 2;
  return width;
}

LogicalResult cuda::ReductionAttr::verify(EmitError error, int64_t threads, int64_t vector) {
  return success(succeeded(verifyThreads(error, threads)) && succeeded(verifyVector(error, vector)));
}

cuda::Candidates cuda::ReductionAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  if (facts.product || facts.attention || facts.recurrence)
    return {};
  return {ReductionAttr::get(facts.context(), /*threads=*/128, pointWidth(facts, target))};
}

double cuda::ReductionAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  const double repeated = facts.window ? facts.window->accesses(1, 1) * narrow(facts.window->bytesOf(getVector())) : 1;
  return idle(facts.points.value_or(typicalPoints(target)), target) * repeated * (facts.readsAlongRows ? strided : 1);
}

LogicalResult cuda::ReductionAttr::lower(kernel::FuncOp func) const {
  int64_t threads = getThreads(), width = getVector();
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
