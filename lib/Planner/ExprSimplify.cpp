//===- lib/Planner/ExprSimplify.cpp - simplification under ranges --------===//
// SPDX-License-Identifier: Apache-2.0
//
// Bottom up: every atom is rebuilt from its simplified operands with the rules
// below; then sums in which a division and its remainder meet are joined.
//===----------------------------------------------------------------------===//
#include "lib/Planner/Checked.h"
#include "lib/Planner/ExprDivide.h"
#include "lib/Planner/ExprProver.h"

#include <algorithm>

namespace cupola {
namespace {

using Kind = Atom::Kind;

/// Rules call each other on ever smaller operands; this bounds the stack.
constexpr int maxRuleDepth = 16;

size_t countTerms(const Expr &e) { return e.terms().size() + (e.offset() != 0); }

class Simplifier {
public:
  explicit Simplifier(const Ranges &ranges) : ranges(ranges), prover(ranges) {}

  Expr simplify(const Expr &e);

private:
  Expr simplifyAtom(const Factor &factor);
  bool isPlain(const Term &term) const;
  std::optional<Expr> onlyValue(const Atom &symbol) const;
  Expr minMaxOf(Kind kind, const Expr &a, const Expr &b);

  // Of a and b simplified already; b is not the constant 0.
  Expr division(Kind kind, const Expr &a, const Expr &b);
  Expr floorDivision(const Expr &a, const Expr &b);
  Expr modulo(const Expr &a, const Expr &b);
  std::optional<int64_t> quotientOfRest(const Expr &rest, const Expr &b);

  /// a = g * high + low with 0 <= low < g, and b = g * divisor, g > 0: the way
  /// mixed-radix digits come apart.
  struct Digits {
    Expr g, high, low, divisor;
  };
  std::optional<Digits> splitDigits(const Expr &a, const Expr &b);
  std::optional<Digits> splitDigits(const Expr &a, const Expr &b, const Expr &g);

