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

/// What threads `from` to `to` do, with so many registers each.
mlir::LogicalResult role(Lowering &low, int64_t from, int64_t to, int64_t registers, Lowering::Body body);

void initBarrier(Lowering &low, mlir::Value barriers, Expr at, int64_t arrivals);
/// Until the phase of this parity has ended.
void waitBarrier(Lowering &low, mlir::Value barriers, const Expr &at, const Expr &parity);
/// At that of block `rank` of the cluster.
void arriveBarrier(Lowering &low, mlir::Value barriers, const Expr &at, const Expr &rank);
void expectBytes(Lowering &low, mlir::Value barriers, Expr at, int64_t bytes);

/// Where a copy goes: to elements from `target` on, counted by the barrier `at`; `blocks`: to those of the cluster.
struct CopyTarget {
  mlir::Value smem, barriers;
  Expr target, at;
  int64_t blocks = 0;
};
/// The box at these coordinates, and at the block's point of the grid.
void tensorCopy(Lowering &low, int64_t map, const TensorOperand &operand, graph::Exprs coordinates,
                const CopyTarget &to);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_COPYROLES_H
