//===- lib/Target/CPU/Schedules/Contraction.cpp - blocks of a product by micro-kernels ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A left operand is read where it lies if that can be; how a right one is read, and how many
// columns a block has, is a matter of cost.

#include "lib/Target/CPU/Code.h"
#include "lib/Target/CPU/Places.h"
#include "lib/Target/CPU/Schedules/Schedules.h"

#include <numeric>

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

/// Into scratch memory, all rows or those that a border meets.
static bool isCopied(OperandForm lhs) { return lhs == OperandForm::Copied || lhs == OperandForm::Runs; }
static bool hasPieces(OperandForm lhs) { return isCopied(lhs) || lhs == OperandForm::Places; }

/// Elements of the depth that a block takes: what it has of a panel is in the second cache. Words of several elements
/// are so many fewer.
static int64_t mostDepth(const Contraction &c) { return c.depthUnit == 1 ? 512 : 1024; }

/// Elements of the depth for which a tile is read and written again.
static constexpr int64_t kLeastPart = 64;

/// Rows of an iteration: few, so that threads have something to share, but an operand that is
/// copied should serve many. Few columns want all of the depth, and as many copied rows of that as the second cache
/// holds.
static int64_t rowBlock(const Contraction &c, OperandForm lhs, OperandForm rhs, const PanelShape &panel) {
  const bool copiesLhs = !c.isLhsContiguous;
  const int64_t tile = panel.rows;
  if (panel.alongDepth)
    return blockOf(c.rows, tile,
                   lhs == OperandForm::Copied ? std::clamp<int64_t>(32768 / *c.depth.constant(), 16, 64) : 64);
  return blockOf(c.rows, tile, rhs == OperandForm::Copied ? 128 : copiesLhs ? 64 : 32);
}

/// As many columns; fewer where the depth is long and nothing has to be copied again for it.
static int64_t columnBlock(const Contraction &c, int64_t panel) {
  return blockOf(c.columns, panel, c.isLhsContiguous && estimate(c.depth) > 768 ? 48 : 96);
}

static SmallVector<OperandForm> rhsForms(const Contraction &c, const PanelShape &panel) {
  if (c.isPacked)
    return {OperandForm::Packed};
  return c.isRhsContiguous && !panel.alongDepth ? SmallVector{OperandForm::Direct, OperandForm::Copied}
                                                : SmallVector{OperandForm::Copied};
}

/// Elements are elements of memory, and the depth is in one piece.
static bool mayLieInMemory(const Contraction &c) {
  return !c.isLhsContiguous && !c.blockSize && c.depthUnit == 1 && isa<FloatType>(c.lhsType());
}

/// Where the left operand lies in runs: of whole vectors, if these lie along the depth.
static std::optional<Runs> runsIn(KernelPlan &kernel, const PanelShape &panel, const CpuArchitecture &isa) {
  constexpr int64_t least = 3; // going on to the next one takes what an element takes
  const Contraction &c = *kernel.contraction;
  if (!mayLieInMemory(c))
    return std::nullopt;
  std::optional<Runs> runs = runsOf(kernel.vars, c.dot, c.lhsType(), panel.alongDepth ? packedUnitOf(c.dot, isa) : 1);
  return runs && runs->size >= least ? runs : std::nullopt;
}

/// The most elements of the depth that are whole runs or a part of one, and multiples of `unit`, as rows that a border
/// meets are copied; 0: those are few.
static int64_t depthOfRuns(const Contraction &c, const Runs &runs, int64_t unit) {
  const int64_t all = *c.depth.constant();
  for (int64_t depth = blockOf(c.depth, 1, mostDepth(c)); depth >= std::min(all, kLeastPart); --depth)
    if (depth % unit == 0 && (depth % runs.size == 0 || runs.size % depth == 0))
      return depth;
  return 0;
}

/// Whether a block of the depth may be one of these pieces, where it lies.
static bool hasPlaces(KernelPlan &kernel, const DepthPieces &pieces) {
  const Contraction &c = *kernel.contraction;
  return mayLieInMemory(c) && liesInPlaces(kernel.vars, c.dot, pieces, c.lhsType());
}

/// Where rows lie in runs they need no copy, but for those that a border meets; few columns take less time than a copy
/// would.
static OperandForm lhsForm(KernelPlan &kernel, const PanelShape &panel, bool hasRuns, const CpuArchitecture &isa) {
  Contraction &c = *kernel.contraction;
  if (c.isLhsContiguous)
    return OperandForm::Direct;
  if (hasRuns)
    return OperandForm::Runs;
  if (!panel.alongDepth)
    return OperandForm::Copied;
  Region &operand = c.dot.getLhs();
  const bool hasBorders = llvm::any_of(operand.getOps<LoadOp>(), [](LoadOp load) { return !load.getMask().empty(); });
  return !hasBorders && liesAlong(kernel.vars, operand, c.k, c.m, isa.lanes()) ? OperandForm::Computed
                                                                               : OperandForm::Copied;
}

