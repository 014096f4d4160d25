//===- dialects/Kernel/Kernel.h - the kernel dialect ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_KERNEL_KERNEL_H
#define CUPOLA_DIALECTS_KERNEL_KERNEL_H

#include "dialects/Graph/Graph.h"

namespace cupola::kernel {
// The syntax of expressions (dialects/Graph/ExprAttr.h).
using graph::parseExprs;
using graph::printExprs;
} // namespace cupola::kernel

#include "dialects/Kernel/KernelDialect.h.inc"
#include "dialects/Kernel/KernelEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Kernel/KernelAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Kernel/KernelTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.h.inc"

namespace cupola::kernel {

/// Bounds of every variable that expressions inside `op` may use: n*, g* of the
/// kernel and the variables of the iterations around `op`, itself included.
Ranges rangesAt(mlir::Operation *op);

/// Adds what level 2 brings into scope at `op`: t and b, loops around, lets before.
void addLevel2Scope(mlir::Operation *op, Ranges &ranges);

/// Every expression uses only variables in scope and x0..x<indices - 1>.
mlir::LogicalResult inScope(mlir::Operation *op, llvm::ArrayRef<Expr> exprs, size_t indices = 0);

/// Divisors of the scalar parameters, for alignment.
std::map<std::string, int64_t> scalarDivisors(FuncOp func);

/// Scalar functions, steps of reductions, and two per step of a contraction that a
/// kernel of level 1 needs for its whole grid, over n0, n1, ..; for reports.
Expr operationsOf(FuncOp func);

/// The variables `vars` as expressions: the point of a loop over them.
mlir::ArrayAttr pointOf(mlir::ArrayAttr vars);

/// The tile type of a map or dot over these extents.
TileType tileType(mlir::Type element, llvm::ArrayRef<Expr> extents);

} // namespace cupola::kernel

#endif // CUPOLA_DIALECTS_KERNEL_KERNEL_H
