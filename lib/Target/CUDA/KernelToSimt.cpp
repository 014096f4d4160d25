//===- lib/Target/CUDA/KernelToSimt.cpp - kernels as programs of threads ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/CudaDialect.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;

namespace cupola::cuda {
#define GEN_PASS_DEF_KERNELTOSIMT
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

LogicalResult lower(kernel::FuncOp func) {
  auto schedule = dyn_cast_or_null<cuda::ScheduleInterface>(func.getScheduleAttr());
  if (!schedule)
    return func.emitError() << "has no schedule of a GPU";
  if (failed(schedule.lower(func)))
    return failure();
  func.erase();
  return success();
}

struct KernelToSimt : cuda::impl::KernelToSimtBase<KernelToSimt> {
  void runOnOperation() override {
    for (auto func : llvm::make_early_inc_range(getOperation().getOps<kernel::FuncOp>()))
      if (failed(lower(func)))
        return signalPassFailure();
  }
};

} // namespace
