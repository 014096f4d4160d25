//===- lib/Pipelines/Pipelines.h - the pass order, on one page ---===//
// SPDX-License-Identifier: Apache-2.0
//
//   graph   imported, then simplified: shared by all variants
//   fused   per variant: graph.fusion regions
//   kernel  per variant: a kernel.func for every fusion
//   plan    per variant: the host program with its arena
//   cuda    the text of the CUDA kernels
//   package everything in one file
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_PIPELINES_PIPELINES_H
#define CUPOLA_LIB_PIPELINES_PIPELINES_H

#include "dialects/Graph/Graph.h"
#include "lib/Runtime/Status.h"
#include "lib/Target/Cancel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace cupola {

enum class Phase { Graph, Fused, Kernel, Plan, Cuda, Package };
/// "graph", ..; nullopt for other names.
std::optional<Phase> parsePhase(llvm::StringRef name);

/// What f32 values of the graph become (pass graph-precision).
struct PrecisionChoice {
  std::string element;           ///< f16, bf16; "": they stay
  std::vector<std::string> keep; ///< patterns of names of nodes that stay f32
  bool interface = false;        ///< inputs and outputs, too
  int tf32 = 0;                  ///< products of TF32 for one of f32 (pass graph-allow-tf32): 1 or 3; 0: none
  /// Whether products with weights of up to 8 bits may round rows (pass graph-allow-int8-rows); none: as each says.
  std::optional<graph::Int8Rows> int8Rows;
};

struct PipelineOptions {
  std::set<std::string> disabled; ///< names of optionalPasses() to leave out
  std::string dumpDir;            ///< IR after every pass as NN-pass.mlir; "": none
  PrecisionChoice precision;
  std::set<std::string> targets;   ///< of the variants that share the graph; none: any
  std::set<std::string> libraries; ///< names of those that fusions may be described to (format::kLibraries)
  /// That no pass loses or invents a node of the model; like the verifier after every pass where the pipeline is
  /// watched, else at its end.
  bool checkProvenance = true;
  CancelPoll cancelled; ///< looked at before every pass
  unsigned threads = 1; ///< at most, of what a pass over the graph shares out; its result does not depend on it
  /// Called after every pass with its name; may be empty.
  std::function<void(llvm::StringRef pass, mlir::ModuleOp module)> afterPass;

  /// Whether somebody looks at the IR between the passes, and wants to know which one broke it.
  bool isWatched() const { return afterPass || !dumpDir.empty(); }
};

/// What a build is for: {cuda, sm_80}, {cpu, x86-64-v3}.
struct VariantSpec {
  std::string target, arch;
  bool forAny = false; ///< of the architecture's GPUs: nothing in it needs many multiprocessors
};

struct OptionalPass {
  llvm::StringRef name, summary;
};
/// Every pass that may be left out; the answer stays right.
llvm::ArrayRef<OptionalPass> optionalPasses();

/// What `passes` make of a copy of `module`. Where one of them is at fault (Code::Internal) they run again on another
/// copy, watched, for an error that names the pass.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
runNamingFaults(llvm::function_ref<Status(mlir::ModuleOp, const PipelineOptions &)> passes, mlir::ModuleOp module,
                const PipelineOptions &options);

/// Passes on the graph that all variants share.
Status runGraphPasses(mlir::ModuleOp module, const PipelineOptions &options);
/// The last of them alone, by which f32 values get 16 bits; ops stay what they are, but for casts.
Status runPrecisionPass(mlir::ModuleOp module, const PipelineOptions &options);
/// From the graph to fusions.
Status runFusionPasses(mlir::ModuleOp module, const VariantSpec &variant, const PipelineOptions &options);
/// Makes the result of every fusion a result of @main, too, after the model's own: what a
/// run of such a variant returns is what its kernels hand to each other. The kernels are
/// the same. The added results are called "kernel result N".
void returnFusionResults(mlir::ModuleOp module);
/// From fusions to kernels.
Status runKernelPasses(mlir::ModuleOp module, const VariantSpec &variant, const PipelineOptions &options);

} // namespace cupola

#endif // CUPOLA_LIB_PIPELINES_PIPELINES_H
