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
/// Of a kernel.func that runs for some extents alone: 1 or 0, over n0, n1, .., by which its blocks are multiplied; and
/// of such a one the kernel.func for the others that it has beside it, which is launched with the same operands.
inline constexpr llvm::StringLiteral shareOfBlocksAttr = "cuda.share_of_blocks", tokenKernelAttr = "cuda.token_kernel";
llvm::ArrayRef<int64_t> constantsOf(mlir::Operation *func);
} // namespace cupola::cuda

#define GET_ATTRDEF_CLASSES
#include "lib/Target/CUDA/CudaAttrs.h.inc"
#define GET_OP_CLASSES
#include "lib/Target/CUDA/CudaOps.h.inc"

#endif // CUPOLA_LIB_TARGET_CUDA_CUDADIALECT_H
