//===- lib/Planner/ExprDivide.cpp - division of polynomials --------------===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "lib/Planner/ExprDivide.h"

#include "lib/Planner/Checked.h"

#include <algorithm>

namespace cupola {
namespace {

/// The factors of t without those of `by`; nullopt if some are not there.
std::optional<std::vector<Factor>> divideFactors(const Term &t, const Term &by) {
  std::vector<Factor> left;
  auto j = by.factors.begin();
  for (const Factor &factor : t.factors) {
    if (j == by.factors.end() || factor.atom->compare(*j->atom) != 0) {
      left.push_back(factor);
      continue;
    }
    if (factor.power < j->power)
      return std::nullopt;
    if (factor.power > j->power)
      left.push_back({factor.atom, factor.power - j->power});
    ++j;
  }
  if (j != by.factors.end())
    return std::nullopt;
  return left;
}

/// t / by with the coefficient rounded towards zero; nullopt if that is 0.
std::optional<Expr> quotientOf(const Term &t, const Term &by, bool exact) {
  if (by.coefficient == -1 && t.coefficient == std::numeric_limits<int64_t>::min())
    return std::nullopt;
  int64_t coefficient = t.coefficient / by.coefficient;
  if (coefficient == 0 || (exact && t.coefficient % by.coefficient != 0))
    return std::nullopt;
  std::optional<std::vector<Factor>> factors = divideFactors(t, by);
  if (!factors)
    return std::nullopt;
  return Expr::fromTerms({{coefficient, std::move(*factors)}}, 0);
}

Division divideByConstant(const Expr &a, int64_t b) {
  std::optional<int64_t> offset = checkedFloorDiv(a.offset(), b);
  std::vector<Term> quotient, remainder;
  for (const Term &term : a.terms()) {
    if (b == -1 && term.coefficient == std::numeric_limits<int64_t>::min())
      return {Expr::overflow(), Expr::overflow()};
    if (int64_t q = term.coefficient / b)
      quotient.push_back({q, term.factors});
    if (int64_t r = term.coefficient % b)
      remainder.push_back({r, term.factors});
  }
  if (!offset)
    return {Expr::overflow(), Expr::overflow()};
  return {Expr::fromTerms(std::move(quotient), *offset),
          Expr::fromTerms(std::move(remainder), *checkedMod(a.offset(), b))};
}

size_t length(const Expr &e) { return e.terms().size() + (e.offset() != 0); }

/// One step of divide(): false if no multiple of b can be taken out.
bool takeMultiple(Division &division, const Expr &b) {
  const Term &lead = b.terms()[0];
  for (const Term &term : division.remainder.terms()) {
    std::optional<Expr> q = quotientOf(term, lead, /*exact=*/false);
    if (!q)
      continue;
    Expr rest = division.remainder - *q * b;
    if (rest.overflowed())
      continue;
    // A single-term b only ever shrinks coefficients; a longer one has to pay.
    if (length(b) > 1 && length(rest) >= length(division.remainder))
      continue;
    division.quotient += *q;
    division.remainder = rest;
    return true;
  }
  return false;
}

void keepCommon(Term &common, const Term &term) {
  common.coefficient = int64_t(std::gcd(magnitude(common.coefficient), magnitude(term.coefficient)));
  std::vector<Factor> kept;
  auto j = term.factors.begin();
  for (const Factor &factor : common.factors) {
    while (j != term.factors.end() && j->atom->compare(*factor.atom) < 0)
      ++j;
    if (j != term.factors.end() && j->atom->compare(*factor.atom) == 0)
      kept.push_back({factor.atom, std::min(factor.power, j->power)});
  }
  common.factors = std::move(kept);
}

} // namespace

Division divide(const Expr &a, const Expr &b) {
  if (std::optional<int64_t> constant = b.constant())
    return divideByConstant(a, *constant);
  Division division{0, a};
  if (!a.overflowed() && !b.overflowed())
    while (takeMultiple(division, b))
      ;
  return division;
}

Division divideTerms(const Expr &a, const Expr &g) {
  Term by = g.constant() ? Term{*g.constant(), {}} : g.terms()[0];
  Expr quotient, remainder;
  if (by.factors.empty()) {
    quotient = *checkedFloorDiv(a.offset(), by.coefficient);
    remainder = *checkedMod(a.offset(), by.coefficient);
  } else {
    remainder = a.offset();
  }
  for (const Term &term : a.terms())
    if (std::optional<Expr> q = quotientOf(term, by, /*exact=*/true))
      quotient += *q;
    else
      remainder += Expr::fromTerms({term}, 0);
  return {quotient, remainder};
}

std::optional<Expr> exactQuotient(const Expr &a, const Expr &b) {
  if (a.overflowed() || b.overflowed() || b.isConstant(0))
    return std::nullopt;
  Expr quotient, rest = a;
  Term lead = b.constant() ? Term{*b.constant(), {}} : b.terms()[0];
  // Each step removes the leading term of the rest, so the rest gets smaller in
  // the monomial order; the limit is for time only.
  for (int step = 0; step < 64 && !rest.isConstant(0); ++step) {
    Term first = rest.constant() ? Term{*rest.constant(), {}} : rest.terms()[0];
    std::optional<Expr> q = quotientOf(first, lead, /*exact=*/true);
    if (!q)
      return std::nullopt;
    quotient += *q;
    rest -= *q * b;
    if (rest.overflowed())
      return std::nullopt;
  }
  return rest.isConstant(0) ? std::optional<Expr>(quotient) : std::nullopt;
}

Expr commonFactor(const Expr &a, const Expr &b) {
  std::optional<Term> common;
  auto keep = [&](const Term &term) {
    if (common)
      keepCommon(*common, term);
    else
      common = term;
  };
  for (const Expr *e : {&a, &b}) {
    for (const Term &term : e->terms())
      keep(term);
    if (e->offset() != 0)
      keep({e->offset(), {}});
  }
  if (!common)
    return 1;
  // Only |INT64_MIN| is not representable; 1 is a common factor, too.
  uint64_t size = magnitude(common->coefficient);
  common->coefficient = size > uint64_t(std::numeric_limits<int64_t>::max()) ? 1 : int64_t(size);
  return Expr::fromTerms({*common}, 0);
}

Expr exprOf(std::shared_ptr<const Atom> atom) {
  std::vector<Term> terms(1);
  terms[0].factors.push_back({std::move(atom), 1});
  return Expr::fromTerms(std::move(terms), 0);
}

std::shared_ptr<const Atom> onlyAtom(const Expr &e) {
  if (e.terms().size() != 1)
    return nullptr;
  const Term &term = e.terms()[0];
  return term.coefficient == 1 && term.degree() == 1 ? term.factors[0].atom : nullptr;
}

} // namespace cupola
