//===- lib/Pipelines/Instrumentation.h - dumps and checks between passes ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_PIPELINES_INSTRUMENTATION_H
#define CUPOLA_LIB_PIPELINES_INSTRUMENTATION_H

#include "lib/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"

namespace cupola {

/// Where a pipeline is watched: dumps `module` after every pass and checks its provenance, as options say. The first
/// pass that breaks it, by the name that --disable-pass takes, and how go to `broken`, which outlives the runs of
/// `manager`.
void addInstrumentation(mlir::PassManager &manager, mlir::ModuleOp module, const PipelineOptions &options,
                        std::string &broken);

/// Writes `module` to DIR/NN-<name>.mlir, weights elided; NN counts up per folder.
void dumpModule(mlir::ModuleOp module, const std::string &dir, llvm::StringRef name);

} // namespace cupola

#endif // CUPOLA_LIB_PIPELINES_INSTRUMENTATION_H