  const Ranges &ranges;
  ExprProver prover;
  int depth = 0;
};

//===-- Joining divisions and remainders ----------------------------------===//

/// The first atom of a kind in a term, if it is not raised to a power.
const Factor *atomIn(const Term &term, Kind kind) {
  for (const Factor &factor : term.factors)
    if (factor.atom->kind() == kind && factor.power == 1)
      return &factor;
  return nullptr;
}
const Factor *modIn(const Term &term) { return atomIn(term, Kind::Mod); }

Expr without(const Term &term, const Factor &removed) {
  Term rest{term.coefficient, {}};
  for (const Factor &factor : term.factors)
    if (&factor != &removed)
      rest.factors.push_back(factor);
  return Expr::fromTerms({std::move(rest)}, 0);
}

/// c*floordiv(x, a) - c*n*floordiv(x, a*n) = c*mod(floordiv(x, a), n), for numbers a, n
std::optional<Expr> joinQuotients(const Expr &e) {
  for (const Term &term : e.terms()) {
    const Factor *quotient = atomIn(term, Kind::FloorDiv);
    std::optional<int64_t> b = quotient ? quotient->atom->rhs().constant() : std::nullopt;
    if (!b || *b < 2)
      continue;
    const Expr &x = quotient->atom->lhs();
    std::vector<int64_t> finer = {1};
    for (const Term &other : e.terms())
      if (const Factor *near = atomIn(other, Kind::FloorDiv); near && near->atom->lhs() == x)
        if (std::optional<int64_t> a = near->atom->rhs().constant(); a && *a > 1 && *a < *b && *b % *a == 0)
          finer.push_back(*a);
    for (int64_t a : finer) {
      const int64_t n = *b / a;
      if (term.coefficient % n != 0)
        continue;
      Expr c = exactQuotient(-without(term, *quotient), n).value_or(0), digit = floorDiv(x, a);
      Expr joined = e - Expr::fromTerms({term}, 0) - c * digit + c * mod(digit, n);
      if (!joined.overflowed() && countTerms(joined) < countTerms(e))
        return joined;
    }
  }
  return std::nullopt;
}

/// c*mod(x, b) + c*b*floordiv(x, b) = c*x
/// c*mod(x, b) + c*b*mod(floordiv(x, b), n) = c*mod(x, b*n)
std::optional<Expr> joinOnce(const Expr &e) {
  for (const Term &term : e.terms()) {
    const Factor *low = modIn(term);
    if (!low)
      continue;
    const Expr &x = low->atom->lhs(), &b = low->atom->rhs();
    Expr c = without(term, *low), quotient = floorDiv(x, b);
    Expr rest = e - Expr::fromTerms({term}, 0);
    Expr joined = rest - c * b * quotient + c * x;
    if (!joined.overflowed() && countTerms(joined) < countTerms(e))
      return joined;
    for (const Term &other : e.terms()) {
      const Factor *high = modIn(other);
      if (!high || high->atom->lhs() != quotient)
        continue;
      joined = rest - c * b * mod(quotient, high->atom->rhs()) + c * mod(x, b * high->atom->rhs());
      if (!joined.overflowed() && countTerms(joined) < countTerms(e))
        return joined;
    }
  }
  return joinQuotients(e);
}

//===-- Sums and atoms ----------------------------------------------------===//

/// Most terms are of symbols alone and stay as they are.
bool Simplifier::isPlain(const Term &term) const {
  return std::all_of(term.factors.begin(), term.factors.end(), [&](const Factor &factor) {
    return factor.atom->kind() == Kind::Symbol && !onlyValue(*factor.atom);
  });
}

std::optional<Expr> Simplifier::onlyValue(const Atom &symbol) const {
  auto it = ranges.find(symbol.name());
  if (it == ranges.end() || !it->second.lo || !it->second.hi)
    return std::nullopt;
  const Expr &lo = *it->second.lo;
  return lo.constant() && lo == *it->second.hi ? std::optional<Expr>(lo) : std::nullopt;
}

Expr Simplifier::simplify(const Expr &e) {
  std::vector<Term> plain;
  Expr result;
  for (const Term &term : e.terms()) {
    if (isPlain(term)) {
      plain.push_back(term);
      continue;
    }
    Expr product = term.coefficient;
    for (const Factor &factor : term.factors) {
      Expr value = simplifyAtom(factor);
      for (uint32_t i = 0; i < factor.power && !product.overflowed(); ++i)
        product *= value;
    }
    result += product;
  }
  if (plain.size() == e.terms().size())
    return e;
  result += Expr::fromTerms(std::move(plain), e.offset());
  while (std::optional<Expr> joined = joinOnce(result))
    result = *joined;
  return result;
}

Expr Simplifier::simplifyAtom(const Factor &factor) {
  const Atom &atom = *factor.atom;
  if (atom.kind() == Kind::Symbol)
    return onlyValue(atom).value_or(exprOf(factor.atom));
  Expr a = simplify(atom.lhs()), b = simplify(atom.rhs());
  if (a.overflowed() || b.overflowed() || (b.isConstant(0) && atom.kind() <= Kind::Mod))
    return makeAtom(atom.kind(), a, b);
  if (atom.kind() == Kind::Min || atom.kind() == Kind::Max)
    return minMaxOf(atom.kind(), a, b);
  return division(atom.kind(), a, b);
}

Expr Simplifier::minMaxOf(Kind kind, const Expr &a, const Expr &b) {
  Expr all = makeAtom(kind, a, b);
  if (all.overflowed() || all.constant())
    return all;
  std::vector<Expr> kept;
  for (const Expr &candidate : operandsOf(kind, all)) {
    auto beats = [&](const Expr &x, const Expr &y) {
      return kind == Kind::Min ? prover.lessEqual(x, y) : prover.lessEqual(y, x);
    };
    if (std::any_of(kept.begin(), kept.end(), [&](const Expr &e) { return beats(e, candidate); }))
      continue;
    kept.erase(std::remove_if(kept.begin(), kept.end(), [&](const Expr &e) { return beats(candidate, e); }),
               kept.end());
    kept.push_back(candidate);
  }
  Expr result = kept[0];
  for (size_t i = 1; i < kept.size(); ++i)
    result = makeAtom(kind, result, kept[i]);
  return result;
}

//===-- Division ----------------------------------------------------------===//

Expr Simplifier::division(Kind kind, const Expr &a, const Expr &b) {
  if (depth >= maxRuleDepth || a.overflowed() || b.overflowed() || b.isConstant(0))
    return makeAtom(kind, a, b);
  ++depth;
  Expr result;
  // Of a divisor that may be 0 only the other values count.
  if (prover.nonNegative(b))
    result = kind == Kind::Mod        ? modulo(a, b)
             : kind == Kind::FloorDiv ? floorDivision(a, b)
                                      : floorDivision(a + b - 1, b);
  else if (prover.nonNegative(-b))
    result = kind == Kind::Mod ? -division(kind, -a, -b) : division(kind, -a, -b);
  else
    result = makeAtom(kind, a, b);
  --depth;
  return result.overflowed() ? makeAtom(kind, a, b) : result;
}

/// k if rest / b rounded down is always k; b > 0.
std::optional<int64_t> Simplifier::quotientOfRest(const Expr &rest, const Expr &b) {
  if (rest.isConstant(0))
    return 0;
  Interval interval = prover.bounds(rest);
  if (std::optional<int64_t> divisor = b.constant()) {
    std::optional<int64_t> low = interval.lo ? checkedFloorDiv(*interval.lo, *divisor) : std::nullopt;
    std::optional<int64_t> high = interval.hi ? checkedFloorDiv(*interval.hi, *divisor) : std::nullopt;
    if (low && high && *low == *high)
      return low;
  }
  if (interval.lo && interval.hi && *interval.lo < 0 && *interval.hi >= 0)
    return std::nullopt;
  if (prover.nonNegative(rest))
    return prover.positive(b - rest) ? std::optional<int64_t>(0) : std::nullopt;
  if (prover.nonNegative(-rest - 1) && prover.nonNegative(b + rest))
    return -1;
  return std::nullopt;
}

std::optional<Simplifier::Digits> Simplifier::splitDigits(const Expr &a, const Expr &b, const Expr &g) {
  if (g.isConstant(1) || g.isConstant(0) || g.overflowed() || !prover.nonNegative(g))
    return std::nullopt;
  std::optional<Expr> divisor = exactQuotient(b, g);
  if (!divisor)
    return std::nullopt;
  bool single = countTerms(g) == 1;
  Division parts = single ? divideTerms(a, g) : divide(a, g);
  std::optional<int64_t> k = quotientOfRest(parts.remainder, g);
  if (!k)
    return std::nullopt;
  return Digits{g, parts.quotient + *k, parts.remainder - g * *k, *divisor};
}

/// Tries what b has in common with each term of a, then the coefficient of each
/// symbol of a: the stride of a digit.
std::optional<Simplifier::Digits> Simplifier::splitDigits(const Expr &a, const Expr &b) {
  std::vector<Expr> tried;
  auto attempt = [&](const Expr &g) -> std::optional<Digits> {
    if (std::find(tried.begin(), tried.end(), g) != tried.end())
      return std::nullopt;
    tried.push_back(g);
    return splitDigits(a, b, g);
  };
  for (const Term &term : a.terms())
    if (std::optional<Digits> digits = attempt(commonFactor(Expr::fromTerms({term}, 0), b)))
      return digits;
  if (b.constant())
    return std::nullopt;
  for (const std::string &symbol : a.symbols())
    if (std::optional<Expr> stride = a.coefficient(symbol); stride && countTerms(*stride) > 1)
      if (std::optional<Digits> digits = attempt(*stride))
        return digits;
  return std::nullopt;
}

Expr Simplifier::floorDivision(const Expr &a, const Expr &b) {
  Division parts = divide(a, b);
  if (std::optional<int64_t> k = quotientOfRest(parts.remainder, b))
    return parts.quotient + *k;
  // floor((g*h + l) / (g*d)) = floor(h / d) for 0 <= l < g
  if (std::optional<Digits> digits = splitDigits(parts.remainder, b))
    return parts.quotient + division(Kind::FloorDiv, digits->high, digits->divisor);
  std::shared_ptr<const Atom> inner = onlyAtom(parts.remainder);
  if (inner && inner->kind() == Kind::FloorDiv) {
    // floor((floor(x/y) + k) / b) = floor((x + k*y) / (y*b))
    Expr dividend = inner->lhs() + inner->rhs() * parts.remainder.offset();
    return parts.quotient + division(Kind::FloorDiv, dividend, inner->rhs() * b);
  }
  if (inner && inner->kind() == Kind::Mod && parts.remainder.offset() == 0)
    // floor((x mod (b*n)) / b) = floor(x/b) mod n
    if (std::optional<Expr> n = exactQuotient(inner->rhs(), b))
      return parts.quotient + division(Kind::Mod, division(Kind::FloorDiv, inner->lhs(), b), *n);
  return parts.quotient + floorDiv(parts.remainder, b);
}

Expr Simplifier::modulo(const Expr &a, const Expr &b) {
  Expr rest = divide(a, b).remainder;
  if (std::optional<int64_t> k = quotientOfRest(rest, b))
    return rest - b * *k;
  // (g*h + l) mod (g*d) = g*(h mod d) + l for 0 <= l < g
  if (std::optional<Digits> digits = splitDigits(rest, b))
    return digits->g * division(Kind::Mod, digits->high, digits->divisor) + digits->low;
  // Removes multiples of b inside: mod(mod(x, b*n), b) = mod(x, b). What that
  // leaves may be new, but it has one remainder less, so this ends.
  Expr result = mod(rest, b);
  std::shared_ptr<const Atom> left = onlyAtom(result);
  bool changed = left && left->kind() == Kind::Mod && result.offset() == 0 && left->lhs() != rest && left->rhs() == b;
  return changed ? division(Kind::Mod, left->lhs(), b) : result;
}

} // namespace

Expr simplify(const Expr &e, const Ranges &ranges) {
  if (e.overflowed() || e.constant())
    return e;
  Simplifier simplifier(ranges);
  Expr result = simplifier.simplify(e);
  // Products of bounds may leave 64 bits where e itself does not.
  return result.overflowed() ? e : result;
}

} // namespace cupola
