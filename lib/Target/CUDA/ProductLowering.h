//===- lib/Target/CUDA/ProductLowering.h - what the gemm schedules share ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_PRODUCTLOWERING_H
#define CUPOLA_LIB_TARGET_CUDA_PRODUCTLOWERING_H

#include "lib/Target/CUDA/OperandCopies.h"
#include "lib/Target/CUDA/Schedules/Tiles.h"

namespace cupola::cuda {

/// A block per tile of m by n: launch, main loop, epilogue. Subclasses say how a thread
/// multiplies and which accumulators are its own.
class ProductLowering {
public:
  ProductLowering(kernel::FuncOp func, const Tile &tile, int64_t threads);
  virtual ~ProductLowering() = default;
  mlir::LogicalResult run();

protected:
  /// Names what threads are, once per kernel.
  virtual void letThreads() = 0;
  /// Declares accumulators and emits the loop over tiles.
  virtual mlir::LogicalResult product() = 0;
  /// Calls `element` for rows and runs of columns of this thread's accumulators.
  virtual mlir::LogicalResult epilogue(kernel::ForeachOp loop) = 0;

  /// The kernel's ops in order: `product` for the dot, `epilogue` for loops over its tile.
  mlir::LogicalResult ops();
  Operand lhs(), rhs();
  /// Where this thread's part of a tile's k begins.
  Expr firstOfPart() const { return split > 1 ? part * (tileK / split) : Expr(0); }
  /// The sums over parts of k meet in the threads of the first part, always in this order.
  void addParts(mlir::Value acc);
  /// `width` columns from `n` on of row `m`, with the tile at `index`.
  mlir::LogicalResult columns(kernel::ForeachOp loop, const Expr &n, int64_t width, mlir::Value acc,
                              graph::Exprs index);
  /// A 16 by 8*tilesN part of the tile whose accumulators [tilesN, 4], behind the indices `part` of `acc`, the
  /// matrix units left in the lanes of a warp: 2*h and 2*h + 1 are neighbours in row 8*h + lane/4 of each 16 by
  /// 8. `m` and `n` are its first row and column.
  mlir::LogicalResult fragments(kernel::ForeachOp loop, const Expr &m, const Expr &n, int64_t tilesN, const Expr &lane,
                                mlir::Value acc, const graph::Exprs &part);
  int64_t epilogueWidth(kernel::ForeachOp loop, int64_t most);
  mlir::LogicalResult row(kernel::ForeachOp loop, const Expr &m, Lowering::Body body);

  Lowering low;
  OperandCopies copies;
  kernel::DotOp dot;
  graph::Exprs extents; ///< m, n, k
  int64_t tileM, tileN, tileK, threads;
  int64_t split; ///< parts of a tile's k, each the work of `sharers` threads
  int64_t sharers;
  Expr atM, atN, part; ///< the block's tile; the thread's part of k

private:
  /// The epilogue, in the threads that have whole sums.
  mlir::LogicalResult finish(kernel::ForeachOp loop);
  mlir::LogicalResult accumulators(llvm::ArrayRef<int64_t> extents, graph::Exprs index,
                                   llvm::function_ref<void(const graph::Exprs &)> body);
};

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_PRODUCTLOWERING_H
