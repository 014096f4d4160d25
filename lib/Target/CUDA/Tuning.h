//===- lib/Target/CUDA/Tuning.h - schedules by measured times ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_TUNING_H
#define CUPOLA_LIB_TARGET_CUDA_TUNING_H

#include "lib/Target/CUDA/Schedules/Schedules.h"
#include "lib/Target/Target.h"

namespace cupola::cuda {

/// Those asked first come first.
using TuningTables = llvm::SmallVector<const TuningTable *, 2>;

/// What a prepared kernel without a schedule is called in a database: the hash of its text but for its name.
std::string tuningKey(kernel::FuncOp func);

/// That of the first table that has a time of one of the candidates: the least, of equals the first. Null: there is
/// none. Schedules that are no candidates are passed over with a warning at the kernel.
ScheduleInterface fastest(const Candidates &candidates, kernel::FuncOp func, llvm::StringRef arch,
                          llvm::ArrayRef<const TuningTable *> tables);

/// The cheapest of each schedule and then the cheapest of all others, `most` of them, by rising cost.
Candidates worthMeasuring(const Candidates &candidates, const KernelFacts &facts, const GpuArchitecture &target,
                          size_t most);

/// Tuning.jsonl of this folder, which every build has.
const TuningTable &shippedTuning();

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_TUNING_H
