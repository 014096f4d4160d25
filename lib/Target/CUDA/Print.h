//===- lib/Target/CUDA/Print.h - simt to text ---===//
// SPDX-License-Identifier: Apache-2.0
//
// One statement or header call per op. The only names are counters and those of
// index variables; expressions are printed from their canonical form.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CUDA_PRINT_H
#define CUPOLA_LIB_TARGET_CUDA_PRINT_H

#include "dialects/Simt/Simt.h"

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
  const std::map<std::string, std::string> &names; ///< of variables

  const char *type() const { return wide ? "i64" : "i32"; }
  std::string operator()(const Expr &e) const;
  /// "e >= 0", with the negative terms on the other side; in 32 bits where these are enough.
  std::string condition(const Expr &e) const;
  /// All of them, or "true".
  std::string all(llvm::ArrayRef<Expr> conditions) const;
};

/// Whether some value while computing `e` may leave 32 bits.
bool mayOverflow32(const Expr &e, const Ranges &ranges);
/// The whole function, named `name`.
std::string printKernel(simt::FuncOp func, llvm::StringRef name, bool wide);
/// Whether the positions of a kernel.func or simt.func need 64 bits.
bool needsWideIndex(mlir::Operation *func);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_PRINT_H
