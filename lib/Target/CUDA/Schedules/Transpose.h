//===- lib/Target/CUDA/Schedules/Transpose.h - when tiles must be turned ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_SCHEDULES_TRANSPOSE_H
#define CUPOLA_LIB_TARGET_CUDA_SCHEDULES_TRANSPOSE_H

#include "dialects/Kernel/Kernel.h"

namespace cupola::cuda {

/// The axis along which some load is contiguous while the stores are along the
/// innermost one; none if there is no such load or an axis is short.
std::optional<unsigned> transposedAxis(kernel::ForeachOp loop, kernel::Variables &vars);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_SCHEDULES_TRANSPOSE_H
