//===- dialects/Kernel/Kernel.h - the kernel dialect ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_KERNEL_KERNEL_H
#define CUPOLA_DIALECTS_KERNEL_KERNEL_H

#include "dialects/Graph/Graph.h"

#include "dialects/Kernel/Variables.h"

#include "dialects/Kernel/KernelDialect.h.inc"
#include "dialects/Kernel/KernelEnums.h.inc"
#include "dialects/Kernel/KernelInterfaces.h.inc"

#include "dialects/Kernel/KernelAttrInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Kernel/KernelAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Kernel/KernelTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.h.inc"

namespace cupola::kernel {

/// The index values m, n and k of a contraction; k as the left region has it. Of one with blocks b, as its start has
/// it.
struct DotIndices {
  mlir::Value m, n, k, b;
};
DotIndices indicesOf(DotOp dot);
/// An argument of any of its regions as one of these.
mlir::Value sharedIndex(DotOp dot, mlir::BlockArgument argument);

/// The extents of a loop or a dot; null of any other op.
mlir::ArrayAttr extentsOf(mlir::Operation *loop);

/// The operand that expression `i` of the point is, or null where it is no bare operand.
mlir::Value bareIndex(ExtractOp extract, unsigned i);
/// The point is just these index values: an iteration reads its own element.
bool isOwnPoint(ExtractOp extract, mlir::ValueRange point);

/// The arguments of a region are `count` index values.
mlir::LogicalResult verifyIndices(mlir::Operation *op, mlir::Region &region, size_t count);

/// The value is this integer, a constant.
bool isInteger(mlir::Value value, int64_t number);

/// Divisors of the scalar parameters, for alignment.
std::map<std::string, int64_t> scalarDivisors(mlir::ArrayAttr scalars);

/// Scalar functions, steps of reductions, and two per step of a contraction that a
/// kernel needs for its whole grid, over n0, n1, ..; for reports.
Expr operationsOf(FuncOp func);

/// The tile type of a map or dot over these extents.
TileType tileType(mlir::Type element, llvm::ArrayRef<Expr> extents);

} // namespace cupola::kernel

#endif // CUPOLA_DIALECTS_KERNEL_KERNEL_H
