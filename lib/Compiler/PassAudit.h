//===- lib/Compiler/PassAudit.h - which pass changed the answer ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_COMPILER_PASSAUDIT_H
#define CUPOLA_LIB_COMPILER_PASSAUDIT_H

#include "lib/Reference/Reference.h"

namespace cupola::compiler {

/// Computes a graph after every pass with lib/Reference and finds the first pass that
/// changed its results. Keeps the values of all ops of one graph in memory.
class PassAudit {
public:
  /// `inputs` must outlive the audit. `tolerance` as of `cupola verify`.
  PassAudit(llvm::ArrayRef<reference::Tensor> inputs, reference::Strings &strings, double tolerance)
      : inputs(inputs), strings(strings), tolerance(tolerance) {}

  /// The graph that every later one must agree with.
  Status begin(mlir::ModuleOp imported);
  /// What the pass named `pass` made of the graph before it.
  void afterPass(llvm::StringRef pass, mlir::ModuleOp module);

  /// Empty as long as all passes agree. `node` is the first op of the wrong graph, in its
  /// order, whose value the graph before it had nowhere: where it went wrong, or what was
  /// rewritten beside it.
  std::string pass, node;

private:
  struct Value {
    mlir::Location location;
    std::vector<double> sorted; ///< its elements
  };
  struct Run {
    std::vector<reference::Tensor> outputs;
    std::vector<Value> values;
  };
  Result<Run> run(mlir::ModuleOp module) const;
  bool isKnown(const Value &value) const;

  llvm::ArrayRef<reference::Tensor> inputs;
  reference::Strings &strings;
  double tolerance;
  std::vector<std::vector<double>> expected; ///< per output
  std::vector<Value> before;
};

/// All elements, widened.
std::vector<double> elementsOf(const reference::Tensor &tensor);

/// |a - b| <= tolerance * (max|b| + |b|) everywhere, NaN and Inf in the same places.
bool agree(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b, double tolerance);

} // namespace cupola::compiler

#endif // CUPOLA_LIB_COMPILER_PASSAUDIT_H
