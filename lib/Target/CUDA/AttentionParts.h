//===- lib/Target/CUDA/AttentionParts.h - kernels of two products with steps over keys ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_ATTENTIONPARTS_H
#define CUPOLA_LIB_TARGET_CUDA_ATTENTIONPARTS_H

#include "dialects/Kernel/Kernel.h"

namespace cupola::cuda {

/// So many rows, at most, are new tokens, each of which meets all before it.
inline constexpr int64_t fewTokens = 16;

/// The parts of a kernel that the schedules know.
struct AttentionParts {
  kernel::ForOp steps;
  kernel::DotOp scores, result; ///< of its body: q k, and weights v on top of what is carried
  kernel::ExtractOp weights;    ///< what the left operand of `result` is, perhaps in another type
  Expr rows;                    ///< of all tiles; a foreach that reads none is work of its own
  int64_t depth, keys, columns; ///< of scores, of a step, of the result
};
/// Some iteration reads an element of a tile.
bool readsTiles(mlir::Region &body);
/// Some score depends on memory besides queries and keys: a mask.
bool loadsScores(const AttentionParts &parts);
/// None where the function is not such a kernel.
std::optional<AttentionParts> attentionParts(kernel::FuncOp func);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_ATTENTIONPARTS_H
