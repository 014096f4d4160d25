//===- lib/Target/CPU/KernelPlan.h - what follows from a kernel and its schedule ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Computed before lowering, because the plan of the model needs the number of iterations
// and the scratch memory. What a kernel is by itself is read first, schedules add the rest
// (Schedules/).
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_KERNELPLAN_H
#define CUPOLA_LIB_TARGET_CPU_KERNELPLAN_H

#include "dialects/Kernel/Kernel.h"
#include "lib/Runtime/Format/Architectures.h"
#include "lib/Runtime/Status.h"
#include "lib/Target/CPU/Access.h"
#include "lib/Target/CPU/CpuDialect.h"
#include "lib/Target/CPU/DepthPieces.h"
#include "lib/Target/CPU/ResultRows.h"
#include "lib/Target/CPU/RowSteps.h"
#include "lib/Target/CPU/Runs.h"

namespace cupola::cpu {

/// A nest whose last two loops run in squares of vectors: loads that are contiguous along the first of them, `from`,
/// are turned, everything else has its lanes along the second, `to`.
struct Transposition {
  struct Turned {
    kernel::LoadOp load;
    int64_t offset; ///< of a square, turned, into scratch memory
  };
  llvm::SmallVector<Turned> turned;
  int64_t fromTile = 0, toTile = 0; ///< elements of an iteration, multiples of a vector
  Side inner = Side::To;
};

/// The loops around a body: those of the grid and, where the function is nothing but
/// one foreach, those of it.
struct Nest {
  mlir::Block *body = nullptr;
  std::vector<std::string> vars; ///< in the order of the loops, outermost first
  std::vector<Expr> extents;
  bool vectorised = false;                    ///< the last loop is
  unsigned vectors = 1;                       ///< so many vectors of it at a time
  unsigned parallel = 0;                      ///< so many loops are iterations of the grid
  int64_t chunk = 0;                          ///< pieces of this size of chunkedLoop() are, too
  int64_t jam = 1;                            ///< so many iterations of the last loop but one are emitted as one
  bool hasLaneTiles = false;                  ///< stored tiles have an element for each lane
  std::optional<Transposition> transposition; ///< tiles of the last two loops are iterations, too

  /// Of which pieces are iterations: the last one, or that around it if it is jammed.
  size_t chunkedLoop() const { return vars.size() - (jam > 1 ? 2 : 1); }
  /// Makes the loop the innermost, for vectors.
  void vectorise(unsigned loop);
};

/// tile[m, n] in blocks of rowBlock x columnBlock per iteration, depthBlock of k at a
/// time.
struct Contraction {
  kernel::DotOp dot;
  std::string m, n, k; ///< names of its variables
  Expr rows, columns, depth;
  /// Whether the operand may be read where it lies: a plain load of the tile's type whose neighbours along
  /// k (lhs) or n (rhs) are neighbours in memory, and along the other variable lie in equal distances.
  bool isLhsContiguous = false, isRhsContiguous = false;
  bool isPacked = false; ///< the right operand is in panels
  /// .. of four bits: of 8 neighbours of the depth, per column, the first four in the low bits of as many bytes.
  bool areNibbles = false;
  /// What the micro-kernel takes for an element are so many neighbours of the depth, whose products are summed in i32:
  /// 2 of i16, 4 of ui8 by i8 or the reverse; else 1. A left operand has them side by side; a right one, copied or
  /// packed, per column, and 0 behind the depth.
  int64_t depthUnit = 1;
  /// PanelShape::alongDepth.
  bool isAlongDepth = false;
  /// Of a dot with blocks their size, which the unit divides, and the name of their index; 0: it has none. Rows are the
  /// side with a sign then.
  int64_t blockSize = 0;
  std::string b;
  bool areScalesPacked = false; ///< those of columns are in panels, a row of a panel for a block

  // The schedule.
  OperandForm lhs = OperandForm::Copied, rhs = OperandForm::Copied;
  int64_t rowBlock = 0, columnBlock = 0, depthBlock = 0;
  int64_t panel = 0;        ///< columns of a panel
  int64_t tileRows = 0;     ///< rows of a tile over it, which divide those of a block
  DepthPieces pieces;       ///< of a copied left operand; depthBlock is a multiple of their size
  std::optional<Runs> runs; ///< of a left operand in runs; depthBlock is some of them or a part of one
  /// What follows the product has its lanes along so many rows, from a multiple of that number on; none: along columns.
  std::optional<Expr> resultRows;

  int64_t tileOffset = 0, lhsOffset = 0, rhsOffset = 0; ///< bytes into scratch memory
  int64_t tableOffset = 0;                              ///< of runs
  std::optional<int64_t> turnedOffset;                  ///< of a panel's results, column by column
  /// The same of blocks: starts and scales of rows, and scales of columns in panels, a row for a block.
  int64_t startOffset = 0, rowScaleOffset = 0, columnScaleOffset = 0;

