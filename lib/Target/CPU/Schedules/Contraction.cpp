//===- lib/Target/CPU/Schedules/Contraction.cpp - blocks of a product by micro-kernels ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A left operand is read where it lies if that can be; how a right one is read, and how many
// columns a block has, is a matter of cost.

#include "lib/Target/CPU/Code.h"
#include "lib/Target/CPU/Schedules/Schedules.h"

#include <numeric>

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

/// Elements of the depth that a block takes: what it has of a panel is in the second cache. Words of several elements
/// are so many fewer.
static int64_t mostDepth(const Contraction &c) { return c.depthUnit == 1 ? 512 : 1024; }

/// Rows of an iteration: few, so that threads have something to share, but an operand that is
/// copied should serve many.
static int64_t rowBlock(const Contraction &c, OperandForm rhs, int64_t tile) {
  const bool copiesLhs = !c.isLhsContiguous;
  return blockOf(c.rows, tile, rhs == OperandForm::Copied ? 128 : copiesLhs ? 64 : 32);
}

/// As many columns; fewer where the depth is long and nothing has to be copied again for it.
static int64_t columnBlock(const Contraction &c, int64_t panel) {
  return blockOf(c.columns, panel, c.isLhsContiguous && estimate(c.depth) > 768 ? 48 : 96);
}

static SmallVector<OperandForm> rhsForms(const Contraction &c) {
  if (c.isPacked)
    return {OperandForm::Packed};
  return c.isRhsContiguous ? SmallVector{OperandForm::Direct, OperandForm::Copied} : SmallVector{OperandForm::Copied};
}

LogicalResult ContractionAttr::verify(EmitError error, int64_t rows, int64_t columns, int64_t depth, int64_t panel,
                                      OperandForm lhs, OperandForm, int64_t piece) {
  if (failed(verifyPositive(error, {rows, columns, depth, panel})) ||
      failed(verifyDivides(error, "the block's columns", columns, panel)))
    return failure();
  if (lhs == OperandForm::Packed)
    return error() << "a left operand is direct or copied";
  if (piece < 0 || (piece > 0 && lhs != OperandForm::Copied))
    return error() << "pieces are positive numbers of a left operand that is copied";
  return piece == 0 ? success() : verifyDivides(error, "the block's depth", depth, piece);
}

Candidates ContractionAttr::candidates(KernelPlan &kernel, const CpuArchitecture &isa) {
  if (!kernel.contraction)
    return {};
  Contraction &c = *kernel.contraction;
  const int64_t panel = panelWidth(c.dot, isa), columns = columnBlock(c, panel);
  const int64_t tile = tileRows(panel, c.accumulator(), isa);
  const OperandForm lhs = c.isLhsContiguous ? OperandForm::Direct : OperandForm::Copied;
  int64_t piece = 0;
  if (lhs == OperandForm::Copied)
    piece = DepthPieces::of(kernel.vars, c.dot, c.dot.getLhs(), mostDepth(c), isa.lanes()).size;
  const int64_t least = std::lcm(std::max<int64_t>(piece, 1), std::max(c.depthUnit, c.blockSize));
  const int64_t depth = blockOf(c.depth, least, mostDepth(c));
  Candidates all;
  for (OperandForm rhs : rhsForms(c))
    for (int64_t width : {columns, std::min(columns, 2 * panel)})
      all.push_back(
          ContractionAttr::get(kernel.func.getContext(), rowBlock(c, rhs, tile), width, depth, panel, lhs, rhs, piece));
  return all;
}

