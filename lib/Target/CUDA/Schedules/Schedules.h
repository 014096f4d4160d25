//===- lib/Target/CUDA/Schedules/Schedules.h - how the threads of a GPU run a kernel ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A file per schedule: its candidates for a kernel, their cost, and the program of a thread
// (cost and lower are methods of its attribute, CudaDialect.td). What is required of a kernel
// decides whether there are candidates, what is better decides their cost.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CUDA_SCHEDULES_SCHEDULES_H
#define CUPOLA_LIB_TARGET_CUDA_SCHEDULES_SCHEDULES_H

#include "lib/Target/CUDA/CudaDialect.h"
#include "lib/Target/CUDA/CudaTarget.h"
#include "lib/Target/CUDA/Schedules/KernelFacts.h"

namespace cupola::cuda {

/// None where the schedule cannot run the kernel.
using Candidates = llvm::SmallVector<ScheduleInterface>;

// One file each.
Candidates pointwiseCandidates(KernelFacts &facts, const GpuArchitecture &target);
Candidates transposeCandidates(KernelFacts &facts, const GpuArchitecture &target);
Candidates rowReductionCandidates(KernelFacts &facts, const GpuArchitecture &target);
Candidates columnReductionCandidates(KernelFacts &facts, const GpuArchitecture &target);
Candidates reductionCandidates(KernelFacts &facts, const GpuArchitecture &target);
Candidates gemmCandidates(KernelFacts &facts, const GpuArchitecture &target);
Candidates gemmMmaCandidates(KernelFacts &facts, const GpuArchitecture &target);
Candidates gemmWgmmaCandidates(KernelFacts &facts, const GpuArchitecture &target);
Candidates attentionCandidates(KernelFacts &facts, const GpuArchitecture &target);
Candidates attentionMmaCandidates(KernelFacts &facts, const GpuArchitecture &target);
Candidates matvecCandidates(KernelFacts &facts, const GpuArchitecture &target);

/// Those of all schedules, in the order in which equal costs are decided.
Candidates allCandidates(KernelFacts &facts, const GpuArchitecture &target);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_SCHEDULES_SCHEDULES_H
