//===- lib/Reference/Reference.h - the plain interpreter of the graph dialect ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Computes a graph op by op, without fusion or any other optimisation: the oracle of
// `cupola verify` and the constant folder. Each op is computed in double (integers: 64
// bits) and rounded once to its element type; sums accumulate in double.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_REFERENCE_REFERENCE_H
#define CUPOLA_LIB_REFERENCE_REFERENCE_H

#include "lib/Planner/SolveDim.h"
#include "lib/Reference/Strings.h"
#include "lib/Reference/Tensor.h"

#include "mlir/IR/BuiltinOps.h"

namespace cupola::reference {

/// Values of the graph.symbols, by name.
using Symbols = SymbolValues;

/// What was computed: the result of an op for its operands and the symbols of that moment.
struct Step {
  mlir::Operation *op;
  llvm::ArrayRef<Tensor> operands;
  const Symbols &symbols;
  const Tensor &result;
};
/// Sees every step, in the order of computation.
using Observer = llvm::function_ref<void(const Step &)>;

/// The results of @main for `inputs` (by position), which must stay alive as long as
/// the results do. A graph.fusion is computed op by op like its surroundings. Constants
/// are read in place. Code::Usage: an input of another type
/// or shape than declared, extents that break an assumption of the model, an index out
/// of range. Code::Unsupported: an op on an element type that has no such function. `strings`: what the numbers of
/// strings in inputs and results mean; null: a table of the call's own.
Result<std::vector<Tensor>> interpret(mlir::ModuleOp module, llvm::ArrayRef<Tensor> inputs, Observer observer = nullptr,
                                      Strings *strings = nullptr);

/// The result of one op (which has one) for operands of the right types. Without `strings`, an op that looks into
/// strings is Code::Unsupported.
Result<Tensor> evaluate(mlir::Operation *op, llvm::ArrayRef<Tensor> operands, const Symbols &symbols = {},
                        Strings *strings = nullptr);

/// The same of other extents than the op has, which its meaning does not depend on: of some of its rows.
Result<Tensor> evaluateAs(mlir::Operation *op, llvm::ArrayRef<Tensor> operands, Shape shape);

} // namespace cupola::reference

#endif // CUPOLA_LIB_REFERENCE_REFERENCE_H
