//===- lib/Target/CUDA/Schedules/AttentionCost.h - what rows of an attention cost ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_SCHEDULES_ATTENTIONCOST_H
#define CUPOLA_LIB_TARGET_CUDA_SCHEDULES_ATTENTIONCOST_H

#include "lib/Runtime/Format/Architectures.h"
#include "lib/Target/CUDA/Schedules/KernelFacts.h"

#include "llvm/Support/MathExtras.h"

namespace cupola::cuda {

/// For blocks of so many rows: what the busiest multiprocessor does per key. To bring a key and its
/// value to shared memory costs about as much as to multiply them with sixteen rows.
inline double attentionCost(int64_t rows, const AttentionFacts &attention, const GpuArchitecture &target) {
  const int64_t blocks = attention.batch * llvm::divideCeilSigned(attention.rows, rows);
  return double(llvm::divideCeilSigned(blocks, target.multiprocessors)) * double(rows + 16);
}

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_SCHEDULES_ATTENTIONCOST_H
