//===- lib/Target/CUDA/RowParts.h - one loop over a row that blocks share ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_ROWPARTS_H
#define CUPOLA_LIB_TARGET_CUDA_ROWPARTS_H

#include "lib/Target/CUDA/RowLoops.h"

namespace cupola::cuda {

/// Every block leaves what it found of its part in the workspace. The last one of a row reads all of that, so that no
/// result depends on who is last.
class RowParts {
public:
  /// `loops`: over the whole row, in the threads of all `parts` blocks of it.
  RowParts(Lowering &low, RowLoops &loops, int64_t parts, Expr rows)
      : low(low), loops(loops), parts(parts), rows(std::move(rows)) {}

  /// Whether a loop's parts can be put together.
  static bool canSplit(mlir::Operation *loop) { return mlir::isa<kernel::ReduceOp, kernel::ArgReduceOp>(loop); }
  /// The loop, of a `row` of which this block has a `part`; `rest` where its results are known, in the last block.
  mlir::LogicalResult run(mlir::Operation *loop, const Expr &row, const Expr &part, Lowering::Body rest);

private:
  mlir::LogicalResult reduce(kernel::ReduceOp op, Lowering::Body rest);
  mlir::LogicalResult reduce(kernel::ArgReduceOp op, Lowering::Body rest);
  /// A value for each part: this block's, and those of all, one for each of the first threads.
  mlir::Value leave(mlir::Value value);
  mlir::LogicalResult eachPart(llvm::function_ref<void(const Expr &element)> body);
  mlir::LogicalResult lastBlock(Lowering::Body body);

  Lowering &low;
  RowLoops &loops;
  int64_t parts;
  Expr rows, row, part;
};

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_ROWPARTS_H
