//===- lib/Pipelines/Instrumentation.h - dumps and checks between passes ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_PIPELINES_INSTRUMENTATION_H
#define CUPOLA_LIB_PIPELINES_INSTRUMENTATION_H

#include "dialects/Plan/Plan.h"
#include "lib/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"

namespace cupola {

/// Dumps the module after every pass and checks its provenance, as options say. The first pass that breaks it, by the
/// name that --disable-pass takes, and how go to `broken`, which outlives the runs of `manager`.
void addInstrumentation(mlir::PassManager &manager, const PipelineOptions &options, std::string &broken);

/// Every op on tensors names nodes of the model (`graph.nodes` of the module), and none
/// that the model does not have; every node is named, folded or dead (graph::Fate). An
/// error of this is one of our own passes.
mlir::LogicalResult checkProvenance(mlir::ModuleOp module);

/// The same of a finished plan: every node is in a step, in a constant, folded or dead.
Status checkPlanProvenance(mlir::ModuleOp module, plan::ProgramOp program);

/// Writes `module` to DIR/NN-<name>.mlir, weights elided; NN counts up per folder.
void dumpModule(mlir::ModuleOp module, const std::string &dir, llvm::StringRef name);

} // namespace cupola

#endif // CUPOLA_LIB_PIPELINES_INSTRUMENTATION_H