  mlir::Type accumulator() const { return mlir::cast<kernel::TileType>(dot->getResult(0).getType()).getElement(); }
  /// Of operands where they are copied or packed.
  mlir::Type lhsType() const, rhsType() const;
  /// Of the micro-kernel: the tile's, or that of a block.
  mlir::Type sumType() const;
  /// Elements from a column of turned results to the next: not all columns begin in the same place of a cache.
  int64_t turnedPitch(int64_t lanes) const { return static_cast<int64_t>(llvm::alignTo(rowBlock, lanes)) + lanes; }
  /// Blocks of a depthBlock; 0 without blocks.
  int64_t blocks() const { return blockSize ? depthBlock / blockSize : 0; }
};

struct KernelPlan {
  explicit KernelPlan(kernel::FuncOp func) : func(func), vars(func) {}

  kernel::FuncOp func;
  kernel::Variables vars;                 ///< the names in all of the plan
  std::optional<RowSteps> steps;          ///< else a contraction
  std::optional<Contraction> contraction; ///< else the nest
  Nest nest;
  StoredTiles tiles; ///< byte offsets into scratch memory

  // The schedule.
  std::vector<Expr> parallel; ///< extents of the iterations, outermost first
  uint64_t scratchBytes = 0;
  uint32_t grain = 1;

  Expr grid() const { return graph::product(parallel); }
  /// Room for so many bytes in scratch memory, by offset, and one vector more: whole ones may be stored at the end.
  int64_t reserve(int64_t bytes);
  /// Whether all stored tiles may have an element for each of so many lanes.
  bool hasRoomForLanes(int64_t lanes) const;
  /// Gives them those.
  void widenTiles(int64_t lanes);
  /// Iterations of so many elements of work: as many as are worth a thread.
  void setGrain(double work);
};

/// For which a right operand may stay where it is.
constexpr int64_t kFewRows = 4;

/// What does not depend on the schedule. Code::Internal names what the lowering does not know.
Result<KernelPlan> readKernel(kernel::FuncOp func, const CpuArchitecture &isa);
/// The same and what the schedule adds. Code::Internal where it does not suit the kernel or the level, too.
Result<KernelPlan> planKernel(kernel::FuncOp func, const CpuArchitecture &isa);

/// Code::Internal: the function has another schedule than it may have.
Status doesNotSuit(kernel::FuncOp func, const CpuArchitecture &isa);

/// The loop that a function is nothing but; null: it is more.
kernel::ForeachOp onlyForeach(kernel::FuncOp func);
/// The contraction of a function; null: it has none.
kernel::DotOp dotOf(kernel::FuncOp func);
/// What does not depend on the schedule. Code::Internal where it stands in a loop, or an element of its tile
/// is read by another iteration than its own.
Result<Contraction> readContraction(kernel::Variables &vars, kernel::FuncOp func);
/// Contraction::depthUnit.
int64_t depthUnitOf(kernel::DotOp dot);
/// Contraction::sumType.
mlir::Type sumTypeOf(kernel::DotOp dot);
/// The type that a region of a dot yields.
mlir::Type yieldedBy(mlir::Region &region);
/// The type of an operand where it is copied or packed: that of the sums, or what depthUnitOf is about.
mlir::Type operandType(mlir::Region &region);
/// What the micro-kernel of a dot takes at a time.
struct PanelShape {
  int64_t columns; ///< of a panel: a wide one where that leaves no narrower one at the end
  int64_t rows;    ///< of a tile over it
  /// Few columns leave most of a vector empty. Vectors lie along the depth then (DepthVectors.cpp): a packed panel has
  /// so many neighbours of the depth side by side, per column, and 0 behind the depth.
  bool alongDepth;
};
/// Whether vectors along the depth, whose lanes are added behind it, take fewer instructions than a vector of so many
/// columns of the dot, which is not full.
bool hasFewColumns(kernel::DotOp dot, const Expr &columns, const CpuArchitecture &isa);
PanelShape panelOf(kernel::DotOp dot, const CpuArchitecture &isa);
/// Neighbours of the depth that are as many halves of bytes in a panel of four bits.
constexpr int64_t kNibbleRows = 8;
/// Neighbours of the depth that lie side by side in a packed panel.
int64_t packedUnitOf(kernel::DotOp dot, const CpuArchitecture &isa);

/// Whether an operand is a plain load of this type, whose neighbours along `var` are neighbours in memory, and whose
/// neighbours along `other` lie in equal distances.
bool isContiguous(kernel::Variables &vars, mlir::Region &operand, const std::string &var, const std::string &other,
                  mlir::Type element);
/// Whether an operand is made of neighbours along `var`, or of elements that several neighbours share, and of none
/// along `other`: vectors of so many along `var` compute it.
bool liesAlong(kernel::Variables &vars, mlir::Region &operand, const std::string &var, const std::string &other,
               int64_t lanes);
/// The load that is all of an operand's region, if it is one.
kernel::LoadOp plainOperand(mlir::Region &region);
/// Which dimensions of the grid the operand depends on: a packed operand has a matrix for each of their points.
llvm::SmallVector<unsigned> gridOf(kernel::FuncOp func, mlir::Region &operand);

/// The value of an extent for estimates: unknown scalars count as 64.
double estimate(const Expr &extent);
/// The same of how far a step of a position goes, either way.
double distanceOf(const Expr &step);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_KERNELPLAN_H
