//===- lib/Transforms/Passes.h - passes from graph to graph ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_PASSES_H
#define CUPOLA_LIB_TRANSFORMS_PASSES_H

#include "dialects/Graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace cupola {

#define GEN_PASS_DECL
#include "lib/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Passes.h.inc"

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_PASSES_H
