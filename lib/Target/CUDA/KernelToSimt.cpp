//===- lib/Target/CUDA/KernelToSimt.cpp - kernels as programs of threads ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Passes.h"
#include "lib/Target/CUDA/Schedules.h"

using namespace mlir;
using namespace cupola;

namespace cupola::cuda {
#define GEN_PASS_DEF_KERNELTOSIMT
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

struct ScheduleRow {
  StringRef name; ///< as ChooseSchedule spells it
  LogicalResult (*lower)(kernel::FuncOp);
};

constexpr ScheduleRow schedules[] = {
    {"pointwise", cuda::lowerPointwise},
    {"gather", cuda::lowerPointwise},
    {"transpose", cuda::lowerTranspose},
    {"row_reduction", cuda::lowerRows},
    {"column_reduction", cuda::lowerColumns},
    {"reduction", cuda::lowerPoints},
    {"gemm", cuda::lowerGemm},
    {"gemm_mma", cuda::lowerMma},
    {"matvec", cuda::lowerMatvec},
};

LogicalResult lower(kernel::FuncOp func) {
  const auto *row =
      llvm::find_if(schedules, [&](const ScheduleRow &schedule) { return schedule.name == func.getSchedule(); });
  if (row == std::end(schedules))
    return func.emitError() << "schedule '" << func.getSchedule() << "' has no CUDA form";
  if (failed(row->lower(func)))
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
