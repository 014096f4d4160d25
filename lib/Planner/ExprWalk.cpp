//===- lib/Planner/ExprWalk.cpp - evaluate, substitute, coefficient, ... -===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "lib/Planner/Checked.h"
#include "lib/Planner/ExprDivide.h"

#include <algorithm>

namespace cupola {
namespace {

using Values = std::map<std::string, int64_t>;
using Divisors = std::map<std::string, int64_t>;

void collectSymbols(const Expr &e, std::set<std::string> &names) {
  for (const Term &term : e.terms())
    for (const Factor &factor : term.factors) {
      const Atom &atom = *factor.atom;
      if (atom.kind() == Atom::Kind::Symbol) {
        names.insert(atom.name());
        continue;
      }
      collectSymbols(atom.lhs(), names);
      collectSymbols(atom.rhs(), names);
    }
}

std::optional<int64_t> evaluateAtom(const Atom &atom, const Values &values) {
  if (atom.kind() == Atom::Kind::Symbol) {
    auto it = values.find(atom.name());
    return it == values.end() ? std::nullopt : std::optional<int64_t>(it->second);
  }
  std::optional<int64_t> a = atom.lhs().evaluate(values), b = atom.rhs().evaluate(values);
  if (!a || !b)
    return std::nullopt;
  switch (atom.kind()) {
  case Atom::Kind::FloorDiv:
    return checkedFloorDiv(*a, *b);
  case Atom::Kind::CeilDiv:
    return checkedCeilDiv(*a, *b);
  case Atom::Kind::Mod:
    return checkedMod(*a, *b);
  case Atom::Kind::Min:
    return std::min(*a, *b);
  default:
    return std::max(*a, *b);
  }
}

/// Of an atom that uses one of the symbols.
Expr substituteAtom(const Atom &atom, const std::map<std::string, Expr> &values) {
  if (atom.kind() == Atom::Kind::Symbol)
    return values.at(atom.name());
  return makeAtom(atom.kind(), atom.lhs().substitute(values), atom.rhs().substitute(values));
}

bool usesAny(const Atom &atom, const std::map<std::string, Expr> &values) {
  return std::any_of(values.begin(), values.end(), [&](const auto &entry) { return atom.uses(entry.first); });
}

//===-- Divisibility ------------------------------------------------------===//

int64_t knownDivisor(const Expr &e, int64_t d, const Divisors &divisors);

/// A divisor of d that divides the atom.
int64_t knownDivisor(const Atom &atom, int64_t d, const Divisors &divisors) {
  switch (atom.kind()) {
  case Atom::Kind::Symbol: {
    auto it = divisors.find(atom.name());
    return it == divisors.end() || it->second < 1 ? 1 : std::gcd(d, it->second);
  }
  case Atom::Kind::FloorDiv:
  case Atom::Kind::CeilDiv: {
    // x / c of an x that is a multiple of c*k is exact, and a multiple of k.
    std::optional<int64_t> c = atom.rhs().constant();
    std::optional<int64_t> wanted = c && *c > 0 ? checkedMul(*c, d) : std::nullopt;
    if (!wanted)
      return 1;
    int64_t known = knownDivisor(atom.lhs(), *wanted, divisors);
    return known % *c == 0 ? std::gcd(d, known / *c) : 1;
  }
  default:
    d = knownDivisor(atom.lhs(), d, divisors);
    return d == 1 ? 1 : knownDivisor(atom.rhs(), d, divisors);
  }
}

/// A divisor of d that divides the term: what one factor takes care of, the
/// others need not.
int64_t knownDivisor(const Term &term, int64_t d, const Divisors &divisors) {
  int64_t open = d / int64_t(std::gcd(magnitude(term.coefficient), uint64_t(d)));
  for (const Factor &factor : term.factors)
    for (uint32_t i = 0; i < factor.power && open > 1; ++i)
      open /= knownDivisor(*factor.atom, open, divisors);
  return d / open;
}

/// A divisor of d that divides e.
int64_t knownDivisor(const Expr &e, int64_t d, const Divisors &divisors) {
  int64_t known = int64_t(std::gcd(magnitude(e.offset()), uint64_t(d)));
  for (const Term &term : e.terms())
    if (known > 1)
      known = knownDivisor(term, known, divisors);
  return known;
}

} // namespace

std::set<std::string> Expr::symbols() const {
  std::set<std::string> names;
  collectSymbols(*this, names);
  return names;
}

std::optional<int64_t> Expr::evaluate(const Values &values) const {
  if (overflowed())
    return std::nullopt;
  std::optional<int64_t> sum = offset();
  for (const Term &term : terms()) {
    std::optional<int64_t> product = term.coefficient;
    for (const Factor &factor : term.factors) {
      std::optional<int64_t> value = evaluateAtom(*factor.atom, values);
      for (uint32_t i = 0; i < factor.power && product; ++i)
        product = value ? checkedMul(*product, *value) : std::nullopt;
    }
    if (product)
      sum = checkedAdd(*sum, *product);
    if (!product || !sum)
      return std::nullopt;
  }
  return sum;
}

Expr Expr::substitute(const std::map<std::string, Expr> &values) const {
  if (overflowed())
    return *this;
  std::vector<Term> kept;
  Expr replaced;
  for (const Term &term : terms()) {
    Term rest{term.coefficient, {}};
    Expr product = 1;
    bool changed = false;
    for (const Factor &factor : term.factors) {
      if (!usesAny(*factor.atom, values)) {
        rest.factors.push_back(factor);
        continue;
      }
      changed = true;
      Expr value = substituteAtom(*factor.atom, values);
      for (uint32_t i = 0; i < factor.power && !product.overflowed(); ++i)
        product *= value;
    }
    if (changed)
      replaced += fromTerms({rest}, 0) * product;
    else
      kept.push_back(term);
  }
  return kept.size() == terms().size() ? *this : fromTerms(std::move(kept), offset()) + replaced;
}

std::optional<Expr> Expr::coefficient(const std::string &symbol) const {
  if (overflowed())
    return std::nullopt;
  std::vector<Term> found;
  for (const Term &term : terms()) {
    Term rest{term.coefficient, {}};
    bool used = false;
    for (const Factor &factor : term.factors) {
      if (!factor.atom->uses(symbol)) {
        rest.factors.push_back(factor);
        continue;
      }
      if (factor.power != 1 || factor.atom->kind() != Atom::Kind::Symbol)
        return std::nullopt;
      used = true;
    }
    if (used)
      found.push_back(std::move(rest));
  }
  return fromTerms(std::move(found), 0);
}

bool divisible(const Expr &e, int64_t d, const Divisors &divisors) {
  return d >= 1 && !e.overflowed() && knownDivisor(e, d, divisors) == d;
}

Expr apply(ExprOp op, const Expr &a, const Expr &b) {
  switch (op) {
  case ExprOp::Add:
    return a + b;
  case ExprOp::Sub:
    return a - b;
  case ExprOp::Mul:
    return a * b;
  case ExprOp::FloorDiv:
    return floorDiv(a, b);
  case ExprOp::CeilDiv:
    return ceilDiv(a, b);
  case ExprOp::Mod:
    return mod(a, b);
  case ExprOp::Min:
    return min(a, b);
  case ExprOp::Max:
    return max(a, b);
  }
  return Expr::overflow();
}

} // namespace cupola
