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

/// An index of an operand's region, and how far it goes. With a `step`, it counts within tiles of `tile`, and the step
/// counts these.
struct OperandIndex {
  mlir::Value index;
  Expr extent;
  mlir::Value step = {};
  int64_t tile = 1;
};

/// None where the operand is more than a load, or has a mask or gaps that a tensor map cannot say (CUDA driver API,
/// cuTensorMapEncodeTiled): strides and the begin are multiples of 16 bytes, at most five dimensions. Zeros beyond an
/// index that has steps are no mask, but its extent.
std::optional<TensorOperand> tensorOperand(kernel::FuncOp func, mlir::Block &region, OperandIndex outer, OperandIndex k,
                                           kernel::Variables &vars);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_TENSOROPERAND_H
