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

bool isForMatrixUnits(kernel::DotOp dot, const GpuArchitecture &target) {
  Type lhs = dot.getLhs().front().getTerminator()->getOperand(0).getType();
  Type rhs = dot.getRhs().front().getTerminator()->getOperand(0).getType();
  return lhs == rhs && ((lhs.isF16() && target.mmaK > 0) || (lhs.isBF16() && target.mmaK == 16));
}

} // namespace cupola::cuda
