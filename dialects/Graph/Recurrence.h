//===- dialects/Graph/Recurrence.h - loops over states that are computed element by element ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_GRAPH_RECURRENCE_H
#define CUPOLA_DIALECTS_GRAPH_RECURRENCE_H

#include "dialects/Graph/Graph.h"

namespace cupola::graph {

/// A loop as those of LSTM, GRU and RNN: what it carries are states [directions, rows, width], and an element of what
/// an iteration makes of them depends on the same elements of all states alone, but for products of a state's rows and
/// weights that are the same in all iterations. So whoever has some elements of the states for all iterations needs
/// nothing of the others but the left operands of the products.
struct Recurrence {
  LoopOp loop;
  Expr directions, rows, width;
  /// In their order; each yields a multiple of `width` columns for every row of a direction. Left operands are values
  /// as states are, or the same without the directions where there is one.
  llvm::SmallVector<MatMulOp> products;

  /// Nothing but its limit ends it, nothing follows from how it went, and all that it carries and yields has the shape
  /// of states: what of() asks of a loop whose body still has fusions, too.
  static bool carriesStates(LoopOp loop);
  /// None where the loop is another one. Its body has no fusions.
  static std::optional<Recurrence> of(LoopOp loop);
  /// The index of `product`'s operands and result in its matrix of a direction.
  static Exprs inMatrix(mlir::Value matrix, const Expr &direction, const Expr &row, const Expr &column);
};

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_RECURRENCE_H
