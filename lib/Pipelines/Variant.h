//===- lib/Pipelines/Variant.h - one variant of a package ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_PIPELINES_VARIANT_H
#define CUPOLA_LIB_PIPELINES_VARIANT_H

#include "lib/Conversion/GraphToPlan/GraphToPlan.h"
#include "lib/Pipelines/Pipelines.h"
#include "lib/Runtime/CUDA/CubinCache.h"

#include <functional>

namespace cupola {

/// Shared by the variants of one compilation.
struct VariantContext {
  PipelineOptions pipeline;
  WeightTable weights;
  NodeTable nodes;
  std::shared_ptr<runtime::ByteCache> cache;        ///< never null
  std::shared_ptr<runtime::cuda::CubinCache> nvrtc; ///< never null
  unsigned threads = 1;
  std::function<void(const std::string &)> progress;  ///< what long work is at; may be null
  bool kernelResults = false;                         ///< returnFusionResults() after fusion
  mlir::OwningOpRef<mlir::ModuleOp> cpuKernels;       ///< at phase kernel, alike for all levels; null at first
  uint64_t llvmCompiles = 0;                          ///< LLVM modules that were compiled, not found in the cache
  std::vector<std::pair<std::string, double>> phases; ///< milliseconds, in order
};

/// What the compiler knows of a finished variant, for reports.
struct BuiltVariant {
  format::Variant variant;
  mlir::OwningOpRef<mlir::ModuleOp> module;       ///< at phase plan
  std::map<std::string, std::string> kernelNames; ///< kernel.func -> record name
  /// Per architecture of `cubins` and kernel name.
  std::map<std::string, std::vector<runtime::cuda::KernelResources>> resources;
};

/// Runs the phases of one variant on a copy of the graph `shared`, up to the plan and
/// the kernels' code. `cubins`: architectures to compile for now (cuda only; none:
/// the package carries source).
Result<BuiltVariant> buildVariant(mlir::ModuleOp shared, const VariantSpec &spec, llvm::ArrayRef<std::string> cubins,
                                  VariantContext &context);

/// Each target: kernels' records and grids into `kernels`, code into `built`.
Status buildCudaKernels(mlir::ModuleOp module, const VariantSpec &spec, TargetKernels &kernels, BuiltVariant &built);
Status compileCubins(llvm::ArrayRef<std::string> archs, BuiltVariant &built, VariantContext &context);
/// Packs constant operands, then prepares all kernels.
Status prepareCpuKernels(mlir::ModuleOp module, const VariantSpec &spec, TargetKernels &kernels);
Status compileCpuImage(const VariantSpec &spec, BuiltVariant &built, VariantContext &context);

} // namespace cupola

#endif // CUPOLA_LIB_PIPELINES_VARIANT_H
