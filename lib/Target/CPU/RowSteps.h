//===- lib/Target/CPU/RowSteps.h - ordered steps over tiles of rows ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A kernel with a kernel.for whose tiles all have rows as their first index, where no row
// depends on another: attention. An iteration takes a block of rows through all steps; its
// part of every tile lies in scratch memory, a row after the other.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_ROWSTEPS_H
#define CUPOLA_LIB_TARGET_CPU_ROWSTEPS_H

#include "dialects/Kernel/Kernel.h"
#include "lib/Runtime/Format/Architectures.h"
#include "lib/Runtime/Status.h"
#include "lib/Target/CPU/CpuDialect.h"

#include "llvm/ADT/MapVector.h"

namespace cupola::cpu {

// Symbols of an emitted step: how many columns count, the same in whole vectors, and the first row.
constexpr const char *kLive = "live", *kLiveVectors = "live_vectors", *kFirstRow = "first_row";
/// The first of the rows that run together, a vector of them.
constexpr const char *kGroup = "row_group";

struct RowTile {
  int64_t offset = 0; ///< bytes into scratch memory
  int64_t pitch = 1;  ///< elements from a row to the next
};

/// tile[m, n] (+)= sum over k of a step. The extents of n and k are known.
struct RowDot {
  kernel::DotOp dot;
  std::string m, n, k;
  int64_t columns = 0, depth = 0;
  mlir::Value lhsTile;       ///< the left operand is just this; null: it is copied
  bool lhsIsFixed = false;   ///< the same in all steps
  bool isAlongDepth = false; ///< neighbours of the right operand lie along k, not n
  bool isReadable = false;   ///< the right operand may be read where it lies
  bool isComputable = false; ///< vectors of its columns may be computed for each row, as of a cache and its new rows

  // The schedule.
  OperandForm rhs = OperandForm::Copied; ///< direct along k, or computed: no micro-kernel but products of vectors
  bool servesFewRows = false;            ///< for few rows, told when the kernel runs, it is direct
  int64_t panel = 0;                     ///< columns of a panel
  int64_t lhsPitch = 0, rhsDepth = 0;    ///< elements between rows of the copies, and rows of a panel
  int64_t lhsOffset = 0, rhsOffset = 0;  ///< bytes into scratch memory

  mlir::Type element() { return dot.getTile().getType().getElement(); }
};

/// From column `count` on the scores of a step are -inf, and all that comes of them is neutral: the
/// last block of keys is seldom whole.
struct LiveColumns {
  std::map<std::string, Expr> conditions; ///< by the variables of loops over these columns: inside >= 0
  Expr count;                             ///< over the step; may be more than there are columns
  int64_t columns = 0;                    ///< of a step
};

struct RowSteps {
  Expr rows;
  int64_t rowBlock = 0;
  llvm::MapVector<mlir::Operation *, RowDot> dots; ///< in their order
  llvm::DenseMap<mlir::Value, int64_t> totals;     ///< results of reductions: bytes into scratch memory, a vector each
  llvm::DenseMap<mlir::Value, RowTile> tiles;
  std::optional<LiveColumns> live;
};

/// A foreach that reads no tile, and so has no rows: the iteration of a grid point's first rows runs it.
bool isWorkOfItsOwn(mlir::Operation &op);
/// A map over rows of which a vector may run at once after its reductions, which need nothing of it.
bool reducesFirst(kernel::MapOp map);
/// The ordered loop of a function; null: it has none.
kernel::ForOp stepsOf(kernel::FuncOp func);
/// What does not depend on the schedule. Code::Internal names what the steps have no code for.
Result<RowSteps> readSteps(kernel::Variables &vars, kernel::FuncOp func, int64_t lanes);
/// The load that is all of the region, under a mask perhaps; null: there is more.
kernel::LoadOp onlyLoad(mlir::Region &region);

/// Tiles that are one in memory, by any of them: a map takes the place of what it reads last, a
/// step that of the step before. Code::Internal where a carried tile is read after it changed.
Result<llvm::DenseMap<mlir::Value, mlir::Value>> shareTiles(kernel::FuncOp func);
/// Null where all columns may count.
std::optional<LiveColumns> findLiveColumns(kernel::Variables &vars, RowSteps &steps, int64_t lanes);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_ROWSTEPS_H
