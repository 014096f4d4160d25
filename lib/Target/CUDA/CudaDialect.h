//===- lib/Target/CUDA/CudaDialect.h - how a GPU runs a kernel: one attribute per schedule ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_CUDADIALECT_H
#define CUPOLA_LIB_TARGET_CUDA_CUDADIALECT_H

#include "dialects/Kernel/Kernel.h"

namespace cupola {
struct GpuArchitecture;
namespace cuda {
struct KernelFacts;
} // namespace cuda
} // namespace cupola

#include "lib/Target/CUDA/CudaDialect.h.inc"

#include "lib/Target/CUDA/CudaAttrInterfaces.h.inc"

namespace cupola::cuda {
using Candidates = llvm::SmallVector<ScheduleInterface>;

/// On kernels of both kinds: the buffer parameters that nobody writes while the model is loaded, in ascending order.
inline constexpr llvm::StringLiteral constantsAttr = "cuda.constants";
llvm::ArrayRef<int64_t> constantsOf(mlir::Operation *func);
} // namespace cupola::cuda

#define GET_ATTRDEF_CLASSES
#include "lib/Target/CUDA/CudaAttrs.h.inc"
#define GET_OP_CLASSES
#include "lib/Target/CUDA/CudaOps.h.inc"

#endif // CUPOLA_LIB_TARGET_CUDA_CUDADIALECT_H
