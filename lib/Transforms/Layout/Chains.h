//===- lib/Transforms/Layout/Chains.h - convolutions that share a layout ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A chain is what is carried channels last together, if its convolutions are: those whose
// results meet in an op, or reach the next one through ops that do not care. Where a chain
// begins and ends, values are transposed.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TRANSFORMS_LAYOUT_CHAINS_H
#define CUPOLA_LIB_TRANSFORMS_LAYOUT_CHAINS_H

#include "dialects/Graph/Graph.h"

#include <vector>

namespace cupola::layout {

/// A value that is transposed at the border of a chain.
struct Border {
  enum Kind {
    Read,   ///< by a convolution, from outside
    Joined, ///< by another op of the chain, from outside
    Left,   ///< made by the chain, read outside
    Written ///< transposed by the model itself
  };
  mlir::Value value; ///< in front of the transpose, or with the elements that it gives
  Kind kind;
  mlir::Operation *reader = nullptr; ///< of a value that is Read
};

struct Chain {
  llvm::SmallVector<mlir::Operation *> convolutions; ///< in program order
  /// Transposes if it is channels last, and those of the model itself that are left if it stays as written.
  llvm::SmallVector<Border> last, first;
};

/// Whether it is a convolution that is channels first: a graph.conv, or the graph.window of one filter per channel,
/// whose elements are multiplied by weights and summed.
bool isConvolution(mlir::Operation *op);

/// The chains of those, in program order of their first convolutions.
std::vector<Chain> chainsOf(mlir::Block &body);

} // namespace cupola::layout

#endif // CUPOLA_LIB_TRANSFORMS_LAYOUT_CHAINS_H
