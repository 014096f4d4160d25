//===- lib/Import/Onnx/Scopes.h - the bodies that are being imported -------===//
// SPDX-License-Identifier: Apache-2.0
//
// The names of a body's values are its own but for the outer ones that it reads. Those become
// captures: arguments of the body, operands of the op that holds it. What is known while
// compiling and constants are made anew in every body that needs them.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_SCOPES_H
#define CUPOLA_LIB_IMPORT_ONNX_SCOPES_H

#include "lib/Import/Onnx/OpBinder.h"

#include "llvm/ADT/DenseMap.h"

namespace cupola::onnx_import {

/// A body on its way into the graph dialect.
struct Scope {
  Scope *outer = nullptr; ///< null: the model's own graph
  mlir::Block *block = nullptr;
  llvm::SmallVector<Value> captures; ///< of the values around it, in the order of the first arguments
  llvm::DenseMap<Tensor, Tensor> copies;
  std::optional<Expr> iteration; ///< of the loop that the body is repeated by
};

class Scopes {
public:
  Scopes(mlir::OpBuilder &ops, TensorPool &pool) : ops(ops), pool(pool) {}

  /// Ops go to the end of `block` from now on. The first one entered is the model's graph.
  Scope &enter(mlir::Block *block);
  void leave();
  Scope &current() { return *innermost; }

  /// Of the loops around what is being imported, the innermost last.
  Exprs iterations() const;

  /// The same tensor as the body that is being imported may use it; null for null.
  Tensor here(Tensor tensor) { return tensor ? in(*innermost, tensor) : nullptr; }

private:
  Tensor in(Scope &scope, Tensor tensor);

  mlir::OpBuilder &ops;
  TensorPool &pool;
  std::deque<Scope> scopes; ///< left ones, too: records name them
  Scope *innermost = nullptr;
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_SCOPES_H