/// What it takes to read the right operand, once per tile of rows: an element of rows that lie far
/// from each other costs kFar times as much as one of a panel. As Contraction::rows may have no
/// bound, neither has this.
static double reading(const ContractionAttr &schedule, const KernelPlan &kernel, const CpuArchitecture &isa) {
  constexpr double kFar = 16;
  const Contraction &c = *kernel.contraction;
  if (schedule.getRhs() == OperandForm::Packed)
    return 1;
  std::optional<int64_t> rows = bounds(c.rows, kernel.vars.ranges()).hi;
  std::optional<int64_t> columns = bounds(c.columns, kernel.vars.ranges()).hi;
  const double tiles =
      rows ? static_cast<double>(llvm::divideCeil(*rows, tileRows(schedule.getPanel(), c.accumulator(), isa))) : 1e9;
  const double first = columns && *columns <= schedule.getPanel() ? 1 : kFar;
  return schedule.getRhs() == OperandForm::Copied ? first + 1 + tiles : first * tiles;
}

/// That, and what threads without a block cost.
double ContractionAttr::cost(const KernelPlan &kernel, const CpuArchitecture &isa) const {
  const Contraction &c = *kernel.contraction;
  const double blocks = estimate(ceilDiv(c.columns, getColumns()) * ceilDiv(c.rows, getRows()));
  return reading(*this, kernel, isa) * std::max(1.0, static_cast<double>(isa.threads) / blocks);
}

/// Blocks are whole tiles of the micro-kernel, and operands lie as the schedule says.
static bool suits(ContractionAttr schedule, Contraction &c, const CpuArchitecture &isa) {
  return schedule.getPanel() == panelWidth(c.dot, isa) &&
         schedule.getRows() % tileRows(schedule.getPanel(), c.accumulator(), isa) == 0 &&
         (schedule.getLhs() != OperandForm::Direct || c.isLhsContiguous) &&
         (schedule.getRhs() != OperandForm::Direct || c.isRhsContiguous) &&
         (schedule.getRhs() == OperandForm::Packed) == c.isPacked &&
         schedule.getDepth() % std::max(c.depthUnit, c.blockSize) == 0;
}

Status ContractionAttr::plan(KernelPlan &kernel, const CpuArchitecture &isa) const {
  if (!kernel.contraction || !suits(*this, *kernel.contraction, isa))
    return doesNotSuit(kernel.func, isa);
  Contraction &c = *kernel.contraction;
  std::optional<DepthPieces> pieces = DepthPieces::ofSize(kernel.vars, c.dot, c.dot.getLhs(), getPiece());
  if (!pieces)
    return doesNotSuit(kernel.func, isa);
  c.pieces = *pieces;
  c.lhs = getLhs();
  c.rhs = getRhs();
  c.rowBlock = getRows();
  c.columnBlock = getColumns();
  c.depthBlock = getDepth();
  c.panel = getPanel();
  c.tileRows = tileRows(c.panel, c.accumulator(), isa);
  c.tileOffset = kernel.reserve(c.rowBlock * c.columnBlock * elementBytes(c.accumulator()));
  if (c.lhs == OperandForm::Copied)
    c.lhsOffset = kernel.reserve(c.rowBlock * (c.depthBlock + isa.lanes()) * elementBytes(c.lhsType()));
  if (c.rhs == OperandForm::Copied)
    c.rhsOffset = kernel.reserve(c.columnBlock * c.depthBlock * elementBytes(c.rhsType()));
  if (c.blockSize) {
    c.startOffset = kernel.reserve(c.blocks() * c.columnBlock * elementBytes(c.sumType()));
    c.columnScaleOffset = kernel.reserve(c.blocks() * c.columnBlock * elementBytes(c.accumulator()));
    c.rowScaleOffset = kernel.reserve(c.rowBlock * c.blocks() * elementBytes(c.accumulator()));
  }
  llvm::append_range(kernel.parallel, graph::exprsOf(kernel.func.getGrid()));
  kernel.parallel.push_back(ceilDiv(c.columns, c.columnBlock));
  kernel.parallel.push_back(ceilDiv(c.rows, c.rowBlock));
  kernel.setGrain(std::min<double>(c.rowBlock, estimate(c.rows)) *
                  std::min<double>(c.columnBlock, estimate(c.columns)) * estimate(c.depth) / 16);
  return {};
}

} // namespace cupola::cpu
