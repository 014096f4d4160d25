//===- lib/Target/CUDA/Schedules/Tiles.cpp - tiles of products ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Schedules/Tiles.h"

#include "lib/Target/CUDA/Schedules/Cost.h"

using namespace mlir;
using namespace cupola;

namespace cupola::cuda {

bool fits(const Tile &tile, const ProductFacts &product) {
  // A tile of k that is a large part of k leaves nothing to overlap; parts need more of them.
  bool isDeep = tile.split == 1 || product.k >= 4 * tile.k;
  bool isTooHigh = product.m <= tile.m / 2;
  bool isTooWide = product.n <= tile.n / 2 && tile.n > 64;
  return isDeep && !isTooHigh && !isTooWide;
}

double tileCost(const Tile &tile, const ProductFacts &product, const GpuArchitecture &target) {
  const int64_t m = std::max<int64_t>(product.m, 1), k = std::max<int64_t>(product.k, 1);
  const int64_t tilesM = llvm::divideCeilSigned(product.m, tile.m), tilesN = llvm::divideCeilSigned(product.n, tile.n);
  if (product.batch * tilesM * tilesN < enoughBlocks(target))
    return double(tile.m * tile.n) * double(k + tile.split - 1) / double(k);
  const double multiplied = double(tilesM * tile.m) / double(m);
  return multiplied * (1.0 / double(tile.m) + 1.0 / double(tile.n));
}

double productCycles(const Tile &tile, const TilePace &pace, const ProductFacts &product,
                     const GpuArchitecture &target) {
  // Before the first tile is there; per element of the result, of two bytes at about the rate of L2.
  constexpr double fill = 1000, element = 1.0 / 16;
  const int64_t tilesM = llvm::divideCeilSigned(product.m, tile.m), tilesN = llvm::divideCeilSigned(product.n, tile.n);
  const int64_t blocks = std::max<int64_t>(product.batch * tilesM * tilesN, 1);
  const int64_t busiest = llvm::divideCeilSigned(blocks, target.multiprocessors);
  const int64_t together = std::min(pace.resident, busiest);
  const double loop =
      double(llvm::divideCeilSigned(product.k, tile.k)) * std::max(pace.busy, pace.alone / double(together));
  const double ends = fill + double(tile.m * tile.n) * element;
  return double(busiest) * loop + double(llvm::divideCeilSigned(busiest, together)) * ends;
}

bool isForMatrixUnits(kernel::DotOp dot, const GpuArchitecture &target) {
  Type lhs = dot.getLhs().front().getTerminator()->getOperand(0).getType();
  Type rhs = dot.getRhs().front().getTerminator()->getOperand(0).getType();
  return lhs == rhs && ((lhs.isF16() && target.mmaK > 0) || (lhs.isBF16() && target.mmaK == 16));
}

} // namespace cupola::cuda
