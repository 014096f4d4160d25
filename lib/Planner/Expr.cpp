//===- lib/Planner/Expr.cpp - canonical sums: order, arithmetic ----------===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "lib/Planner/Expr.h"

#include "lib/Planner/Checked.h"

#include <algorithm>
#include <cassert>

namespace cupola {

/// The terms of an expression that is not a constant.
struct Expr::Sum {
  std::vector<Term> terms;
  size_t hash = 0;
  uint64_t symbolBits = 0;
  uint32_t nodes = 0, depth = 0;
  bool overflowed = false;
};

namespace {

size_t mix(size_t seed, size_t value) { return (seed ^ value) * 0x9e3779b97f4a7c15ull + (seed >> 29); }

/// FNV-1a: the same on every machine, unlike std::hash.
size_t hashText(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3ull;
  return hash;
}

uint64_t bitOf(std::string_view symbol) { return uint64_t(1) << (hashText(symbol) >> 58); }

/// s2 before s10: the number at the end counts as a number.
int compareNames(const std::string &a, const std::string &b) {
  auto digits = [](const std::string &s) {
    size_t i = s.size();
    while (i > 0 && s[i - 1] >= '0' && s[i - 1] <= '9')
      --i;
    return i;
  };
  size_t i = digits(a), j = digits(b);
  if (int order = a.compare(0, i, b, 0, j))
    return order;
  if (a.size() != b.size())
    return a.size() < b.size() ? -1 : 1;
  return a.compare(i, a.size(), b, j, b.size());
}

/// Higher degree first, then lexicographic: a monomial order.
int compareFactors(const Term &a, const Term &b) {
  uint32_t degreeA = a.degree(), degreeB = b.degree();
  if (degreeA != degreeB)
    return degreeA > degreeB ? -1 : 1;
  size_t n = std::min(a.factors.size(), b.factors.size());
  for (size_t i = 0; i < n; ++i) {
    if (int order = a.factors[i].atom->compare(*b.factors[i].atom))
      return order;
    if (a.factors[i].power != b.factors[i].power)
      return a.factors[i].power > b.factors[i].power ? -1 : 1;
  }
  return 0;
}

/// Nullopt if the coefficient or a power gets too large.
std::optional<Term> multiply(const Term &a, const Term &b) {
  std::optional<int64_t> coefficient = checkedMul(a.coefficient, b.coefficient);
  if (!coefficient)
    return std::nullopt;
  Term product;
  product.coefficient = *coefficient;
  product.factors.reserve(a.factors.size() + b.factors.size());
  auto i = a.factors.begin(), j = b.factors.begin();
  while (i != a.factors.end() && j != b.factors.end()) {
    int order = i->atom->compare(*j->atom);
    if (order != 0) {
      product.factors.push_back(order < 0 ? *i++ : *j++);
      continue;
    }
    product.factors.push_back({i->atom, i->power + j->power});
    if (product.factors.back().power > Expr::maxPower)
      return std::nullopt;
    ++i, ++j;
  }
  product.factors.insert(product.factors.end(), i, a.factors.end());
  product.factors.insert(product.factors.end(), j, b.factors.end());
  return product;
}

} // namespace

//===-- Term, Atom --------------------------------------------------------===//

uint32_t Term::degree() const {
  uint32_t sum = 0;
  for (const Factor &factor : factors)
    sum += factor.power;
  return sum;
}

Atom::Atom(std::string name)
    : theKind(Kind::Symbol), theHash(hashText(name)), symbolBits(bitOf(name)), theName(std::move(name)) {}

Atom::Atom(Kind kind, Expr lhs, Expr rhs) : theKind(kind), left(std::move(lhs)), right(std::move(rhs)) {
  for (const Expr *e : {&left, &right}) {
    if (!e->sum)
      continue;
    nodes += e->sum->nodes;
    depth = std::max(depth, e->sum->depth);
    symbolBits |= e->sum->symbolBits;
  }
  ++depth;
  theHash = mix(mix(size_t(kind) + 1, left.hash()), right.hash());
}

int Atom::compare(const Atom &other) const {
  if (this == &other)
    return 0;
  if (theKind != other.theKind)
    return theKind < other.theKind ? -1 : 1;
  if (theKind == Kind::Symbol)
    return compareNames(theName, other.theName);
  if (int order = left.compare(other.left))
    return order;
  return right.compare(other.right);
}

bool Atom::uses(std::string_view symbol) const {
  if (theKind == Kind::Symbol)
    return theName == symbol;
  return left.uses(symbol) || right.uses(symbol);
}

//===-- Construction ------------------------------------------------------===//

Expr Expr::symbol(std::string name) {
  assert(isSymbolName(name) && "not an identifier, or a word of the expression language");
  Term term;
  term.factors.push_back({std::make_shared<const Atom>(std::move(name)), 1});
  std::vector<Term> terms;
  terms.push_back(std::move(term));
  return make(std::move(terms), 0);
}

Expr Expr::overflow() {
  auto sum = std::make_shared<Sum>();
  sum->overflowed = true;
  Expr result;
  result.sum = std::move(sum);
  return result;
}

/// `sorted` has no zero coefficients and no two terms of the same factors.
Expr Expr::make(std::vector<Term> sorted, int64_t offset) {
  Expr result(offset);
  if (sorted.empty())
    return result;
  auto sum = std::make_shared<Sum>();
  uint64_t nodes = 0;
  for (const Term &term : sorted) {
    ++nodes;
    sum->hash = mix(sum->hash, size_t(term.coefficient));
    for (const Factor &factor : term.factors) {
      nodes += factor.atom->nodes;
      sum->depth = std::max(sum->depth, factor.atom->depth);
      sum->symbolBits |= factor.atom->symbolBits;
      sum->hash = mix(mix(sum->hash, factor.atom->theHash), factor.power);
    }
  }
  if (nodes > maxNodes || sum->depth > maxDepth)
    return overflow();
  sum->nodes = uint32_t(nodes);
  sum->terms = std::move(sorted);
  result.sum = std::move(sum);
  return result;
}

Expr Expr::fromTerms(std::vector<Term> terms, int64_t offset) {
  std::sort(terms.begin(), terms.end(), [](const Term &a, const Term &b) { return compareFactors(a, b) < 0; });
  size_t kept = 0;
  for (size_t i = 0; i < terms.size();) {
    Term term = std::move(terms[i++]);
    for (; i < terms.size() && compareFactors(term, terms[i]) == 0; ++i) {
      std::optional<int64_t> sum = checkedAdd(term.coefficient, terms[i].coefficient);
      if (!sum)
        return overflow();
      term.coefficient = *sum;
    }
    if (term.coefficient == 0)
      continue;
    if (!term.factors.empty()) {
      terms[kept++] = std::move(term);
      continue;
    }
    std::optional<int64_t> sum = checkedAdd(offset, term.coefficient);
    if (!sum)
      return overflow();
    offset = *sum;
  }
  terms.resize(kept);
  return make(std::move(terms), offset);
}

//===-- Arithmetic --------------------------------------------------------===//

Expr Expr::addOrSubtract(const Expr &a, const Expr &b, bool subtract) {
  if (a.overflowed() || b.overflowed())
    return overflow();
  auto combine = [=](int64_t x, int64_t y) { return subtract ? checkedSub(x, y) : checkedAdd(x, y); };
  std::optional<int64_t> offset = combine(a.constantTerm, b.constantTerm);
  if (!offset)
    return overflow();
  if (!b.sum) {
    Expr result = a;
    result.constantTerm = *offset;
    return result;
  }
  std::vector<Term> terms;
  terms.reserve(a.terms().size() + b.terms().size());
  auto i = a.terms().begin(), endA = a.terms().end();
  auto j = b.terms().begin(), endB = b.terms().end();
  while (i != endA || j != endB) {
    int order = i == endA ? 1 : j == endB ? -1 : compareFactors(*i, *j);
    if (order < 0) {
      terms.push_back(*i++);
      continue;
    }
    std::optional<int64_t> coefficient = combine(order == 0 ? i->coefficient : 0, j->coefficient);
    if (!coefficient)
      return overflow();
    if (*coefficient != 0)
      terms.push_back({*coefficient, j->factors});
    i += order == 0;
    ++j;
  }
  return make(std::move(terms), *offset);
}

Expr operator+(const Expr &a, const Expr &b) { return Expr::addOrSubtract(a, b, false); }
Expr operator-(const Expr &a, const Expr &b) { return Expr::addOrSubtract(a, b, true); }

Expr Expr::scaled(int64_t factor) const {
  if (factor == 0)
    return Expr();
  std::optional<int64_t> offset = checkedMul(constantTerm, factor);
  if (!offset)
    return overflow();
  std::vector<Term> scaledTerms = terms();
  for (Term &term : scaledTerms) {
    std::optional<int64_t> coefficient = checkedMul(term.coefficient, factor);
    if (!coefficient)
      return overflow();
    term.coefficient = *coefficient;
  }
  return make(std::move(scaledTerms), *offset);
}

Expr operator*(const Expr &a, const Expr &b) {
  if (a.overflowed() || b.overflowed())
    return Expr::overflow();
  if (!b.sum)
    return b.constantTerm == 1 ? a : a.scaled(b.constantTerm);
  if (!a.sum)
    return a.constantTerm == 1 ? b : b.scaled(a.constantTerm);
  auto allTerms = [](const Expr &e) {
    std::vector<Term> terms = e.terms();
    if (e.constantTerm != 0)
      terms.push_back({e.constantTerm, {}});
    return terms;
  };
  std::vector<Term> left = allTerms(a), right = allTerms(b);
  if (left.size() * right.size() > Expr::maxNodes)
    return Expr::overflow();
  std::vector<Term> products;
  products.reserve(left.size() * right.size());
  for (const Term &x : left)
    for (const Term &y : right) {
      std::optional<Term> product = multiply(x, y);
      if (!product)
        return Expr::overflow();
      products.push_back(std::move(*product));
    }
  return Expr::fromTerms(std::move(products), 0);
}

//===-- Order and queries -------------------------------------------------===//

bool Expr::isIdentical(const Expr &other) const {
  if (constantTerm != other.constantTerm || !sum != !other.sum)
    return false;
  if (sum == other.sum)
    return true;
  return sum->hash == other.sum->hash && compare(other) == 0;
}

int Expr::compare(const Expr &other) const {
  if (overflowed() || other.overflowed())
    return int(overflowed()) - int(other.overflowed());
  if (sum != other.sum) {
    const std::vector<Term> &a = terms(), &b = other.terms();
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (int order = compareFactors(a[i], b[i]))
        return order;
      if (a[i].coefficient != b[i].coefficient)
        return a[i].coefficient < b[i].coefficient ? -1 : 1;
    }
    if (a.size() != b.size()) // constants come last
      return a.size() > b.size() ? -1 : 1;
  }
  return constantTerm == other.constantTerm ? 0 : constantTerm < other.constantTerm ? -1 : 1;
}

size_t Expr::hash() const { return mix(sum ? sum->hash : 0, size_t(constantTerm)); }

size_t Expr::nodes() const { return !sum ? 0 : sum->overflowed ? maxNodes + 1 : sum->nodes; }

bool Expr::overflowed() const { return sum && sum->overflowed; }

const std::vector<Term> &Expr::terms() const {
  static const std::vector<Term> none;
  return sum ? sum->terms : none;
}

std::optional<int64_t> Expr::constant() const { return sum ? std::nullopt : std::optional<int64_t>(constantTerm); }

std::optional<std::string> Expr::asSymbol() const {
  if (constantTerm != 0 || terms().size() != 1)
    return std::nullopt;
  const Term &term = terms()[0];
  if (term.coefficient != 1 || term.degree() != 1 || term.factors[0].atom->kind() != Atom::Kind::Symbol)
    return std::nullopt;
  return term.factors[0].atom->name();
}

bool Expr::uses(std::string_view symbol) const {
  if (!sum || !(sum->symbolBits & bitOf(symbol)))
    return false;
  for (const Term &term : sum->terms)
    for (const Factor &factor : term.factors)
      if (factor.atom->uses(symbol))
        return true;
  return false;
}

} // namespace cupola
