//===- lib/Target/CPU/ResultRows.cpp - results of a product that are neighbours along its rows ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/ResultRows.h"
#include "lib/Target/CPU/KernelPlan.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

Aliases piecesOfRow(const std::string &row, const Expr &rows) {
  return {{row, rows * Expr::symbol(kRowPiece) + Expr::symbol(kRowPlace)}};
}

/// The d of every floordiv(row, d) in what `loop` stores to, large ones first.
static std::vector<Expr> divisorsOf(Variables &vars, ForeachOp loop, const std::string &row) {
  std::set<Expr> divisors;
  loop.walk([&](StoreOp store) {
    const Expr position = vars.read(store.getPosition(), store.getIndices());
    for (const Term &term : position.terms())
      for (const Factor &factor : term.factors)
        if (factor.atom->kind() == Atom::Kind::FloorDiv && factor.atom->lhs().asSymbol() == row)
          divisors.insert(factor.atom->rhs());
  });
  std::vector<Expr> sorted(divisors.begin(), divisors.end());
  llvm::sort(sorted, [](const Expr &a, const Expr &b) {
    const double sizeA = estimate(a), sizeB = estimate(b);
    return sizeA != sizeB ? sizeA > sizeB : a < b;
  });
  return sorted;
}

std::optional<Expr> resultRowsOf(Variables &vars, FuncOp func, const StoredTiles &tiles, unsigned lanes) {
  std::optional<Expr> common;
  for (auto loop : func.getBody().getOps<ForeachOp>()) {
    const std::vector<std::string> names = vars.names(loop.getBody().getArguments());
    const graph::Exprs extents = graph::exprsOf(loop.getExtents());
    const auto isBest = [&](const Expr &rows) {
      if (rows == extents[0])
        return chooseVector(vars, names, extents, loop.getBody().front(), tiles, lanes) == 0u;
      Substitution made{piecesOfRow(names[0], rows), vars.ranges()};
      made.ranges[kRowPiece] = {Expr(0), std::nullopt};
      made.ranges[kRowPlace] = {Expr(0), rows - 1};
      return chooseVector(vars, {kRowPlace, names[1]}, {rows, extents[1]}, loop.getBody().front(), tiles, lanes,
                          /*hasLanes=*/false, made) == 0u;
    };
    std::vector<Expr> lengths{extents[0]};
    llvm::append_range(lengths, divisorsOf(vars, loop, names[0]));
    const auto best = llvm::find_if(lengths, isBest);
    if (best == lengths.end() || (common && *common != *best))
      return std::nullopt;
    common = *best;
  }
  return common;
}

} // namespace cupola::cpu
