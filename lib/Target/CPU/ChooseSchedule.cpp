//===- lib/Target/CPU/ChooseSchedule.cpp - how a kernel runs on a CPU ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Target/CPU/KernelPlan.h"
#include "lib/Target/CPU/Passes.h"
#include "lib/Target/CPU/Schedules/Schedules.h"

using namespace mlir;

namespace cupola::cpu {

#define GEN_PASS_DEF_CHOOSESCHEDULE
#include "lib/Target/CPU/Passes.h.inc"

Status chooseSchedule(kernel::FuncOp func, const CpuArchitecture &isa) {
  if (stepsOf(func)) {
    Result<AttentionAttr> steps = chooseAttention(func, isa);
    CUPOLA_TRY(steps.status());
    func.setScheduleAttr(*steps);
    return {};
  }
  if (!dotOf(func)) {
    func.setScheduleAttr(chooseNest(func, isa));
    return {};
  }
  Result<ContractionAttr> schedule = chooseContraction(func, isa);
  CUPOLA_TRY(schedule.status());
  func.setScheduleAttr(*schedule);
  return {};
}

namespace {

struct ChooseSchedule : impl::ChooseScheduleBase<ChooseSchedule> {
  using ChooseScheduleBase::ChooseScheduleBase;
  void runOnOperation() override {
    const CpuArchitecture *isa = findCpu(arch);
    if (!isa) {
      getOperation()->emitError() << "architecture '" << arch << "' is not known";
      return signalPassFailure();
    }
    if (Status status = chooseSchedule(getOperation(), *isa); status.failed()) {
      getOperation()->emitError(status.message());
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace cupola::cpu
