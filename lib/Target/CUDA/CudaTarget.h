//===- lib/Target/CUDA/CudaTarget.h - kernels to CUDA C++ text ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The CUDA back end as the pipelines see it. A kernel goes in, one at a time;
// its text, its record for the package and its grid come out. Nothing
// here looks at the machine: the same kernel, target and options give the same
// bytes everywhere.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CUDA_CUDATARGET_H
#define CUPOLA_LIB_TARGET_CUDA_CUDATARGET_H

#include "dialects/Kernel/Kernel.h"
#include "lib/Conversion/GraphToPlan/GraphToPlan.h"
#include "lib/Runtime/Format/Architectures.h"
#include "lib/Runtime/Format/Plan.h"
#include "lib/Target/Tuning.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace cupola::cuda {

struct CudaOptions {
  /// Compute every position in 64 bits, also where 32 are proved to suffice.
  bool force64BitIndex = false;
};

struct CudaKernel {
  format::Kernel record;                  ///< `source` is set by packSources
  std::string text;                       ///< the function alone, without its #include
  std::vector<Expr> grid;                 ///< blocks along x, y and z, over the scalar parameters n0..
  std::vector<KernelTensorMap> maps;      ///< which it takes behind its scalars
  std::vector<KernelWorkspace> workspace; ///< behind its inputs and outputs
  bool compilesAlone = false;             ///< for so long that it is worth a module of its own
};

/// Chooses the schedules of all kernels and makes one kernel of those that differ in numbers
/// only; the fusions that use them follow. Of the tables with measured times the first that has
/// some of a kernel decides. `fuseHorizontally`: and launches small ones side by side.
mlir::LogicalResult prepareCudaKernels(mlir::ModuleOp module, const GpuArchitecture &target,
                                       llvm::ArrayRef<const TuningTable *> tuning = {}, bool fuseHorizontally = true);

/// Emits one kernel of a module that was prepared, a kernel.func or a cuda.horizontal, which is not changed.
/// Diagnostics go to its location. May run concurrently for different kernels of one context.
mlir::FailureOr<CudaKernel> emitCudaKernel(mlir::Operation *prepared, const GpuArchitecture &target,
                                           const CudaOptions &options = {});

/// The dialect of the schedules that kernels have from then on.
void registerCudaDialect(mlir::DialectRegistry &registry);

/// Groups distinct kernels into modules m0.cu, m1.cu, .. in the order given: small
/// kernels share modules, each product of matrices has one of its own. Sets
/// `record.source`; kernels of the same name must be passed once.
std::vector<format::Source> packSources(llvm::MutableArrayRef<CudaKernel> kernels);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_CUDATARGET_H
