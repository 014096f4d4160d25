//===- lib/Target/CPU/Schedules/Contraction.cpp - blocks and operands of a contraction ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/KernelPlan.h"
#include "lib/Target/CPU/Schedules/Schedules.h"

#include <algorithm>

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {
namespace {

constexpr int64_t kDepthBlock = 512;

/// Rows and columns of an iteration: few, so that threads have something to share, but
/// an operand that is copied should serve many rows or columns.
void chooseBlocks(Contraction &c, const CpuArchitecture &isa) {
  bool copies = c.lhs == OperandForm::Copied;
  c.rowBlock = blockOf(c.rows, isa.tileRows, c.rhs == OperandForm::Copied ? 128 : copies ? 64 : 32);
  int64_t columns = !copies && estimate(c.depth) > 768 ? 48 : 96;
  c.columnBlock = blockOf(c.columns, c.panel, columns);
  // Threads share what there is.
  constexpr double kFewBlocks = 8;
  if (estimate(ceilDiv(c.columns, c.columnBlock) * ceilDiv(c.rows, c.rowBlock)) < kFewBlocks)
    c.columnBlock = std::min(c.columnBlock, 2 * c.panel);
}

OperandForm rhsForm(Variables &vars, FuncOp func, Contraction &c, const CpuArchitecture &isa) {
  if (c.isPacked(func))
    return OperandForm::Packed;
  if (!c.isRhsContiguous(vars))
    return OperandForm::Copied;
  // Reading rows far from each other costs more than copying them, unless each is
  // read once or the row is short.
  std::optional<int64_t> rows = bounds(c.rows, vars.ranges()).hi, columns = bounds(c.columns, vars.ranges()).hi;
  bool isReadOnce = rows && *rows <= isa.tileRows;
  return isReadOnce || (columns && *columns <= c.panel) ? OperandForm::Direct : OperandForm::Copied;
}

} // namespace

int64_t blockOf(const Expr &extent, int64_t unit, int64_t wanted) {
  wanted = llvm::alignTo(wanted, unit);
  std::optional<int64_t> known = extent.constant();
  if (!known)
    return wanted;
  int64_t blocks = std::max<int64_t>(1, (*known + wanted / 2) / wanted);
  return std::max<int64_t>(unit, llvm::alignTo((*known + blocks - 1) / blocks, unit));
}

Result<ContractionAttr> chooseContraction(FuncOp func, const CpuArchitecture &isa) {
  Variables vars(func);
  Result<Contraction> read = readContraction(vars, func);
  CUPOLA_TRY(read.status());
  Contraction &c = *read;
  c.panel = panelWidth(c.accumulator(), isa);
  c.lhs = c.isLhsContiguous(vars) ? OperandForm::Direct : OperandForm::Copied;
  int64_t piece = 0;
  if (c.lhs == OperandForm::Copied)
    piece = DepthPieces::of(vars, c.dot, c.dot.getLhs(), kDepthBlock, isa.lanes()).size;
  c.depthBlock = blockOf(c.depth, std::max<int64_t>(piece, 1), kDepthBlock);
  c.rhs = rhsForm(vars, func, c, isa);
  chooseBlocks(c, isa);
  return ContractionAttr::get(func.getContext(), c.rowBlock, c.columnBlock, c.depthBlock, c.panel, c.lhs, c.rhs, piece);
}

} // namespace cupola::cpu
