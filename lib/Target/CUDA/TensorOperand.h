//===- lib/Target/CUDA/TensorOperand.h - operands that tensor copies can bring ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_TENSOROPERAND_H
#define CUPOLA_LIB_TARGET_CUDA_TENSOROPERAND_H

#include "lib/Target/CUDA/OperandCopies.h"

namespace cupola::cuda {

/// An operand of a product as a tensor in its buffer: elements whose position is a sum of indices
/// times strides. Over the kernel's n0, n1, ..
struct TensorOperand {
  unsigned view; ///< which buffer parameter
  bool alongK;   ///< k is innermost, else m or n
  Expr offset;
  /// Innermost first: k and m or n, or the other way round; then the points of the grid in `batch`.
  graph::Exprs extents, strides;
  llvm::SmallVector<mlir::Value> batch;

  /// A box of `inner` by `outer` elements of one point of the grid.
  simt::TensorMapAttr map(mlir::MLIRContext *context, int64_t inner, int64_t outer, int64_t swizzle) const;
};

/// None where the operand is more than a load, has a mask or gaps that a tensor map cannot say (CUDA
/// driver API, cuTensorMapEncodeTiled): strides and the begin are multiples of 16 bytes, at most five
/// dimensions. `region`: its index values are `outer` and `k`.
std::optional<TensorOperand> tensorOperand(kernel::FuncOp func, mlir::Block &region, mlir::Value outer, mlir::Value k,
                                           const Expr &outerExtent, const Expr &kExtent, kernel::Variables &vars);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_TENSOROPERAND_H
