//===- lib/Target/CUDA/Schedules/Schedules.h - how the threads of a GPU run a kernel ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A file per schedule, with the methods of its attribute (CudaDialect.td): what its parameters
// may be, its candidates for a kernel, their cost, and the program of a thread. What is
// required of a kernel decides whether there are candidates, what is better decides their cost.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CUDA_SCHEDULES_SCHEDULES_H
#define CUPOLA_LIB_TARGET_CUDA_SCHEDULES_SCHEDULES_H

#include "lib/Target/CUDA/CudaDialect.h"
#include "lib/Target/CUDA/CudaTarget.h"
#include "lib/Target/CUDA/Schedules/KernelFacts.h"
#include "lib/Target/ScheduleAttr.h"

namespace cupola::cuda {

/// Of a warp.
inline constexpr int64_t lanes = 32;

/// Those of all schedules, in the order in which equal costs are decided.
Candidates allCandidates(KernelFacts &facts, const GpuArchitecture &target);

//===--- For verifiers ---===//

inline mlir::LogicalResult verifyThreads(EmitError error, int64_t threads) {
  if (threads > 0 && threads <= 1024 && threads % 32 == 0)
    return mlir::success();
  return error() << threads << " threads are no block of whole warps, 1024 threads at most";
}

inline mlir::LogicalResult verifyVector(EmitError error, int64_t vector) {
  if (vector > 0 && vector <= 16 && llvm::isPowerOf2_64(vector))
    return mlir::success();
  return error() << "a vector of " << vector << " elements is none of 1, 2, 4, 8 and 16";
}

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_SCHEDULES_SCHEDULES_H
