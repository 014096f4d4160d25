//===- lib/Target/CUDA/Print.h - kernel level 2 to text ---===//
// SPDX-License-Identifier: Apache-2.0
//
// One statement or header call per op. The only names are counters and those of
// index variables; expressions are printed from their canonical form.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CUDA_PRINT_H
#define CUPOLA_LIB_TARGET_CUDA_PRINT_H

#include "dialects/Kernel/Kernel.h"

#include <string>

namespace cupola::cuda {

/// C++ type of an element: f32, i64, bool, ...
std::string typeName(mlir::Type type);
std::string literal(mlir::TypedAttr value);

/// A call or an infix expression for a scalar op; `operand` prints an operand.
std::string scalarText(mlir::Operation *op, llvm::function_ref<std::string(mlir::Value)> operand);
/// a combined with b by a reduction.
std::string combineText(graph::ReduceKind kind, mlir::Type type, const std::string &a, const std::string &b);

/// Prints expressions with variables as 32- or 64-bit integers.
struct ExprText {
  const Ranges &ranges;
  bool wide;
  llvm::ArrayRef<std::string> indices; ///< texts of x0, x1, ..

  const char *type() const { return wide ? "i64" : "i32"; }
  std::string operator()(const Expr &e) const;
  /// "e >= 0", with the negative terms on the other side.
  std::string condition(const Expr &e) const;
  /// All of them, or "true".
  std::string all(llvm::ArrayRef<Expr> conditions) const;
};

/// Whether some value while computing `e` may leave 32 bits.
bool mayOverflow32(const Expr &e, const Ranges &ranges);
/// Bounds of x0, x1, .. from the ops that make them.
void addIndexRanges(mlir::ValueRange indices, const Ranges &outer, Ranges &ranges);

/// The whole function, named `name`.
std::string printKernel(kernel::FuncOp func, llvm::StringRef name, bool wide);
/// Whether the kernel's positions need 64 bits.
bool needsWideIndex(kernel::FuncOp func);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_PRINT_H
