//===- lib/Target/CUDA/Schedules.h - how the threads of a GPU run a kernel ---===//
// SPDX-License-Identifier: Apache-2.0
//
// One function per schedule that ChooseSchedule knows. Each adds the simt.func of a kernel
// before it; the kernel is left as it is.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CUDA_SCHEDULES_H
#define CUPOLA_LIB_TARGET_CUDA_SCHEDULES_H

#include "dialects/Kernel/Kernel.h"

namespace cupola::cuda {

/// pointwise, gather: one thread per vector of a foreach.
mlir::LogicalResult lowerPointwise(kernel::FuncOp func);
/// transpose: loads and stores along different axes, tiles in shared memory.
mlir::LogicalResult lowerTranspose(kernel::FuncOp func);
/// row_reduction: a warp or a block per grid point.
mlir::LogicalResult lowerRows(kernel::FuncOp func);
/// column_reduction: a lane per grid point, the warps share its loops.
mlir::LogicalResult lowerColumns(kernel::FuncOp func);
/// reduction: one thread per vector of grid points, which runs its loops alone.
mlir::LogicalResult lowerPoints(kernel::FuncOp func);
/// gemm: tiles of a product through shared memory, f32 arithmetic.
mlir::LogicalResult lowerGemm(kernel::FuncOp func);
/// gemm_mma: tiles of a product through shared memory, by the warps' matrix units.
mlir::LogicalResult lowerMma(kernel::FuncOp func);
/// matvec: a product with few rows, which reads its weights once.
mlir::LogicalResult lowerMatvec(kernel::FuncOp func);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_SCHEDULES_H
