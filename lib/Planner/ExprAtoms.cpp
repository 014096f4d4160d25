//===- lib/Planner/ExprAtoms.cpp - floordiv, ceildiv, mod, min, max ------===//
// SPDX-License-Identifier: Apache-2.0
//
// What these do without knowing anything about the symbols: constants are
// folded, multiples of the divisor leave the dividend, common factors cancel,
// nested divisions join, operands of minima are a set. All of it keeps the value
// wherever there is one, and a division that may be by zero stays a division.
//===----------------------------------------------------------------------===//
#include "lib/Planner/Checked.h"
#include "lib/Planner/ExprDivide.h"

#include <algorithm>

namespace cupola {
namespace {

using Kind = Atom::Kind;

Expr rawAtom(Kind kind, const Expr &a, const Expr &b) { return exprOf(std::make_shared<const Atom>(kind, a, b)); }

/// e / d for a d that divides all coefficients.
Expr scaledDown(const Expr &e, int64_t d) { return d == 1 ? e : divide(e, d).quotient; }

/// The greatest common divisor of d and the coefficients of all terms of e.
int64_t contentOfTerms(const Expr &e, int64_t d) {
  uint64_t content = magnitude(d);
  for (const Term &term : e.terms())
    content = std::gcd(content, magnitude(term.coefficient));
  return int64_t(content);
}

Expr floorDivByConstant(const Expr &a, int64_t b) {
  if (b < 0)
    return floorDiv(-a, -Expr(b));
  Division division = divide(a, b);
  Expr rest = division.remainder;
  if (rest.constant())
    return division.quotient;
  // floor((g*x + k) / (g*c)) = floor((x + floor(k/g)) / c)
  if (int64_t g = contentOfTerms(rest, b); g > 1) {
    rest = scaledDown(rest - *checkedMod(rest.offset(), g), g);
    b /= g;
  }
  std::shared_ptr<const Atom> inner = onlyAtom(rest);
  if (inner && inner->kind() == Kind::FloorDiv) {
    Expr divisor = inner->rhs() * b;
    Expr dividend = inner->lhs() + inner->rhs() * rest.offset();
    if (!divisor.overflowed() && !dividend.overflowed())
      return division.quotient + floorDiv(dividend, divisor);
  }
  // floor((x mod n) / b) = floor(x / b) mod (n / b)
  if (inner && inner->kind() == Kind::Mod && rest.offset() == 0)
    if (std::optional<int64_t> n = inner->rhs().constant(); n && *n % b == 0)
      return division.quotient + mod(floorDiv(inner->lhs(), b), *n / b);
  return division.quotient + rawAtom(Kind::FloorDiv, rest, b);
}

/// Replaces c*mod(x, n) by c*x in a dividend of mod(..., b) where b divides n.
std::optional<Expr> withoutInnerMod(const Expr &a, const Expr &b) {
  for (const Term &term : a.terms()) {
    if (term.degree() != 1 || term.factors[0].atom->kind() != Kind::Mod)
      continue;
    const Atom &inner = *term.factors[0].atom;
    if (inner.rhs().isConstant(0) || !exactQuotient(inner.rhs(), b))
      continue;
    Expr replaced = a - Expr::fromTerms({term}, 0) + inner.lhs() * term.coefficient;
    if (!replaced.overflowed())
      return replaced;
  }
  return std::nullopt;
}

Expr modByConstant(const Expr &a, int64_t b) {
  if (b < 0)
    return -mod(-a, -Expr(b));
  Expr rest = divide(a, b).remainder;
  if (rest.constant())
    return rest;
  if (std::optional<Expr> replaced = withoutInnerMod(rest, b))
    return modByConstant(*replaced, b);
  // (g*x + k) mod (g*c) = g*((x + floor(k/g)) mod c) + k mod g
  int64_t g = contentOfTerms(rest, b);
  int64_t low = *checkedMod(rest.offset(), g);
  if (g > 1)
    return modByConstant(scaledDown(rest - low, g), b / g) * g + low;
  return rawAtom(Kind::Mod, rest, b);
}

/// floordiv, ceildiv or mod by an expression, which may be 0.
Expr divideBySymbols(Kind kind, Expr a, Expr b) {
  Expr common = commonFactor(a, b);
  int64_t scale = common.constant() ? *common.constant() : common.terms()[0].coefficient;
  if (!b.constant() && b.terms()[0].coefficient < 0)
    scale = -scale;
  a = scaledDown(a, scale);
  b = scaledDown(b, scale);
  Division division = divide(a, b);
  // With nothing left over, taking out the multiple would hide a division by 0.
  if (division.remainder.isConstant(0))
    division = {0, a};
  if (kind != Kind::Mod)
    return division.quotient + rawAtom(kind, division.remainder, b);
  if (std::optional<Expr> replaced = withoutInnerMod(division.remainder, b))
    return mod(*replaced, b) * scale;
  return rawAtom(kind, division.remainder, b) * scale;
}

//===-- min, max ----------------------------------------------------------===//

/// More operands than this are not flattened.
constexpr size_t maxOperands = 32;

void collectOperands(Kind kind, const Expr &e, std::vector<Expr> &operands) {
  const Term *only = nullptr;
  for (const Term &term : e.terms()) {
    if (term.degree() != 1 || term.coefficient < 0 || term.factors[0].atom->kind() != kind)
      continue;
    if (only) { // a sum of two minima stays one operand
      only = nullptr;
      break;
    }
    only = &term;
  }
  if (!only || operands.size() >= maxOperands) {
    operands.push_back(e);
    return;
  }
  Expr rest = e - Expr::fromTerms({*only}, 0);
  const Atom &atom = *only->factors[0].atom;
  collectOperands(kind, rest + atom.lhs() * only->coefficient, operands);
  collectOperands(kind, rest + atom.rhs() * only->coefficient, operands);
}

/// Sorted, without those that another one beats by a constant.
std::vector<Expr> withoutBeaten(Kind kind, const std::vector<Expr> &operands) {
  std::vector<Expr> kept;
  for (const Expr &candidate : operands) {
    bool beaten = false;
    for (Expr &other : kept) {
      std::optional<int64_t> difference = (candidate - other).constant();
      if (!difference)
        continue;
      if ((kind == Kind::Min) == (*difference < 0))
        other = candidate;
      beaten = true;
      break;
    }
    if (!beaten)
      kept.push_back(candidate);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

/// The terms that all operands have: min(x + a, x + b) = x + min(a, b).
Expr commonTerms(const std::vector<Expr> &operands) {
  std::vector<Term> common;
  for (const Term &term : operands[0].terms()) {
    Expr single = Expr::fromTerms({term}, 0);
    bool everywhere = std::all_of(operands.begin() + 1, operands.end(), [&](const Expr &e) {
      return std::any_of(e.terms().begin(), e.terms().end(), [&](const Term &other) {
        return other.coefficient == term.coefficient && Expr::fromTerms({other}, 0) == single;
      });
    });
    if (everywhere)
      common.push_back(term);
  }
  return Expr::fromTerms(std::move(common), 0);
}

/// `operands` are as withoutBeaten() leaves them.
Expr minMaxOf(Kind kind, std::vector<Expr> operands) {
  if (operands.size() == 1)
    return operands[0];
  Expr common = commonTerms(operands);
  for (Expr &e : operands)
    e -= common;
  std::sort(operands.begin(), operands.end());
  // Constants are last and there is at most one, so the first has terms.
  Expr base = operands[0].offset();
  uint64_t content = 0;
  for (Expr &e : operands) {
    e -= base;
    if (e.overflowed())
      return e;
    content = std::gcd(content, magnitude(e.offset()));
    for (const Term &term : e.terms())
      content = std::gcd(content, magnitude(term.coefficient));
  }
  int64_t scale = content > uint64_t(std::numeric_limits<int64_t>::max()) ? 1 : int64_t(content);
  for (Expr &e : operands)
    e = scaledDown(e, scale);
  Expr first = operands[0];
  operands.erase(operands.begin());
  return rawAtom(kind, first, minMaxOf(kind, std::move(operands))) * scale + base + common;
}

} // namespace

std::vector<Expr> operandsOf(Kind kind, const Expr &e) {
  std::vector<Expr> operands;
  collectOperands(kind, e, operands);
  return operands;
}

Expr makeAtom(Kind kind, const Expr &a, const Expr &b) {
  if (a.overflowed() || b.overflowed())
    return Expr::overflow();
  if (kind == Kind::Min || kind == Kind::Max) {
    std::vector<Expr> operands = operandsOf(kind, a);
    collectOperands(kind, b, operands);
    return minMaxOf(kind, withoutBeaten(kind, operands));
  }
  std::optional<int64_t> divisor = b.constant();
  if (!divisor)
    return divideBySymbols(kind, a, b);
  if (*divisor == 0)
    return rawAtom(kind, a, b);
  if (*divisor == -1 && kind == Kind::Mod)
    return 0; // also of INT64_MIN, which has no negative
  if (kind == Kind::Mod)
    return modByConstant(a, *divisor);
  if (kind == Kind::FloorDiv)
    return floorDivByConstant(a, *divisor);
  return *divisor < 0 ? ceilDiv(-a, -b) : floorDiv(a + (*divisor - 1), *divisor);
}

Expr floorDiv(const Expr &a, const Expr &b) { return makeAtom(Kind::FloorDiv, a, b); }
Expr ceilDiv(const Expr &a, const Expr &b) { return makeAtom(Kind::CeilDiv, a, b); }
Expr mod(const Expr &a, const Expr &b) { return makeAtom(Kind::Mod, a, b); }
Expr min(const Expr &a, const Expr &b) { return makeAtom(Kind::Min, a, b); }
Expr max(const Expr &a, const Expr &b) { return makeAtom(Kind::Max, a, b); }

} // namespace cupola
