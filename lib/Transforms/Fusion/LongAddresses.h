//===- lib/Transforms/Fusion/LongAddresses.h - where addresses grow too long ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_FUSION_LONGADDRESSES_H
#define CUPOLA_LIB_TRANSFORMS_FUSION_LONGADDRESSES_H

#include "dialects/Graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace cupola::fusion {

/// Ops whose results have to lie in memory: views compose into addresses, and a run of
/// reshapes between unrelated extents doubles an address with every step, up to expressions
/// that no kernel should compute and `cupola::Expr` refuses. In program order.
llvm::SetVector<mlir::Operation *> longAddresses(mlir::func::FuncOp func, const Ranges &ranges);

} // namespace cupola::fusion

#endif // CUPOLA_LIB_TRANSFORMS_FUSION_LONGADDRESSES_H
