//===- lib/Target/CUDA/ProductLowering.h - what the gemm schedules share ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_PRODUCTLOWERING_H
#define CUPOLA_LIB_TARGET_CUDA_PRODUCTLOWERING_H

#include "lib/Target/CUDA/OperandCopies.h"
#include "lib/Target/CUDA/ProductRows.h"
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
  /// Declares the accumulators `acc` and emits the loop over tiles.
  virtual mlir::LogicalResult product() = 0;
  /// What becomes of this thread's accumulators, where it has whole sums.
  virtual mlir::LogicalResult epilogue(mlir::Operation *loop) = 0;
  /// Calls the body for runs of runWidth() neighbouring columns of them: row and column in the tile, the index of the
  /// first. Only a schedule with slices is asked.
  using RunBody = llvm::function_ref<void(const Expr &row, const Expr &column, const graph::Exprs &index)>;
  virtual void forRuns(RunBody) { llvm_unreachable("a slice alone meets no others"); }
  virtual int64_t runWidth() const { return 1; }
  /// Whether threads have runs of columns of which PartMoments can be made.
  virtual bool keepsRuns() const { return slices == 1 || vectorOfRow() == PartMoments::run; }
  /// Who computes the scalars of a tile's rows: all threads for all of them.
  virtual RowScalars::Team team() { return {threads, tileM, low.thread(), Expr(0), /*isWarp=*/false}; }

  /// Sets the tile of block `b`, or tile `b` of a block that has several: neighbours in groups of rows, so that those
  /// that are under way together read few rows and few columns, and L2 holds what they read.
  void placeTile(const Expr &b, const Expr &tilesM, const Expr &tilesN);
  /// The kernel's ops in order: `product` for the dot, `epilogue` for loops over its tile.
  mlir::LogicalResult ops();
  /// Those before the dot, and those behind it.
  mlir::LogicalResult opsBefore();
  mlir::LogicalResult opsBehind();
  /// The blocks that share the depth have as many tiles of k each.
  mlir::LogicalResult verifyParts(mlir::Operation *at, int64_t parts);
  /// Whether those before made room for them.
  bool hasRowScalars() const { return !scalars.areEmpty(); }
  Operand lhs(), rhs();
  /// f32, or i32.
  mlir::Type sumType() { return dot.getTile().getType().getElement(); }
  /// Where this thread's slice of a tile's k begins.
  Expr firstOfSlice() const { return slices > 1 ? slice * (tileK / slices) : Expr(0); }
  /// `width` columns from `n` on of row `m`, with the tile at `index`; what a map makes of them to `run`, from element
  /// `first` on.
  mlir::LogicalResult columns(mlir::Operation *loop, const Expr &n, int64_t width, mlir::Value acc, graph::Exprs index,
                              mlir::Value run = {}, const Expr &first = 0);
  /// Runs of the columns of a row, each of which a thread has for the moments of its part: `body` fills the registers,
  /// which are null where no moments are made of the loop.
  mlir::LogicalResult inRun(mlir::Operation *loop, const Expr &m, const Expr &n,
                            llvm::function_ref<mlir::LogicalResult(mlir::Value run)> body);
  /// Accumulators as the matrix units left them in the lanes of a warp: parts of 16 rows by 8*tilesN columns, from
  /// column `n` on; elements 2*h and 2*h + 1 are neighbours in row 8*h + lane/4 of each 16 by 8.
  struct Fragments {
    int64_t tilesM, tilesN; ///< tilesM 0: one part, of accumulators [tilesN, 4], else [tilesM, tilesN, 4]
    Expr n, lane;
    /// Calls the body for a row of a part, where the matrix has that row.
    llvm::function_ref<mlir::LogicalResult(const Expr &part, const Expr &row, Lowering::Body body)> inRow;
    Expr m = 0;            ///< the first row; those of a part are 16 further on
    mlir::Value over = {}; ///< shared memory that all threads are done with; null: there is none
    graph::Exprs element(const Expr &part, const Expr &j, const Expr &e) const;
    int64_t parts() const { return std::max<int64_t>(tilesM, 1); }
  };
  mlir::LogicalResult fragments(mlir::Operation *loop, const Fragments &of);
  /// Their runs of two columns, as forRuns asks for them.
  void fragmentRuns(const Fragments &of, RunBody body);
  /// Whether some epilogue takes such accumulators through shared memory.
  bool hasStrips(int64_t tilesN);

  // Sums that meet in shared memory: tiles of f32 there, in rows that all banks have a part of.
  Expr inSums(const Expr &slice, const Expr &row, const Expr &column) const;
  /// Elements of a vector of a row that a thread then has, and how many; row and column of one of them.
  int64_t vectorOfRow() const { return std::min<int64_t>(8, tileM * tileN / threads); }
  int64_t vectors() const { return tileM * tileN / (threads * vectorOfRow()); }
  std::pair<Expr, Expr> placeOfVector(const Expr &number);
  /// Every run of this thread's accumulators, to the sums of `slice`.
  void writeRuns(mlir::Value sums, const Expr &slice);
  /// Accumulators [vectors(), vectorOfRow()], of zeros.
  void clearVectors() { acc = low.registers({vectors(), vectorOfRow()}, sumType(), 1, /*zero=*/true); }
  /// Adds to them what `load` brings of `count` sums, always in this order: a run of a row at a time, 16 bytes at most.
  void addVectors(int64_t count,
                  llvm::function_ref<void(int64_t sum, const Expr &row, const Expr &column, mlir::Value run)> load);
  /// Their epilogue.
  mlir::LogicalResult vectorEpilogue(mlir::Operation *loop);
  int64_t epilogueWidth(mlir::Operation *loop, int64_t most);
  mlir::LogicalResult row(mlir::Operation *loop, const Expr &m, Lowering::Body body);

  Lowering low;
  OperandCopies copies;
  kernel::DotOp dot;
  graph::Exprs extents; ///< m, n, k
  int64_t tileM, tileN, tileK, threads;
  int64_t slices;       ///< of a tile's k, each the work of an equal part of the threads
  int64_t split;        ///< parts of k, each the work of a block
  int64_t mostRows = 1; ///< of tiles in a group
  Expr atM, atN, slice; ///< the block's tile; the thread's slice of k
  mlir::Value acc;      ///< the thread's sums, of sumType()
  /// Shared memory of the operands: behind the product no copies to it are under way.
  mlir::Value rings[2] = {};

