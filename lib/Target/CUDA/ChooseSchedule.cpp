//===- lib/Target/CUDA/ChooseSchedule.cpp - how a kernel runs on a GPU ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Passes.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"

using namespace mlir;
using namespace cupola;

namespace cupola::cuda {
#define GEN_PASS_DEF_CHOOSESCHEDULE
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// The cheapest, of equals the first; null if there is none.
cuda::ScheduleInterface cheapest(kernel::FuncOp func, const GpuArchitecture &target) {
  cuda::KernelFacts facts(func);
  cuda::ScheduleInterface best;
  double least = 0;
  for (cuda::ScheduleInterface candidate : cuda::allCandidates(facts, target))
    if (double cost = candidate.cost(facts, target); !best || cost < least) {
      best = candidate;
      least = cost;
    }
  return best;
}

struct ChooseSchedule : cuda::impl::ChooseScheduleBase<ChooseSchedule> {
  using ChooseScheduleBase::ChooseScheduleBase;
  void runOnOperation() override {
    const GpuArchitecture *target = findGpu(arch);
    if (!target) {
      getOperation()->emitError() << "architecture '" << arch << "' is not known";
      return signalPassFailure();
    }
    if (getOperation().getScheduleAttr())
      return;
    cuda::ScheduleInterface schedule = cheapest(getOperation(), *target);
    if (!schedule) {
      getOperation()->emitError() << "no schedule of " << arch << " can run this kernel";
      return signalPassFailure();
    }
    getOperation().setScheduleAttr(schedule);
  }
};

} // namespace
