//===- dialects/Graph/ChosenMatrices.h - matrices that an index chooses ----===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_GRAPH_CHOSENMATRICES_H
#define CUPOLA_DIALECTS_GRAPH_CHOSENMATRICES_H

#include "dialects/Graph/Graph.h"

#include <optional>

namespace cupola::graph {

/// Where the indices of a gather are read for the element of its result at `index`.
Exprs indicesAt(GatherOp gather, llvm::ArrayRef<Expr> index);

/// A gather of whole matrices, as of the weights of experts.
struct ChosenMatrix {
  GatherOp gather;
  Exprs at; ///< where its indices are read
};
using ChosenMatrices = llvm::SmallVector<ChosenMatrix, 2>;

/// The gathers that an operand of a product, [batch.., rows, columns], is made of by pointwise ops and views; nothing
/// if the batch alone does not decide what one of them chooses. `batch`: the coordinates before the last two.
std::optional<ChosenMatrices> chosenMatrices(mlir::Value operand, llvm::ArrayRef<Expr> batch, const Ranges &ranges);
/// The same of any batch.
std::optional<ChosenMatrices> chosenMatrices(mlir::Value operand, const Ranges &ranges);

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_CHOSENMATRICES_H
