//===- dialects/Graph/Control.h - the bodies of a function ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_GRAPH_CONTROL_H
#define CUPOLA_DIALECTS_GRAPH_CONTROL_H

#include "dialects/Graph/Graph.h"

namespace cupola::graph {

/// The blocks that hold a function's ops: its own, then those of the branches and loops in
/// it, each before those that it holds. Not the regions of graph.fusion.
llvm::SmallVector<mlir::Block *> bodiesOf(mlir::Operation *function);

/// Run symbols that have values once `op`, a branch or a loop, is done.
std::set<std::string> symbolsAfter(mlir::Operation *op);

/// All symbols in the types and attributes of `op`.
std::set<std::string> symbolsOf(mlir::Operation *op);
/// The same, and of what it holds.
std::set<std::string> symbolsIn(mlir::Operation *op);

/// Hands its operands to another body or to the host, each in dense memory of its own: the end of a body, a
/// branch, a loop or an op of the host.
bool leavesBody(mlir::Operation *op);

/// The value that a run symbol of `results`, the results of a branch, gets in the branch that
/// yields `yielded`: the extent that stands where the symbol does.
Expr extentBehind(llvm::StringRef symbol, mlir::ValueRange results, mlir::ValueRange yielded);

/// The names in an array of references to symbols, and the array of some names.
std::vector<std::string> symbolNames(mlir::ArrayAttr symbols);
mlir::ArrayAttr symbolRefs(mlir::MLIRContext *context, llvm::ArrayRef<std::string> names);

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_CONTROL_H
