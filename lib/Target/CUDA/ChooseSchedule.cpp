//===- lib/Target/CUDA/ChooseSchedule.cpp - how a kernel runs on a GPU ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Passes.h"
#include "lib/Target/CUDA/Tuning.h"

using namespace mlir;
using namespace cupola;

namespace cupola::cuda {
#define GEN_PASS_DEF_CHOOSESCHEDULE
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

struct ChooseSchedule : cuda::impl::ChooseScheduleBase<ChooseSchedule> {
  using ChooseScheduleBase::ChooseScheduleBase;
  ChooseSchedule(const cuda::ChooseScheduleOptions &options, ArrayRef<const TuningTable *> tables)
      : ChooseScheduleBase(options), tables(tables) {}

  void runOnOperation() override {
    const GpuArchitecture *target = findGpu(arch);
    if (!target) {
      getOperation()->emitError() << "architecture '" << arch << "' is not known";
      return signalPassFailure();
    }
    if (getOperation().getScheduleAttr())
      return;
    cuda::KernelFacts facts(getOperation());
    const cuda::Candidates candidates = cuda::allCandidates(facts, *target);
    cuda::ScheduleInterface schedule = cuda::fastest(candidates, getOperation(), arch, tables);
    if (!schedule)
      schedule = cheapest(candidates, facts, *target);
    if (!schedule) {
      getOperation()->emitError() << "no schedule of " << arch << " can run this kernel";
      return signalPassFailure();
    }
    getOperation().setScheduleAttr(schedule);
  }

private:
  cuda::TuningTables tables;
};

} // namespace

std::unique_ptr<Pass> cuda::createChooseSchedule(StringRef arch, ArrayRef<const TuningTable *> tables) {
  ChooseScheduleOptions options;
  options.arch = arch.str();
  return std::make_unique<ChooseSchedule>(options, tables);
}
