//===- lib/Pipelines/Variant.h - the variants of a package ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_PIPELINES_VARIANT_H
#define CUPOLA_LIB_PIPELINES_VARIANT_H

#include "lib/Pipelines/Pipelines.h"
#include "lib/Target/Target.h"

namespace cupola {

/// Shared by the variants of one compilation.
struct VariantContext {
  PipelineOptions pipeline;
  TargetRequest request;
  TargetServices services;
  WeightTable weights;
  NodeTable nodes;
  bool kernelResults = false;                         ///< returnFusionResults() after fusion
  std::vector<std::pair<std::string, double>> phases; ///< milliseconds, in order
};

/// What the compiler knows of a finished variant, for reports.
struct BuiltVariant {
  VariantSpec spec;
  format::Variant variant;
  mlir::OwningOpRef<mlir::ModuleOp> module;       ///< at phase plan
  std::map<std::string, std::string> kernelNames; ///< kernel.func -> record name
  /// Per architecture of `binaries` and kernel name, where the compiler tells.
  std::map<std::string, std::vector<runtime::cuda::KernelResources>> resources;
};

/// Runs the phases of all variants on copies of the graph `shared`, up to the plan and the kernels' code, on as many
/// threads as the context has. The bytes, and the error, do not depend on how many.
Status buildVariants(mlir::ModuleOp shared, llvm::ArrayRef<VariantSpec> specs, VariantContext &context,
                     std::vector<BuiltVariant> &built);

} // namespace cupola

#endif // CUPOLA_LIB_PIPELINES_VARIANT_H
