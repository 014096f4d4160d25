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
    cuda::KernelFacts facts(getOperation());
    cuda::ScheduleInterface schedule = cheapest(cuda::allCandidates(facts, *target), facts, *target);
    if (!schedule) {
      getOperation()->emitError() << "no schedule of " << arch << " can run this kernel";
      return signalPassFailure();
    }
    getOperation().setScheduleAttr(schedule);
  }
};

} // namespace
