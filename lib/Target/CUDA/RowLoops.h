//===- lib/Target/CUDA/RowLoops.h - loops over a row that threads share ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_ROWLOOPS_H
#define CUPOLA_LIB_TARGET_CUDA_ROWLOOPS_H

#include "lib/Target/CUDA/Lowering.h"

namespace cupola::cuda {

/// Each thread has some of a row's elements, the same ones in every loop, so that it keeps its own part of a map in
/// registers; what a reduction adds up all of them know.
class RowLoops {
public:
  /// A row belongs to `cooperating` threads, some neighbouring lanes, a warp, the block of `threads`, or several
  /// blocks; `width` elements at a time.
  RowLoops(Lowering &low, int64_t threads, int64_t cooperating, int64_t width)
      : low(low), threads(threads), cooperating(cooperating), width(width) {}

  /// `thread`: among those of the row.
  void begin(const Expr &thread) { lane = thread; }
  /// Rows of `extent` elements begin anywhere, at `origin` in the kernel's variables: what lies before the first whole
  /// vector, and behind the last, comes element by element.
  void peel(const Expr &origin, const Expr &extent);
  mlir::LogicalResult each(mlir::Operation *loop, Lowering::Yield yield);
  /// Registers of every thread hold its part of a map, if they are few; else the map is computed again wherever it is
  /// read.
  mlir::LogicalResult keep(kernel::MapOp map);
  mlir::LogicalResult reduce(kernel::ReduceOp op);
  mlir::LogicalResult reduce(kernel::ArgReduceOp op);

  /// What comes of the accumulators of the row's threads, or of the block's where blocks share it; in each of them.
  mlir::Value combine(const Accumulator &accumulator);

private:
  struct Peeled {
    Expr origin, extent, head, vectors;
  };
  mlir::LogicalResult eachPeeled(mlir::Operation *loop, Lowering::Yield yield);
  bool isBlock() const { return cooperating > 32; }
  graph::Exprs placeOf(const Expr &e) const;

  Lowering &low;
  int64_t threads, cooperating, width;
  Expr lane, iteration; ///< of the thread in its row; of the current loop
  std::optional<Peeled> peeled;
  llvm::DenseMap<mlir::Type, mlir::Value> scratches;
};

/// Whether shared memory has room for a product's left operand of so many rows, computed once in a block.
bool canKeepRows(kernel::DotOp dot, int64_t rows);
/// Computes it by all threads, into shared memory, [row][k].
mlir::FailureOr<mlir::Value> keepRows(Lowering &low, kernel::DotOp dot, int64_t rows, int64_t threads);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_ROWLOOPS_H