/// Where a single tile of rows reads the right operand, memory decides. Its rows lie far from each other: few of them
/// at a time are read on from panel to panel, which costs a tile that is stored in between.
static constexpr int64_t kStreamedColumns = 192, kStreamedDepth = 32;
static bool isStreamed(const KernelPlan &kernel, const PanelShape &panel, OperandForm lhs) {
  const Contraction &c = *kernel.contraction;
  const std::optional<int64_t> rows = bounds(c.rows, kernel.vars.ranges()).hi;
  return lhs == OperandForm::Direct && c.isRhsContiguous && !c.isPacked && !panel.alongDepth && rows &&
         *rows <= panel.rows;
}

/// Elements of the depth that blocks should have some of: short pieces cost more than what they copy unless they are
/// written out in groups.
static int64_t groupLength(const Contraction &c, const DepthPieces &pieces, const CpuArchitecture &isa) {
  if (!pieces.size)
    return 1;
  const int64_t length = pieces.size * pieces.groupOf(*c.depth.constant() / pieces.size);
  return pieces.size <= 2 * isa.lanes() && length <= mostDepth(c) ? length : pieces.size;
}

LogicalResult ContractionAttr::verify(EmitError error, int64_t rows, int64_t columns, int64_t depth, int64_t panel,
                                      OperandForm lhs, OperandForm rhs, int64_t piece) {
  if (failed(verifyPositive(error, {rows, columns, depth, panel})) ||
      failed(verifyDivides(error, "the block's columns", columns, panel)))
    return failure();
  if (lhs == OperandForm::Packed || rhs > OperandForm::Packed)
    return error() << "a left operand is direct, copied, in runs or places or computed, a right one direct, copied or "
                      "packed";
  if (piece < 0 || (piece > 0 && !hasPieces(lhs)))
    return error() << "pieces are positive numbers of a left operand that is copied, or lies in places";
  return piece == 0 ? success() : verifyDivides(error, "the block's depth", depth, piece);
}

namespace {
/// How a left operand is read, and how much of the depth at a time.
struct Left {
  OperandForm form;
  DepthPieces pieces;
  int64_t unit = 1; ///< that blocks of the depth have multiples of
  int64_t depth = 0;
};
} // namespace

/// A block of the depth is a place where runs would be no longer, or are not equally far apart.
static Left readLeft(KernelPlan &kernel, const PanelShape &panel, const CpuArchitecture &isa) {
  Contraction &c = *kernel.contraction;
  const std::optional<Runs> runs = runsIn(kernel, panel, isa);
  Left left{lhsForm(kernel, panel, runs.has_value(), isa), {}};
  if (isCopied(left.form))
    left.pieces = DepthPieces::of(kernel.vars, c.dot, c.dot.getLhs(), mostDepth(c), isa.lanes());
  left.unit = std::lcm(groupLength(c, left.pieces, isa), std::max(c.depthUnit, c.blockSize));
  left.depth = panel.alongDepth ? *c.depth.constant() : blockOf(c.depth, left.unit, mostDepth(c));
  if (panel.alongDepth || !isCopied(left.form))
    return left;
  const int64_t place = left.pieces.size;
  const int64_t ofRuns = runs ? depthOfRuns(c, *runs, left.unit) : 0;
  const bool byPlaces = place >= kLeastPart && !c.depth.isConstant(place) && (!ofRuns || ofRuns == place) &&
                        hasPlaces(kernel, left.pieces);
  left.form = byPlaces ? OperandForm::Places : ofRuns ? OperandForm::Runs : OperandForm::Copied;
  if (byPlaces || ofRuns)
    left.depth = byPlaces ? place : ofRuns;
  return left;
}

