//===- lib/Target/CUDA/CopyRoles.h - some warpgroups of a block copy, others multiply ---===//
// SPDX-License-Identifier: Apache-2.0
//
// What the schedules for wgmma write between the two: roles, the mbarriers that stages of shared memory go round by,
// and tensor copies.
#ifndef CUPOLA_LIB_TARGET_CUDA_COPYROLES_H
#define CUPOLA_LIB_TARGET_CUDA_COPYROLES_H

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/TensorOperand.h"

namespace cupola::cuda {

/// The threads that wgmma takes as one, and the rows that they have.
constexpr int64_t warpgroup = 128, rowsOfGroup = 64;
/// Bytes of a row of shared memory, whose permutation both sides know, and its elements of two bytes.
constexpr int64_t copySwizzle = 128, rowElements = copySwizzle / 2;

/// Where a tensor copy begins: innermost first.
struct CopyPlace {
  graph::Exprs coordinates, taps; ///< taps: of a map with a window
};
/// These coordinates of an operand at the block's point of the grid.
CopyPlace placeOf(Lowering &low, const TensorOperand &operand, graph::Exprs coordinates);

/// What threads `from` to `to` do, with so many registers each.
mlir::LogicalResult role(Lowering &low, int64_t from, int64_t to, int64_t registers, Lowering::Body body);

void initBarrier(Lowering &low, mlir::Value barriers, Expr at, int64_t arrivals);
/// Until the phase of this parity has ended.
void waitBarrier(Lowering &low, mlir::Value barriers, const Expr &at, const Expr &parity);
/// At that of block `rank` of the cluster.
void arriveBarrier(Lowering &low, mlir::Value barriers, const Expr &at, const Expr &rank);

/// Stages of shared memory that go round between a thread that starts copies and warps that read what they bring. An
/// mbarrier per stage says that it is full, another that nobody reads it any more.
class StageRing {
public:
  /// The stage of the n-th use, and the parity of its round.
  struct Turn {
    Expr stage, parity;
  };

  StageRing(Lowering &low, int64_t stages) : low(low), stages(stages) {}
  void allocate();
  /// The barriers of a stage; so many lanes leave it.
  void init(const Expr &stage, int64_t readers);
  Turn turn(const Expr &use);
  /// Until the stage may be written, of which so many bytes come then.
  void await(const Turn &turn, int64_t bytes);
  /// Until they have come.
  void awaitFull(const Turn &turn) { waitBarrier(low, full, turn.stage, turn.parity); }
  /// Starts a copy to elements of `smem` from `target` on; `blocks`: to those of the cluster.
  void copy(int64_t map, const CopyPlace &place, const Turn &turn, mlir::Value smem, const Expr &target,
            int64_t blocks = 0);
  /// This lane has read the stage of that use, which block `rank` of the cluster writes.
  void leave(const Expr &use, const Expr &rank) { arriveBarrier(low, empty, turn(use).stage, rank); }

private:
  Lowering &low;
  int64_t stages;
  mlir::Value full, empty;
};

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_COPYROLES_H
