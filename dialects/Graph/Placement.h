//===- dialects/Graph/Placement.h - where the elements of a value lie ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Most values are dense tensors of their own. The operands of a graph.join lie in its
// result, and an argument of the function whose memory is that of a result lies in a tensor
// with room for more rows than it has: the attribute `graph.storage` of the argument, and of
// the result, is the shape of that tensor.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_DIALECTS_GRAPH_PLACEMENT_H
#define CUPOLA_DIALECTS_GRAPH_PLACEMENT_H

#include "dialects/Graph/Graph.h"

namespace cupola::graph {

/// On arguments and results of the function: the shape of the memory they lie in.
constexpr llvm::StringLiteral storageAttr = "graph.storage";
/// On results: the number of the argument whose memory they share.
constexpr llvm::StringLiteral aliasAttr = "graph.alias";

/// On an op with one result: the type that its elements may have in memory (TypeAttr), where they have to lie there.
constexpr llvm::StringLiteral storedAttr = "graph.stored";

/// A part of a dense row-major tensor of shape `storage`, which begins at `offset`.
struct Placement {
  Exprs storage, offset;
  /// The row-major position of the value's element `index`.
  Expr positionOf(llvm::ArrayRef<Expr> index) const;
};

/// Of a value outside of fusions.
Placement placementOf(mlir::Value value);
/// Whether it is a dense tensor by itself.
bool isDense(mlir::Value value);
/// Whether the result of `join` lies in the memory of `argument`.
bool sharesMemory(JoinOp join, mlir::BlockArgument argument);
/// The join that `value` is an operand of, or null.
JoinOp joinOf(mlir::Value value);

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_PLACEMENT_H
