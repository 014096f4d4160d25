//===- lib/Target/CUDA/Passes.h - kernel to simt ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_PASSES_H
#define CUPOLA_LIB_TARGET_CUDA_PASSES_H

#include "dialects/Simt/Simt.h"
#include "lib/Target/CUDA/CudaDialect.h"
#include "lib/Target/CUDA/CudaTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace cupola::cuda {

#define GEN_PASS_DECL
#include "lib/Target/CUDA/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "lib/Target/CUDA/Passes.h.inc"

/// Those that leave a kernel in the kernel dialect, its schedule chosen.
void buildPreparation(mlir::OpPassManager &passes, const GpuArchitecture &target);
/// All passes from there to what is printed, in order, for a pass manager of a module.
void buildCudaPipeline(mlir::OpPassManager &passes);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_PASSES_H
