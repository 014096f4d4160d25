//===- lib/Target/CUDA/Constants.h - what fusions give their kernels -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_CONSTANTS_H
#define CUPOLA_LIB_TARGET_CUDA_CONSTANTS_H

#include "dialects/Graph/Graph.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace cupola::cuda {

/// By kernel that is launched: the fusions with it.
std::map<llvm::StringRef, llvm::SmallVector<graph::FusionOp>> fusionsByKernel(mlir::ModuleOp module);
/// By kernel that is launched: the parameters that every fusion with it gives a constant.
std::map<llvm::StringRef, llvm::SmallVector<int64_t>> constantParameters(mlir::ModuleOp module);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_CONSTANTS_H
