//===- lib/Target/CUDA/AttentionLowering.h - what the attention schedules share ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A kernel whose tiles all have the same rows first: a block takes some of the rows through
// the whole program. Every tile lives in registers, an element in the one thread that owns
// it, an element per row in all threads that share the row; rows are reduced by shuffles.
// Only operands of products pass through shared memory.
//
// Where rows alone are too few blocks, the steps come in parts: groups of the block's threads,
// and blocks, each take some of the steps from the beginning on, and what they carry meets, in
// the order of the parts (flash-decoding: Dao et al., 2023).
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CUDA_ATTENTIONLOWERING_H
#define CUPOLA_LIB_TARGET_CUDA_ATTENTIONLOWERING_H

#include "lib/Target/CUDA/AttentionParts.h"
#include "lib/Target/CUDA/OperandCopies.h"

namespace cupola::cuda {

/// Parts of the steps: groups of threads of a block, of equal size, and blocks, as many at most.
struct StepParts {
  int64_t groups = 1, blocks = 1;
};

/// How many blocks share `steps` of each of so many tiles of rows, if `blocks` may.
Expr blocksOfSteps(const Expr &steps, const Expr &tiles, int64_t blocks);

/// The right operands of the products, a step of them.
Operand keysOf(const AttentionParts &parts), valuesOf(const AttentionParts &parts);

class AttentionLowering {
public:
  AttentionLowering(kernel::FuncOp func, int64_t rows, int64_t threads, int64_t sharers, StepParts of = {});
  virtual ~AttentionLowering() = default;
  mlir::LogicalResult run();

protected:
  /// A place in registers, and what it is in the block's part of a tile.
  struct Place {
    graph::Exprs at;
    Expr index;
  };
  using PlaceBody = llvm::function_ref<mlir::LogicalResult(const Place &)>;

  /// Names what threads are, once per kernel.
  virtual void letThreads() = 0;
  /// Extents of registers with an element for every row of this thread, and for every element of tiles with so many
  /// columns.
  virtual llvm::SmallVector<int64_t> rowExtents() const = 0;
  virtual llvm::SmallVector<int64_t> tileExtents(int64_t columns) const = 0;
  /// This thread's rows; the runs of `width` neighbouring columns that are its own, of tiles with so many columns.
  virtual mlir::LogicalResult forRows(PlaceBody body) = 0;
  virtual mlir::LogicalResult forColumns(int64_t columns, int64_t width, PlaceBody body) = 0;
  /// Most neighbouring columns of a thread.
  virtual int64_t neighbours(int64_t columns) const = 0;
  /// The registers' index of an element, of its row's and its column's.
  virtual graph::Exprs element(const graph::Exprs &row, const graph::Exprs &column) const = 0;
  /// What comes before all else: nothing is held in registers yet.
  virtual mlir::LogicalResult begin() { return mlir::success(); }
  /// acc += the product; scores may be set, too, where `setsScores`.
  virtual mlir::LogicalResult scores(mlir::Value acc) = 0;
  virtual mlir::LogicalResult result(mlir::Value acc, mlir::Value weights) = 0;
  /// What the threads of the block do: the body, or some of them something else.
  virtual mlir::LogicalResult program() { return body(); }
  mlir::LogicalResult body();
  /// The steps of this thread's part, and one of them, whose index is known.
  virtual mlir::LogicalResult forSteps();
  mlir::LogicalResult step();
  virtual mlir::LogicalResult statement(mlir::Operation &op);
  /// Of the iteration that is being written, in the block's part of its tile.
  const Expr &rowHere() const { return row.index; }
  const Expr &columnHere() const { return column.index; }
  mlir::Value heldOf(mlir::Value tile) { return low.tiles.lookup(tile).registers; }

  /// forColumns where lanes have accumulators of matrix units: pairs of 8 columns, in so many tiles of these.
  mlir::LogicalResult forPairs(int64_t tiles, const Expr &lane, int64_t width, PlaceBody body);
  Operand queries();
  Expr firstRow() const { return atRows * rows; }
  void barrier() { simt::BarrierOp::create(low.builder, low.func.getLoc()); }
  /// The steps of this thread's part: from `firstStep` on, before `endStep`.
  Expr firstStep, endStep, mostSteps; ///< and how many there are at most
  Expr group;                         ///< the thread's, among those with parts of the steps

  Lowering low;
  OperandCopies copies;
  AttentionParts parts;
  int64_t rows, threads;
  int64_t sharers; ///< neighbouring lanes that share a row
  Expr atRows;     ///< the block's rows
  bool setsScores = false;

private:
  /// Steps of the group's part, when `group` is known.
  void letSteps();
  mlir::LogicalResult steps(kernel::ForOp op);
  mlir::LogicalResult map(kernel::MapOp op);
  mlir::LogicalResult mapRows(kernel::MapOp op);
  mlir::LogicalResult dot(kernel::DotOp op);
  /// A loop that all blocks of a grid point run, every thread some of its iterations.
  mlir::LogicalResult once(kernel::ForeachOp loop);
  /// All elements of a loop over rows and columns.
  mlir::LogicalResult each(mlir::Operation *loop, Lowering::Yield yield);
  mlir::LogicalResult reduceRow(kernel::ReduceOp op, mlir::BlockArgument rowIndex);
  // Parts meet.
  /// Elements of everything that is carried by a thread, and each of them with its number.
  int64_t carriedElements();
  void forCarried(mlir::ValueRange registers,
                  llvm::function_ref<void(mlir::Value, const graph::Exprs &, const Expr &)>);
  /// What the steps gave meets what `load` fetches of each of the parts behind the first of `count`.
  mlir::LogicalResult meetParts(const Expr &count,
                                llvm::function_ref<mlir::Value(const Expr &part, const Expr &element)> load);
  mlir::LogicalResult meetGroups();
  /// `rest` is for the last block of these rows.
  mlir::LogicalResult meetBlocks(Lowering::Body rest);
  mlir::LogicalResult inFirstGroup(Lowering::Body body) { return of.groups == 1 ? body() : low.guard({-group}, body); }

  /// Registers for a tile, where its elements are looked for from now on.
  mlir::Value hold(mlir::Value tile, bool zero = false);
  void hold(mlir::Value tile, mlir::Value registers);
  void copy(mlir::Value from, mlir::Value to);

  Place row, column; ///< of the iteration that is being written
  StepParts of;
  Expr tilesOfRows;                       ///< of a grid point
  Expr blocks, part;                      ///< that share steps, where they are; the block's among them
  llvm::SmallVector<mlir::Value> carried; ///< registers with what the steps gave
};

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_ATTENTIONLOWERING_H
