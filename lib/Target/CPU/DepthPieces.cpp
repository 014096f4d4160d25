//===- lib/Target/CPU/DepthPieces.cpp - a depth made of digits, piece by piece ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/DepthPieces.h"
#include "lib/Target/CPU/Access.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {
namespace {

using Kind = Atom::Kind;

void collectDivisors(const Expr &e, const std::string &depth, std::set<int64_t> &divisors) {
  for (const Term &term : e.terms())
    for (const Factor &factor : term.factors) {
      const Atom &atom = *factor.atom;
      if (atom.kind() == Kind::Symbol || !atom.uses(depth))
        continue;
      std::set<int64_t> inner;
      collectDivisors(atom.lhs(), depth, inner);
      int64_t unit = inner.empty() ? 1 : *inner.rbegin();
      std::optional<int64_t> divisor = atom.rhs().constant();
      if (divisor && *divisor > 0 && *divisor <= INT32_MAX / unit &&
          (atom.kind() == Kind::FloorDiv || atom.kind() == Kind::Mod))
        divisors.insert(unit * *divisor);
      divisors.insert(inner.begin(), inner.end());
    }
}

/// Where memory is read, and what decides it; `numbers`: also indices that are numbers themselves.
void forEachAccess(Variables &vars, Region &operand, bool numbers,
                   function_ref<void(const Expr &, bool isCondition)> visit) {
  operand.walk([&](PositionInterface op) {
    if (!numbers && isa<IndexOp>(op))
      return;
    ValueRange indices = OperandRange(op.getIndicesMutable());
    for (StringRef name : {"position", "expr"})
      if (auto position = op->getAttrOfType<graph::ExprAttr>(name))
        visit(vars.read(position.getValue(), indices), false);
    for (StringRef name : {"point", "mask", "exprs"})
      if (auto list = op->getAttrOfType<ArrayAttr>(name))
        for (const Expr &e : vars.read(list, indices))
          visit(e, name != "point");
  });
}

/// rest + sign * floordiv(x, d) >= 0 without the division, for a sign of 1 or -1.
std::optional<Expr> withoutDivision(const Expr &e) {
  for (const Term &term : e.terms()) {
    if (term.factors.size() != 1 || term.factors[0].power != 1 || std::abs(term.coefficient) != 1)
      continue;
    const Atom &atom = *term.factors[0].atom;
    std::optional<int64_t> divisor = atom.kind() == Kind::FloorDiv ? atom.rhs().constant() : std::nullopt;
    if (!divisor || *divisor <= 0 || !atom.uses(kPlace))
      continue;
    Expr rest = e - Expr::fromTerms({term}, 0);
    if (rest.uses(kPlace))
      continue;
    return term.coefficient > 0 ? rest * *divisor + atom.lhs() : rest * *divisor + (*divisor - 1) - atom.lhs();
  }
  return std::nullopt;
}

bool isLinearIn(const Expr &e, const char *symbol) {
  std::optional<Expr> step = e.coefficient(symbol);
  return step && step->constant();
}

/// The largest divisor of `size` that is at most `most`.
int64_t dividedTo(int64_t size, int64_t most) {
  int64_t parts = 1;
  while (size % parts != 0 || size / parts > most)
    ++parts;
  return size / parts;
}

} // namespace

std::set<int64_t> depthDivisors(Variables &vars, DotOp dot, Region &operand) {
  std::set<int64_t> divisors;
  std::string depth = vars.name(indicesOf(dot).k);
  forEachAccess(vars, operand, /*numbers=*/true, [&](const Expr &e, bool) { collectDivisors(e, depth, divisors); });
  return divisors;
}

Expr DepthPieces::position(const Expr &e) const {
  if (size == 0 || !e.uses(depth))
    return e;
  const Expr piece = Expr::symbol(kPiece) * group + written;
  return simplify(e.substitute({{depth, piece * size + Expr::symbol(kPlace)}}), ranges);
}

/// Where they are as many as a row of the window has, a part of that or several of it.
int64_t DepthPieces::groupOf(int64_t pieces) const {
  constexpr int64_t most = 32;
  const auto fits = [&](int64_t count) {
    return pieces % count == 0 && llvm::all_of(divisors, [&](int64_t divisor) {
             return divisor < size || divisor % (count * size) == 0 || (count * size) % divisor == 0;
           });
  };
  for (int64_t count = std::min(most, pieces); count > 1; --count)
    if (fits(count))
      return count;
  return 1;
}

Expr DepthPieces::condition(const Expr &e) const {
  Expr parts = position(e);
  if (size != 0)
    if (std::optional<Expr> turned = withoutDivision(parts))
      return simplify(*turned, ranges);
  return parts;
}

bool DepthPieces::isLinear(Variables &vars, Region &operand) const {
  bool all = true;
  forEachAccess(vars, operand, /*numbers=*/false, [&](const Expr &e, bool isCondition) {
    const Expr at = isCondition ? condition(e) : position(e);
    all &= isLinearIn(at, kPlace) || (!isCondition && repeatsOf(at, kPlace, ranges) > 1);
  });
  return all;
}

bool DepthPieces::hasUniformConditions(Variables &vars, Region &operand) const {
  bool all = true;
  forEachAccess(vars, operand, /*numbers=*/false,
                [&](const Expr &e, bool isCondition) { all &= !isCondition || !condition(e).uses(kPlace); });
  return all;
}

std::optional<DepthPieces> DepthPieces::ofSize(Variables &vars, DotOp dot, Region &operand, int64_t size) {
  DepthPieces pieces;
  if (size == 0)
    return pieces;
  std::optional<int64_t> depth = graph::exprsOf(dot.getExtents())[2].constant();
  if (!depth || *depth == 0 || *depth % size != 0)
    return std::nullopt;
  pieces.size = size;
  pieces.depth = vars.name(indicesOf(dot).k);
  pieces.ranges = vars.ranges();
  pieces.ranges[kPiece] = {Expr(0), Expr(*depth / size - 1)};
  pieces.ranges[kPlace] = {Expr(0), Expr(size - 1)};
  pieces.divisors = depthDivisors(vars, dot, operand);
  pieces.isUniform = pieces.hasUniformConditions(vars, operand);
  return pieces.isLinear(vars, operand) ? std::optional(pieces) : std::nullopt;
}

DepthPieces DepthPieces::of(Variables &vars, DotOp dot, Region &operand, int64_t most, int64_t lanes) {
  std::optional<int64_t> depth = graph::exprsOf(dot.getExtents())[2].constant();
  std::set<int64_t> divisors = depthDivisors(vars, dot, operand);
  if (!depth || *depth == 0 || divisors.empty())
    return {};
  divisors.insert(*depth);
  DepthPieces best;
  for (int64_t divisor : divisors) {
    std::optional<DepthPieces> candidate = ofSize(vars, dot, operand, dividedTo(divisor, most));
    if (!candidate)
      continue;
    // Whole vectors whose conditions are those of the piece are better than longer pieces.
    bool isGood = best.size >= lanes && best.isUniform;
    if (candidate->size > best.size && !(isGood && !candidate->isUniform))
      best = *candidate;
  }
  return best;
}

} // namespace cupola::cpu
