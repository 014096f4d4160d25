//===- lib/Target/CUDA/Schedules/Cost.h - what memory costs on a GPU ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Costs of kernels without a product are relative to an access that reads nothing in vain
// while the multiprocessors have all threads they need.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CUDA_SCHEDULES_COST_H
#define CUPOLA_LIB_TARGET_CUDA_SCHEDULES_COST_H

#include "lib/Target/CUDA/CudaTarget.h"

#include "llvm/Support/MathExtras.h"

namespace cupola::cuda {

/// Blocks that keep the multiprocessors busy, with some to spare for those that end early.
inline int64_t enoughBlocks(const GpuArchitecture &target) { return llvm::PowerOf2Ceil(target.multiprocessors); }
/// Threads that hide the latency of memory: 256 of a block for each.
inline int64_t enoughThreads(const GpuArchitecture &target) { return 256 * enoughBlocks(target); }

/// Where neighbouring threads read elements that are apart: a sector of 32 bytes for one of two.
constexpr int64_t strided = 16;

/// How much longer memory takes if only so many threads ask for it; at least 1.
inline double idle(int64_t threads, const GpuArchitecture &target) {
  return std::max(1.0, double(enoughThreads(target)) / double(std::max<int64_t>(threads, 1)));
}

/// How much longer an access takes that is narrower than 16 bytes: there are more of them.
inline double narrow(int64_t bytes) { return 1 + 2.0 / double(std::min<int64_t>(bytes, 16)); }

/// What a number of grid points is taken for that depends on symbols: so many that a thread for
/// each is as good as a warp for each whose reads are strided.
inline int64_t typicalPoints(const GpuArchitecture &target) { return enoughThreads(target) / strided; }

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_SCHEDULES_COST_H
