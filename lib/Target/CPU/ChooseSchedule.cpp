//===- lib/Target/CPU/ChooseSchedule.cpp - how a kernel runs on a CPU ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Target/CPU/Passes.h"
#include "lib/Target/CPU/Schedules/Schedules.h"

using namespace mlir;

namespace cupola::cpu {

#define GEN_PASS_DEF_CHOOSESCHEDULE
#include "lib/Target/CPU/Passes.h.inc"

// A kernel has the candidates of the first kind that suits it.
static constexpr Candidates (*table[])(KernelPlan &, const CpuArchitecture &) = {
    AttentionAttr::candidates,
    ContractionAttr::candidates,
    TransposeAttr::candidates,
    NestAttr::candidates,
};

Status chooseSchedule(kernel::FuncOp func, const CpuArchitecture &isa) {
  CUPOLA_ASSIGN(KernelPlan kernel, readKernel(func, isa));
  Candidates all;
  for (auto candidates : table)
    if (all = candidates(kernel, isa); !all.empty())
      break;
  func.setScheduleAttr(cheapest(all, kernel, isa));
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
