//===- lib/Target/CUDA/ProductLowering.h - what the gemm schedules share ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_PRODUCTLOWERING_H
#define CUPOLA_LIB_TARGET_CUDA_PRODUCTLOWERING_H

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Schedules/Tiles.h"

namespace cupola::cuda {

/// The load of an operand that is nothing but one element or zero, perhaps cast to a wider
/// type and back; null for a computed prologue.
kernel::LoadOp plainLoad(mlir::Block &operand);

/// One operand's way to shared memory, tile by tile.
struct Operand {
  mlir::Block *body;
  mlir::Value outerIndex, kIndex; ///< of its region; outer is m of the lhs, n of the rhs
  Expr outerExtent, outerBase;    ///< the matrix's extent; the block's first row or column
  int64_t outer;                  ///< extent of the tile
  bool alongK = false;            ///< neighbouring threads take neighbouring k
  int64_t width = 1, count = 0;   ///< of the vectors a thread moves, and how many
  bool kMajor = true;             ///< in shared memory: [k][outer], else [outer][k]
  int64_t pitch = 0;              ///< between rows of shared memory
  mlir::Value registers = {}, smem = {};
};

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

  Operand lhs(), rhs();
  /// Axis and width of the vectors a thread moves.
  void plan(Operand &op, int64_t mostWidth);
  int64_t tileElements(const Operand &op) const;
  /// The operand's load if a thread's vectors are single accesses, else null.
  kernel::LoadOp vectorLoad(const Operand &op);
  /// Registers and shared memory of an operand.
  void allocate(Operand &op, mlir::Type shared, int64_t stages, bool withRegisters);
  /// The tile into registers, zeros beyond the matrix.
  mlir::LogicalResult fetch(Operand &op);
  /// The tile to its buffer of shared memory by cp.async.
  mlir::LogicalResult fetchAsync(Operand &op);
  /// Registers to the buffer of shared memory.
  mlir::LogicalResult store(Operand &op);
  /// Emits a tile_loop whose compute region `body` fills.
  mlir::LogicalResult tileLoop(Operand &a, Operand &b, int64_t stages, bool async, Lowering::Body body);
  void enterRegion(mlir::Region &region);
  /// Where this thread's part of a tile's k begins.
  Expr firstOfPart() const { return split > 1 ? part * (tileK / split) : Expr(0); }
  /// The sums over parts of k meet in the threads of the first part, always in this order.
  void addParts(mlir::Value acc);
  /// `width` columns from `n` on of row `m`, with the tile at `index`.
  mlir::LogicalResult columns(kernel::ForeachOp loop, const Expr &n, int64_t width, mlir::Value acc,
                              graph::Exprs index);
  int64_t epilogueWidth(kernel::ForeachOp loop, int64_t most);
  mlir::LogicalResult row(kernel::ForeachOp loop, const Expr &m, Lowering::Body body);

  Lowering low;
  kernel::DotOp dot;
  graph::Exprs extents; ///< m, n, k
  int64_t tileM, tileN, tileK, threads;
  int64_t split; ///< parts of a tile's k, each the work of `sharers` threads
  int64_t sharers;
  Expr atM, atN, part; ///< the block's tile; the thread's part of k
  Expr tile, stage;    ///< of k, and its buffer, in the region that is being written

private:
  /// The epilogue, in the threads that have whole sums.
  mlir::LogicalResult finish(kernel::ForeachOp loop);
  mlir::LogicalResult accumulators(llvm::ArrayRef<int64_t> extents, graph::Exprs index,
                                   llvm::function_ref<void(const graph::Exprs &)> body);
  Lowering::Source source(const Operand &op, kernel::LoadOp load, const Expr &outer, const Expr &k);
  mlir::LogicalResult
  forVectors(Operand &op,
             llvm::function_ref<mlir::LogicalResult(const Expr &i, const Expr &outer, const Expr &k)> body);
  mlir::LogicalResult fetchPlain(Operand &op, kernel::LoadOp load, const Expr &i, const Expr &outer, const Expr &k);
  mlir::LogicalResult fetchComputed(Operand &op, const Expr &i, const Expr &outer, const Expr &k);
  mlir::LogicalResult forElements(const Operand &op, llvm::function_ref<void(const Expr &e)> body);
  graph::Exprs inside(const Operand &op, const Expr &outer, const Expr &k);
  Expr sharedPlace(const Operand &op, const Expr &outer, const Expr &k) const;
  static graph::Exprs element(const Operand &op, const Expr &i, const Expr &e);
};

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_PRODUCTLOWERING_H
