//===- dialects/Graph/Indexing.h - index maps of views ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_GRAPH_INDEXING_H
#define CUPOLA_DIALECTS_GRAPH_INDEXING_H

#include "dialects/Graph/Shape.h"

#include <optional>

namespace cupola::graph {

/// Where in an operand an element of the result comes from. The element exists
/// only where every expression of `mask` is >= 0; elsewhere the op's pad value
/// (pad) or another operand (concat) stands.
struct OperandIndex {
  Exprs index;
  Exprs mask;
};

/// The row-major position of `index` in a tensor of shape `dims`.
Expr linearize(llvm::ArrayRef<Expr> index, llvm::ArrayRef<Expr> dims);

/// The index in a tensor of shape `dims` whose row-major position is `position`,
/// which is in range; simplified under `ranges`.
Exprs delinearize(const Expr &position, llvm::ArrayRef<Expr> dims, const Ranges &ranges);

/// The index in shape `to` of the element that has `index` in shape `from` (a
/// reshape). Groups of dimensions with equal products map on their own, so that
/// splits and merges of a few dimensions stay free of division where they can.
Exprs reshapeIndex(llvm::ArrayRef<Expr> index, llvm::ArrayRef<Expr> from, llvm::ArrayRef<Expr> to,
                   const Ranges &ranges);

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_INDEXING_H