Candidates ContractionAttr::candidates(KernelPlan &kernel, const CpuArchitecture &isa) {
  if (!kernel.contraction)
    return {};
  Contraction &c = *kernel.contraction;
  const PanelShape panel = panelOf(c.dot, isa);
  const int64_t columns = columnBlock(c, panel.columns);
  const Left left = readLeft(kernel, panel, isa);
  const auto candidate = [&](OperandForm rhs, int64_t width, int64_t length) {
    return ContractionAttr::get(kernel.func.getContext(), rowBlock(c, left.form, rhs, panel), width, length,
                                panel.columns, left.form, rhs, left.pieces.size);
  };
  if (isStreamed(kernel, panel, left.form))
    return {candidate(OperandForm::Direct, blockOf(c.columns, panel.columns, kStreamedColumns),
                      blockOf(c.depth, left.unit, kStreamedDepth))};
  Candidates all;
  for (OperandForm rhs : rhsForms(c, panel))
    for (int64_t width : {columns, std::min(columns, 2 * panel.columns)})
      all.push_back(candidate(rhs, width, left.depth));
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
  const int64_t tile = panelOf(c.dot, isa).rows;
  const double tiles = rows ? static_cast<double>(llvm::divideCeil(*rows, tile)) : 1e9;
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
static bool suits(ContractionAttr schedule, const Contraction &c, const PanelShape &panel) {
  return schedule.getPanel() == panel.columns && schedule.getRows() % panel.rows == 0 &&
         (schedule.getLhs() != OperandForm::Direct || c.isLhsContiguous) &&
         (schedule.getLhs() != OperandForm::Computed || (panel.alongDepth && !c.isLhsContiguous)) &&
         (schedule.getRhs() != OperandForm::Direct || (c.isRhsContiguous && !panel.alongDepth)) &&
         (schedule.getRhs() == OperandForm::Packed) == c.isPacked &&
         (panel.alongDepth ? c.depth.isConstant(schedule.getDepth())
                           : schedule.getDepth() % std::max(c.depthUnit, c.blockSize) == 0);
}

/// Of the left operand, in the form that the schedule says; whether it has that.
static bool planLeft(KernelPlan &kernel, const PanelShape &panel, const CpuArchitecture &isa) {
  Contraction &c = *kernel.contraction;
  if (c.lhs == OperandForm::Runs) {
    c.runs = runsIn(kernel, panel, isa);
    return c.runs && (c.depthBlock % c.runs->size == 0 || c.runs->size % c.depthBlock == 0);
  }
  return c.lhs != OperandForm::Places ||
         (!panel.alongDepth && c.depthBlock == c.pieces.size && hasPlaces(kernel, c.pieces));
}

/// Results, one column after the other, too, where lanes go along the rows.
static void reserveResults(KernelPlan &kernel, int64_t lanes) {
  Contraction &c = *kernel.contraction;
  const int64_t bytes = elementBytes(c.accumulator());
  const bool isTurned = c.resultRows && bytes == 4 && c.panel % lanes == 0;
  c.tileOffset = kernel.reserve((c.rowBlock * c.columnBlock + (isTurned ? lanes * c.panel : 0)) * bytes);
  if (isTurned)
    c.turnedOffset = kernel.reserve(c.panel * c.turnedPitch(lanes) * bytes);
}

static void reserveOperands(KernelPlan &kernel, const CpuArchitecture &isa) {
  Contraction &c = *kernel.contraction;
  if (c.lhs == OperandForm::Runs || c.lhs == OperandForm::Places)
    c.tableOffset = kernel.reserve((2 * c.rowBlock + c.rowBlock / c.tileRows) * static_cast<int64_t>(sizeof(int64_t)));
  if (c.lhs == OperandForm::Places)
    c.lhsOffset = kernel.reserve(c.depthBlock * elementBytes(c.lhsType()));
  if (isCopied(c.lhs))
    c.lhsOffset = kernel.reserve(c.rowBlock * (c.depthBlock + isa.lanes()) * elementBytes(c.lhsType()));
  if (c.rhs == OperandForm::Copied)
    c.rhsOffset = kernel.reserve(c.columnBlock * llvm::alignTo(c.depthBlock, packedUnitOf(c.dot, isa)) *
                                 elementBytes(c.rhsType()));
  if (!c.blockSize)
    return;
  if (!c.areScalesPacked)
    c.columnScaleOffset = kernel.reserve(c.blocks() * c.columnBlock * elementBytes(c.accumulator()));
  c.startOffset = kernel.reserve(c.rowBlock * c.blocks() * elementBytes(c.sumType()));
  c.rowScaleOffset = kernel.reserve(c.rowBlock * c.blocks() * elementBytes(c.accumulator()));
}

Status ContractionAttr::plan(KernelPlan &kernel, const CpuArchitecture &isa) const {
  if (!kernel.contraction)
    return doesNotSuit(kernel.func, isa);
  Contraction &c = *kernel.contraction;
  const PanelShape panel = panelOf(c.dot, isa);
  if (!suits(*this, c, panel))
    return doesNotSuit(kernel.func, isa);
  std::optional<DepthPieces> pieces = DepthPieces::ofSize(kernel.vars, c.dot, c.dot.getLhs(), getPiece());
  if (!pieces)
    return doesNotSuit(kernel.func, isa);
  if (pieces->size)
    pieces->group = pieces->groupOf(std::gcd(getDepth(), *c.depth.constant()) / pieces->size);
  c.pieces = *pieces;
  c.lhs = getLhs();
  c.rhs = getRhs();
  c.rowBlock = getRows();
  c.columnBlock = getColumns();
  c.depthBlock = getDepth();
  c.panel = getPanel();
  c.tileRows = panel.rows;
  c.isAlongDepth = panel.alongDepth;
  c.resultRows = resultRowsOf(kernel.vars, kernel.func, kernel.tiles, isa.lanes());
  if (!planLeft(kernel, panel, isa))
    return doesNotSuit(kernel.func, isa);
  reserveResults(kernel, isa.lanes());
  reserveOperands(kernel, isa);
  llvm::append_range(kernel.parallel, graph::exprsOf(kernel.func.getGrid()));
  kernel.parallel.push_back(ceilDiv(c.columns, c.columnBlock));
  kernel.parallel.push_back(ceilDiv(c.rows, c.rowBlock));
  kernel.setGrain(std::min<double>(c.rowBlock, estimate(c.rows)) *
                  std::min<double>(c.columnBlock, estimate(c.columns)) * estimate(c.depth) / 16);
  return {};
}

} // namespace cupola::cpu
