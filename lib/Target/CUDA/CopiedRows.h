//===- lib/Target/CUDA/CopiedRows.h - the left operand of a product as tensor copies bring it ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_COPIEDROWS_H
#define CUPOLA_LIB_TARGET_CUDA_COPIEDROWS_H

#include "lib/Target/CUDA/CopyRoles.h"
#include "lib/Target/CUDA/WindowOperand.h"

#include <variant>

namespace cupola::cuda {

/// Rows of k: of a matrix, or the windows of an image.
class CopiedRows {
public:
  /// None where tensor copies cannot bring tiles of `depth` of k.
  static std::optional<CopiedRows> read(kernel::FuncOp func, kernel::DotOp dot, int64_t depth, kernel::Variables &vars);

  simt::TensorMapAttr map(mlir::MLIRContext *context, int64_t depth, int64_t rows, int64_t swizzle) const;
  /// Where the copy of rows from `m` on, from `k` on, begins.
  CopyPlace place(Lowering &low, const Expr &m, const Expr &k) const;

private:
  std::variant<TensorOperand, WindowOperand> operand;
};

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_COPIEDROWS_H