private:
  bool hasStrips(mlir::Operation *loop, int64_t tilesN);
  mlir::LogicalResult pairs(mlir::Operation *loop, const Fragments &of);
  mlir::LogicalResult strips(mlir::Operation *loop, const Fragments &of);
  Expr inStrip(int64_t wide, const Expr &row, const Expr &column);
  void writeStrip(const Fragments &of, mlir::Value strip, int64_t wide, const Expr &i, const Expr &h, const Expr &g);
  mlir::LogicalResult readStrip(mlir::Operation *loop, const Fragments &of, mlir::Value strip, int64_t wide,
                                const Expr &i, const Expr &h, const Expr &n);
  /// Ops of the kernel without the dot.
  mlir::LogicalResult clone(mlir::Block::iterator first, mlir::Block::iterator end);
  mlir::LogicalResult clone(mlir::Operation &op);
  /// The sums over slices meet in shared memory, always in this order. Every thread then has vectors of rows, and all
  /// of them share the epilogue.
  void addSlices();
  /// Shared memory for the sums of so many slices, in that of an operand if it has room.
  mlir::Value sumsOver(mlir::Value ring, int64_t count);
  void writeSums(mlir::Value sums, int64_t first, int64_t count);
  void readSums(mlir::Value sums, int64_t count);
  /// The sums over parts meet in the block of a tile that is done last, which goes on with `body`.
  mlir::LogicalResult lastBlock(Lowering::Body body);
  Expr placeOf(const Expr &number, const Expr &tile);

  RowScalars scalars;
  std::optional<PartMoments> moments;
  Expr part, tile; ///< of k that the block has; the number of its tile among those of the grid
};

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_PRODUCTLOWERING_H
