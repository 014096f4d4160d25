//===- lib/Transforms/Passes.h - passes from graph to graph ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_PASSES_H
#define CUPOLA_LIB_TRANSFORMS_PASSES_H

#include "dialects/Graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <functional>

namespace cupola {

#define GEN_PASS_DECL
#include "lib/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Passes.h.inc"

/// Of the contractions that `takes` accepts.
std::unique_ptr<mlir::Pass> createIntegerProducts(std::function<bool(mlir::Operation *)> takes);

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_PASSES_H
