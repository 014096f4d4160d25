//===- lib/Planner/ExprProver.cpp - proofs of e >= 0 ---------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// In order: interval arithmetic; all terms non-negative once every atom is
// counted from its lower bound; else one atom is replaced by a bound of it, on
// the side that makes the expression smaller, and the question asked again.
//===----------------------------------------------------------------------===//
#include "lib/Planner/ExprProver.h"

#include "lib/Planner/ExprDivide.h"

#include <algorithm>

namespace cupola {
namespace {

using Kind = Atom::Kind;

// Both far above what index expressions need: they keep adverse input cheap.
constexpr int maxSteps = 48;
constexpr int maxProofDepth = 8;
constexpr uint32_t maxShiftedDegree = 4;

/// The atoms of e itself, in the order to remove them: an atom before what it is
/// made of, symbols with symbolic bounds before those their bounds use.
std::vector<Factor> removalOrder(const Expr &e, const Ranges &ranges) {
  std::vector<Factor> atoms;
  for (const Term &term : e.terms())
    for (const Factor &factor : term.factors)
      atoms.push_back(factor);
  auto rank = [&](const Factor &factor) {
    if (factor.atom->kind() != Kind::Symbol)
      return 0;
    auto it = ranges.find(factor.atom->name());
    auto symbolic = [](const std::optional<Expr> &bound) { return bound && !bound->constant(); };
    bool early = it != ranges.end() && (symbolic(it->second.lo) || symbolic(it->second.hi));
    return early ? 1 : 2;
  };
  std::sort(atoms.begin(), atoms.end(), [&](const Factor &a, const Factor &b) {
    int rankA = rank(a), rankB = rank(b);
    return rankA != rankB ? rankA < rankB : a.atom->compare(*b.atom) < 0;
  });
  auto same = [](const Factor &a, const Factor &b) { return a.atom->compare(*b.atom) == 0; };
  atoms.erase(std::unique(atoms.begin(), atoms.end(), same), atoms.end());
  return atoms;
}

/// e = c * atom + rest. The atom may still be in c and rest: what is proved by
/// bounding some of its occurrences is proved.
std::pair<Expr, Expr> splitAt(const Expr &e, const Atom &atom) {
  std::vector<Term> with, without;
  for (const Term &term : e.terms()) {
    Term rest{term.coefficient, {}};
    bool found = false;
    for (const Factor &factor : term.factors) {
      bool hit = factor.atom->compare(atom) == 0;
      found |= hit;
      if (!hit || factor.power > 1)
        rest.factors.push_back({factor.atom, factor.power - uint32_t(hit)});
    }
    (found ? with : without).push_back(std::move(rest));
  }
  return {Expr::fromTerms(std::move(with), 0), Expr::fromTerms(std::move(without), e.offset())};
}

} // namespace

bool ExprProver::nonNegative(const Expr &e) {
  steps = maxSteps;
  return nonNegative(e, 0);
}

bool ExprProver::nonNegative(const Expr &e, int depth) {
  if (e.overflowed() || depth > maxProofDepth || --steps < 0)
    return false;
  Interval interval = bounds(e);
  if (interval.lo && *interval.lo >= 0)
    return true;
  if (interval.hi && *interval.hi < 0)
    return false;
  if (allTermsNonNegative(e))
    return true;
  for (const Factor &factor : removalOrder(e, ranges))
    if (Proof proof = withoutAtom(e, *factor.atom, depth + 1))
      return *proof;
  return false;
}

/// With every atom written as its lower bound + t, or its upper bound - t, for a
/// t >= 0: are all coefficients non-negative?
bool ExprProver::allTermsNonNegative(const Expr &e) {
  // Terms of the highest degree keep their coefficients where all atoms have a
  // lower bound: the usual reason to fail, found without building anything.
  uint32_t degree = e.terms()[0].degree();
  bool fromBelow = true, negative = false;
  for (const Term &term : e.terms()) {
    for (const Factor &factor : term.factors) {
      Interval interval = bounds(*factor.atom, 0);
      if (!interval.lo && !interval.hi)
        return false;
      fromBelow &= interval.lo.has_value();
    }
    negative |= term.coefficient < 0 && term.degree() == degree;
  }
  if (degree > maxShiftedDegree || (fromBelow && negative))
    return false;
  Expr shifted = e.offset();
  for (const Term &term : e.terms()) {
    Expr product = term.coefficient;
    for (const Factor &factor : term.factors) {
      Interval interval = bounds(*factor.atom, 0);
      Expr t = exprOf(factor.atom);
      Expr value = interval.lo ? t + *interval.lo : Expr(*interval.hi) - t;
      for (uint32_t i = 0; i < factor.power; ++i)
        product *= value;
    }
    shifted += product;
  }
  auto nonNegativeTerm = [](const Term &term) { return term.coefficient >= 0; };
  return !shifted.overflowed() && shifted.offset() >= 0 &&
         std::all_of(shifted.terms().begin(), shifted.terms().end(), nonNegativeTerm);
}

/// 1: e >= 0, -1: e <= 0, 0: not known.
int ExprProver::signOf(const Expr &e, int depth) {
  if (std::optional<int64_t> value = e.constant())
    return *value >= 0 ? 1 : -1;
  return nonNegative(e, depth) ? 1 : nonNegative(-e, depth) ? -1 : 0;
}

ExprProver::Proof ExprProver::withoutAtom(const Expr &e, const Atom &atom, int depth) {
  auto [c, rest] = splitAt(e, atom);
  if (atom.kind() == Kind::Symbol)
    return withoutSymbol(c, atom, rest, depth);
  if (atom.kind() == Kind::Min || atom.kind() == Kind::Max)
    return withoutMinMax(c, atom, rest, depth);
  return withoutDivision(c, atom, rest, depth);
}

ExprProver::Proof ExprProver::withoutSymbol(const Expr &c, const Atom &atom, const Expr &rest, int depth) {
  auto it = ranges.find(atom.name());
  int sign = it == ranges.end() ? 0 : signOf(c, depth);
  if (sign == 0)
    return std::nullopt;
  const std::optional<Expr> &bound = sign > 0 ? it->second.lo : it->second.hi;
  return bound ? Proof(nonNegative(c * *bound + rest, depth)) : std::nullopt;
}

ExprProver::Proof ExprProver::withoutMinMax(const Expr &c, const Atom &atom, const Expr &rest, int depth) {
  // The atom is one of its operands, so both must do; one is enough where the
  // atom's being smaller (larger) than it only helps.
  int sign = signOf(c, depth);
  bool oneIsEnough = sign == (atom.kind() == Kind::Min ? -1 : 1);
  bool first = nonNegative(c * atom.lhs() + rest, depth);
  if (first == oneIsEnough)
    return first;
  if (nonNegative(c * atom.rhs() + rest, depth))
    return true;
  // The atom helps at least as much as the mean of both; e is an integer: it is >= 0 where 2 * e >= -1.
  return oneIsEnough && nonNegative(c * (atom.lhs() + atom.rhs()) + rest * 2 + 1, depth);
}

ExprProver::Proof ExprProver::withoutDivision(const Expr &c, const Atom &atom, const Expr &rest, int depth) {
  const Expr &x = atom.lhs(), &y = atom.rhs();
  int sign = signOf(c, depth);
  if (sign == 0 || signOf(y, depth) <= 0) // y >= 0 means y >= 1: 0 has no value
    return std::nullopt;
  if (atom.kind() == Kind::Mod) {
    if (sign > 0)
      return nonNegative(rest, depth);
    return nonNegative(c * (y - 1) + rest, depth) || (nonNegative(x, depth) && nonNegative(c * x + rest, depth));
  }
  // The quotient is at least (at most) numerator / y; multiply by y, unless c
  // is a multiple of it. e is an integer: it is >= 0 where y * e > -y.
  bool up = atom.kind() == Kind::CeilDiv;
  Expr numerator = sign > 0 ? (up ? x : x - y + 1) : (up ? x + y - 1 : x);
  std::optional<Expr> exact = exactQuotient(c, y);
  return nonNegative(exact ? *exact * numerator + rest : c * numerator + y * rest + (y - 1), depth);
}

std::optional<bool> proveEqual(const Expr &a, const Expr &b, const Ranges &ranges) {
  Expr difference = simplify(a - b, ranges);
  if (difference.overflowed())
    return std::nullopt;
  if (std::optional<int64_t> value = difference.constant())
    return *value == 0;
  // 4*x + 2 is never 0.
  Expr content = commonFactor(difference - difference.offset(), 0);
  int64_t scale = content.constant() ? *content.constant() : content.terms()[0].coefficient;
  if (difference.offset() % scale != 0)
    return false;
  ExprProver prover(ranges);
  bool atLeast = prover.nonNegative(difference), atMost = prover.nonNegative(-difference);
  if (atLeast && atMost)
    return true;
  if ((atLeast || !atMost) && prover.positive(difference))
    return false;
  if (!atLeast && prover.positive(-difference))
    return false;
  return std::nullopt;
}

std::optional<bool> proveLessEqual(const Expr &a, const Expr &b, const Ranges &ranges) {
  ExprProver prover(ranges);
  if (prover.lessEqual(a, b))
    return true;
  if (prover.lessEqual(b + 1, a))
    return false;
  return std::nullopt;
}

std::optional<bool> proveLess(const Expr &a, const Expr &b, const Ranges &ranges) {
  return proveLessEqual(a + 1, b, ranges);
}

} // namespace cupola
