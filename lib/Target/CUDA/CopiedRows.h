//===- lib/Target/CUDA/CopiedRows.h - the left operand of a product as tensor copies bring it ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_COPIEDROWS_H
#define CUPOLA_LIB_TARGET_CUDA_COPIEDROWS_H

#include "lib/Target/CUDA/TensorOperand.h"
#include "lib/Target/CUDA/WindowOperand.h"

#include <variant>

namespace cupola::cuda {

/// Where a tensor copy begins: innermost first.
struct CopyPlace {
  graph::Exprs coordinates, taps; ///< taps: of a map with a window
};

/// Rows of k: of a matrix, or the windows of an image.
class CopiedRows {
public:
  /// None where tensor copies cannot bring tiles of `depth` of k.
  static std::optional<CopiedRows> read(kernel::FuncOp func, kernel::DotOp dot, int64_t depth, kernel::Variables &vars);

  simt::TensorMapAttr map(mlir::MLIRContext *context, int64_t depth, int64_t rows, int64_t swizzle) const;
  /// `point`: what an index of the grid is here.
  CopyPlace place(const Expr &m, const Expr &k, llvm::function_ref<Expr(mlir::Value)> point) const;

private:
  std::variant<TensorOperand, WindowOperand> operand;
};

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_COPIEDROWS_H
