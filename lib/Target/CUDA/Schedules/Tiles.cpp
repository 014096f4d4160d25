//===- lib/Target/CUDA/Schedules/Tiles.cpp - tiles of products ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Schedules/Tiles.h"

#include "lib/Target/CUDA/OperandCopies.h"
#include "lib/Target/CUDA/Schedules/Cost.h"

using namespace mlir;
using namespace cupola;

namespace cupola::cuda {

/// A whole number of tiles of k for each of `split` blocks, enough of them to overlap; a counter for each tile of the
/// result.
static bool canSplit(const Tile &tile, const ProductFacts &product) {
  constexpr int64_t leastTrips = 4;
  const int64_t tiles = llvm::divideCeilSigned(product.k, tile.k);
  const int64_t results =
      product.batch * llvm::divideCeilSigned(product.m, tile.m) * llvm::divideCeilSigned(product.n, tile.n);
  return product.isStatic && tiles % tile.split == 0 && tiles / tile.split >= leastTrips && results <= kLaunchCounters;
}

bool fits(const Tile &tile, const ProductFacts &product) {
  constexpr int64_t leastRows = 16; // of the matrix units
  // A tile of k that is a large part of k leaves nothing to overlap; parts need more of them.
  bool isDeep = tile.slices == 1 || product.k >= 4 * tile.k;
  bool isTooHigh = product.m <= tile.m / 2 && tile.m > leastRows;
  bool isTooWide = product.n <= tile.n / 2 && tile.n > 64;
  return isDeep && !isTooHigh && !isTooWide && (tile.split == 1 || canSplit(tile, product));
}

double tileCost(const Tile &tile, const ProductFacts &product, const GpuArchitecture &target) {
  const int64_t m = std::max<int64_t>(product.m, 1), k = std::max<int64_t>(product.k, 1);
  const int64_t tilesM = llvm::divideCeilSigned(product.m, tile.m), tilesN = llvm::divideCeilSigned(product.n, tile.n);
  if (product.batch * tilesM * tilesN < enoughBlocks(target))
    return double(tile.m * tile.n) * double(k + tile.slices - 1) / double(k);
  const double multiplied = double(tilesM * tile.m) / double(m);
  return multiplied * (1.0 / double(tile.m) + 1.0 / double(tile.n));
}

int64_t residentBlocks(const GpuArchitecture &target, int64_t sharedBytes, int64_t threads, double registers) {
  constexpr double all = 65536; // registers of a multiprocessor
  return std::max<int64_t>(std::min({target.sharedBytes / sharedBytes, target.residentThreads / threads,
                                     int64_t(all / (registers * double(threads)))}),
                           1);
}

double meetingInMemory(const Tile &tile) {
  // From the sums of the last block but one to what the last one reads of all.
  constexpr double meeting = 1500;
  return tile.split > 1 ? meeting + double(tile.m * tile.n * 4) * double(1 + tile.split) / l2Rate : 0;
}

double productCycles(const Tile &tile, const TilePace &pace, const ProductFacts &product,
                     const GpuArchitecture &target) {
  // Before the first tile is there; per element of the result, of two bytes at about the rate of L2.
  constexpr double fill = 1000, element = 1.0 / 16;
  const int64_t tilesM = llvm::divideCeilSigned(product.m, tile.m), tilesN = llvm::divideCeilSigned(product.n, tile.n);
  const int64_t blocks = std::max<int64_t>(product.batch * tilesM * tilesN, 1) * tile.split;
  const int64_t busiest = llvm::divideCeilSigned(blocks, target.multiprocessors);
  const int64_t together = std::min(pace.resident, busiest);
  const double loop = double(llvm::divideCeilSigned(product.k, tile.k * tile.split)) *
                      std::max(pace.busy, pace.alone / double(together));
  const double ends = fill + double(tile.m * tile.n) * element + pace.meeting;
  return double(busiest) * loop + double(llvm::divideCeilSigned(busiest, together)) * ends;
}

static bool unitsTakeFewRows(const KernelFacts &facts, const GpuArchitecture &target) {
  constexpr int64_t fewestRows = 3, leastDepth = 512;
  const std::optional<ProductFacts> &product = facts.product;
  if (!facts.isProductAlone() || product->m < fewestRows || product->k < leastDepth || !target.asyncCopy ||
      !areHalves(product->dot, target))
    return false;
  kernel::Variables vars = facts.vars;
  return asyncOperands(product->dot, vars, facts.divisors).areBoth();
}

double fewRowsCost(const Tile &tile, const KernelFacts &facts, const GpuArchitecture &target) {
  if (isForMatrixUnits(facts.product->dot, target))
    return unitsTakeFewRows(facts, target) ? std::numeric_limits<double>::max() : 0;
  return tileCost(tile, *facts.product, target);
}

static std::optional<simt::MmaKind> byteKindOf(Type lhs, Type rhs) {
  auto isByte = [](Type type) { return type.isSignlessInteger(8) || type.isUnsignedInteger(8); };
  if (!isByte(lhs) || !isByte(rhs))
    return std::nullopt;
  if (lhs == rhs)
    return lhs.isUnsignedInteger() ? simt::MmaKind::UI8 : simt::MmaKind::I8;
  return lhs.isUnsignedInteger() ? simt::MmaKind::UI8I8 : simt::MmaKind::I8UI8;
}

static std::optional<simt::MmaKind> float8KindOf(Type lhs, Type rhs) {
  if (!graph::isFloat8(lhs) || !graph::isFloat8(rhs))
    return std::nullopt;
  if (lhs == rhs)
    return isa<Float8E5M2Type>(lhs) ? simt::MmaKind::E5M2 : simt::MmaKind::E4M3;
  return isa<Float8E5M2Type>(lhs) ? simt::MmaKind::E5M2E4M3 : simt::MmaKind::E4M3E5M2;
}

std::optional<simt::MmaKind> operandKindOf(kernel::DotOp dot) {
  Type lhs = dot.getLhs().front().getTerminator()->getOperand(0).getType();
  Type rhs = dot.getRhs().front().getTerminator()->getOperand(0).getType();
  if (dot.getTile().getType().getElement().isSignlessInteger(32))
    return byteKindOf(lhs, rhs);
  if (const std::optional<simt::MmaKind> kind = float8KindOf(lhs, rhs))
    return kind;
  if (lhs != rhs)
    return std::nullopt;
  if (lhs.isF16())
    return simt::MmaKind::F16;
  if (lhs.isBF16())
    return simt::MmaKind::BF16;
  if (lhs.isF32() && dot.getTf32())
    return *dot.getTf32() == graph::Tf32::X1 ? simt::MmaKind::TF32 : simt::MmaKind::TF32x3;
  return std::nullopt;
}

std::optional<simt::MmaKind> mmaKindOf(kernel::DotOp dot, const GpuArchitecture &target) {
  const std::optional<simt::MmaKind> kind = operandKindOf(dot);
  // What multiplies f16 16 deep takes the other types, too; bytes are as old as f16, which float8 becomes where the
  // units do not have it.
  const bool takes = target.mmaK == 16 || (target.mmaK > 0 && kind && (kind == simt::MmaKind::F16 || isOfBytes(*kind)));
  return takes ? kind : std::nullopt;
}

bool areHalves(kernel::DotOp dot, const GpuArchitecture &target) {
  const std::optional<simt::MmaKind> kind = mmaKindOf(dot, target);
  return kind == simt::MmaKind::F16 || kind == simt::MmaKind::BF16;
}

bool areBytes(kernel::DotOp dot, const GpuArchitecture &target) {
  const std::optional<simt::MmaKind> kind = mmaKindOf(dot, target);
  return kind && isOfBytes(*kind);
}

bool hasFloat8Units(const GpuArchitecture &target) {
  return llvm::any_of(kGpuArchitectures, [&](const GpuArchitecture &row) {
    return row.family == target.family && (row.number == 89 || row.number >= 120);
  });
}

} // namespace cupola::cuda
