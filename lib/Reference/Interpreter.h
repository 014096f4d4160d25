//===- lib/Reference/Interpreter.h - computes the ops of a body ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_REFERENCE_INTERPRETER_H
#define CUPOLA_LIB_REFERENCE_INTERPRETER_H

#include "dialects/Graph/Graph.h"
#include "lib/Reference/Reference.h"

namespace cupola::reference {

/// The extents of a type, where its symbols have values; Code::Usage: where they have none.
Result<Shape> shapeFor(mlir::Type type, const Symbols &symbols);

/// The values that are alive while a function is computed, and those of its symbols.
class Interpreter {
public:
  Interpreter(Symbols symbols, Observer observer, Strings &strings)
      : symbols(std::move(symbols)), observer(observer), strings(strings) {}

  /// All ops of `block` but the last, whose operands are returned.
  Result<std::vector<Tensor>> runBlock(mlir::Block &block, llvm::ArrayRef<Tensor> arguments);

private:
  void define(mlir::Value value, Tensor tensor);
  Status defineAll(mlir::ValueRange values, Result<std::vector<Tensor>> tensors);
  std::vector<Tensor> takeOperands(mlir::Operation *op);
  Status run(mlir::Operation *op);

  // Branches and loops (Control.cpp)
  Result<std::vector<Tensor>> runIf(graph::IfOp op);
  Result<std::vector<Tensor>> runLoop(graph::LoopOp op);

  struct Entry {
    Tensor tensor;
    std::ptrdiff_t uses = 0; ///< by ops that are still to come
  };
  Symbols symbols;
  Observer observer;
  Strings &strings;
  llvm::DenseMap<mlir::Value, Entry> alive;
};

} // namespace cupola::reference

#endif // CUPOLA_LIB_REFERENCE_INTERPRETER_H
