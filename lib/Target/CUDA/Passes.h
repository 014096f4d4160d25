//===- lib/Target/CUDA/Passes.h - kernel to simt ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_PASSES_H
#define CUPOLA_LIB_TARGET_CUDA_PASSES_H

#include "dialects/Simt/Simt.h"
#include "lib/Target/CUDA/CudaDialect.h"
#include "lib/Target/CUDA/CudaTarget.h"
#include "lib/Target/Tuning.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace cupola::cuda {

#define GEN_PASS_DECL
#include "lib/Target/CUDA/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "lib/Target/CUDA/Passes.h.inc"

/// With measured times, which outlive the pass.
std::unique_ptr<mlir::Pass> createChooseSchedule(llvm::StringRef arch, llvm::ArrayRef<const TuningTable *> tables);

/// Those that change a kernel before its schedule is chosen.
void buildPreparation(mlir::OpPassManager &passes, const GpuArchitecture &target);
/// All passes from a kernel with a schedule to what is printed, in order, for a pass manager of a module.
void buildCudaPipeline(mlir::OpPassManager &passes, const GpuArchitecture &target);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_PASSES_H
