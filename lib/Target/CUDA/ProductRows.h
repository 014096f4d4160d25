//===- lib/Target/CUDA/ProductRows.h - what a product's kernel computes of whole rows ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_PRODUCTROWS_H
#define CUPOLA_LIB_TARGET_CUDA_PRODUCTROWS_H

#include "lib/Target/CUDA/Lowering.h"

namespace cupola::cuda {

/// Scalars of the rows of a product, a map over them that comes before it, as what a norm needs. Those of a tile are
/// computed once, each by neighbouring lanes, and stay in shared memory.
class RowScalars {
public:
  /// The threads that compute them for some rows of a tile: those of a block, or of a warp for its own.
  struct Team {
    int64_t threads, rows;
    Expr thread, first; ///< in the team; the row of the tile
    bool isWarp;
  };
  explicit RowScalars(Lowering &low) : low(low) {}

  static bool areIn(mlir::Operation *op, kernel::DotOp dot);
  static int64_t bytesOfRow(kernel::MapOp map);
  /// Room for those of a tile.
  void allocate(kernel::MapOp map, int64_t tileRows);
  bool areEmpty() const { return maps.empty(); }
  /// All of them. `row` and `rows`: the tile's first row, and how many there are in all. Others of a block know them
  /// behind its next barrier.
  mlir::LogicalResult compute(const Team &team, const Expr &row, const Expr &rows);
  /// From here on they are those of this row of the tile.
  void read(const Expr &row);

private:
  mlir::LogicalResult computeRow(kernel::MapOp map, int64_t together, const Expr &lane, llvm::ArrayRef<Expr> stores,
                                 const Expr &row);

  Lowering &low;
  llvm::SmallVector<kernel::MapOp, 1> maps;
  llvm::MapVector<mlir::Value, mlir::Value> kept; ///< a tile of the kernel: its shared memory
};

/// Mean and variance of parts of the rows that a map makes of a product, in a loop behind it that reduces each part:
/// what a norm starts from. Neighbouring lanes have a part, each a run of it.
class PartMoments {
public:
  static constexpr int64_t run = 8, part = 32;

  static std::optional<PartMoments> in(kernel::FuncOp func);
  /// The loop over parts is emitted with the map.
  bool areLoop(mlir::Operation *op) const { return op == loop; }
  bool areOf(mlir::Operation *op) const { return op == map; }
  /// Registers for the run of a thread.
  mlir::Value keep(Lowering &low) const;
  /// Stores those of the part of row `m` with column `n`; all lanes of a warp call.
  mlir::LogicalResult store(Lowering &low, mlir::Value kept, const Expr &m, const Expr &n) const;

private:
  PartMoments(kernel::MapOp map, kernel::ForeachOp loop) : map(map), loop(loop) {}
  kernel::MapOp map;
  kernel::ForeachOp loop;
};

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_PRODUCTROWS_H
