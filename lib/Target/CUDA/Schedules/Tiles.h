//===- lib/Target/CUDA/Schedules/Tiles.h - tiles of products ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_SCHEDULES_TILES_H
#define CUPOLA_LIB_TARGET_CUDA_SCHEDULES_TILES_H

#include "dialects/Simt/Simt.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"

namespace cupola::cuda {

/// What a block computes: m by n elements, over k at a time, which `slices` groups of its threads share. `split`
/// blocks share the whole depth.
struct Tile {
  int64_t m, n, k, slices;
  int64_t split = 1;
};

/// That of a gemm.
template <class Attr> Tile tileOf(Attr schedule) {
  return {schedule.getM(), schedule.getN(), schedule.getK(), schedule.getSlices()};
}
inline Tile tileOf(GemmMmaAttr schedule) {
  return {schedule.getM(), schedule.getN(), schedule.getK(), schedule.getSlices(), schedule.getSplit()};
}

/// Requirements: m and n are no more than about twice what the product has, there are tiles of
/// k to overlap, and as many for every block that shares the depth.
bool fits(const Tile &tile, const ProductFacts &product);

/// If there are enough blocks, what a multiprocessor moves: operand elements per multiply-add, with
/// what tiles beyond m multiply in vain; two at most. If blocks are too few to keep all of them busy,
/// what the busiest one computes: the multiply-adds of a tile per step of the depth, and the
/// additions of its parts; 32 at least.
double tileCost(const Tile &tile, const ProductFacts &product, const GpuArchitecture &target);

/// How fast blocks of the matrix units are.
struct TilePace {
  double busy;      ///< cycles that a multiprocessor spends on a tile of k, with blocks enough
  double alone;     ///< and with one block
  int64_t resident; ///< blocks that a multiprocessor has at once
  double meeting;   ///< until the sums of parts of the depth are one
};
/// Where they meet in memory, of four bytes: written once, and read by one block.
double meetingInMemory(const Tile &tile);

/// A tile's multiply-adds per cycle by the matrix units: A100, other architectures have about the same relations.
constexpr double mmaRate = 1024;
/// Bytes per cycle that a multiprocessor gets from L2.
constexpr double l2Rate = 40;
/// Cycles of a block's threads for a barrier and what they do around it.
constexpr double barrierTime = 60;

/// Products of at most so many rows wait for their weights, which have schedules of their own (Matvec.cpp,
/// RowMatvec.cpp).
constexpr int64_t fewRows = 8;
/// Of those schedules, whose threads multiply: nothing where the matrix units could, which read no less of the weights,
/// but where these are the better choice. From three rows on lanes take longer to multiply than memory to bring the
/// weights: on an H100 2048 x 8192 of f16 took 15 us for one row and 21 for eight, where memory takes 11, and weights
/// of 4 bits, 4096 x 4096, 17 and 28.
double fewRowsCost(const Tile &tile, const KernelFacts &facts, const GpuArchitecture &target);

/// Blocks that a multiprocessor has at once, by what each takes of it and each of its threads of registers; one at
/// least.
int64_t residentBlocks(const GpuArchitecture &target, int64_t sharedBytes, int64_t threads, double registers);

/// The cycles of the busiest multiprocessor.
double productCycles(const Tile &tile, const TilePace &pace, const ProductFacts &product,
                     const GpuArchitecture &target);

/// What matrix units can take the operands for, and those of the target; none if they take no such operands.
std::optional<simt::MmaKind> operandKindOf(kernel::DotOp dot);
std::optional<simt::MmaKind> mmaKindOf(kernel::DotOp dot, const GpuArchitecture &target);
inline bool isForMatrixUnits(kernel::DotOp dot, const GpuArchitecture &target) {
  return mmaKindOf(dot, target).has_value();
}
/// They take them for f16 or bf16; for bytes, with sums of i32, of float8 f32.
bool areHalves(kernel::DotOp dot, const GpuArchitecture &target);
bool areBytes(kernel::DotOp dot, const GpuArchitecture &target);

/// Whether some architecture that runs the target's kernels multiplies float8 as such (device/mma.cuh).
bool hasFloat8Units(const GpuArchitecture &target);

/// The schedules of a table that fit. If none does, there are few rows, and k is short: the lowest that have all rows,
/// whose blocks have a depth of their own.
template <class Attr> Candidates fitting(llvm::ArrayRef<Attr> table, const ProductFacts &product) {
  Candidates found;
  for (Attr shape : table)
    if (fits(tileOf(shape), product))
      found.push_back(shape);
  if (!found.empty() || table.empty())
    return found;
  auto rowsOf = [](Attr shape) { return tileOf(shape).m; };
  const int64_t highest = rowsOf(*llvm::max_element(table, [&](Attr a, Attr b) { return rowsOf(a) < rowsOf(b); }));
  int64_t least = highest;
  for (Attr shape : table)
    if (rowsOf(shape) >= std::min(product.m, highest))
      least = std::min(least, rowsOf(shape));
  llvm::copy_if(table, std::back_inserter(found),
                [&](Attr shape) { return tileOf(shape).m == least && tileOf(shape).split == 1; });
  return found;
}

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_SCHEDULES_TILES_H
