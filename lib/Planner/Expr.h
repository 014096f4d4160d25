//===- lib/Planner/Expr.h - symbolic integer expressions -----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The expressions that shapes, index maps and plans are written in: integer
// polynomials over atoms, kept in one canonical form. An atom is a symbol or
// floordiv, ceildiv, mod, min or max of two expressions. Division rounds
// towards minus infinity (ceildiv: plus infinity) and mod takes the sign of the
// divisor, for all signs of both operands; dividing by zero has no value.
//
// Two expressions that are the same polynomial over the same atoms are ==, have
// the same text and the same place in the order, whatever way they were built.
// Values are immutable, cheap to copy, and safe to share between threads.
//
// Nothing wraps: an expression with a coefficient outside int64, or larger than
// the limits below, becomes the one *overflowed* expression, which absorbs every
// operation, prints as "overflow" and has no value.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_PLANNER_EXPR_H
#define CUPOLA_LIB_PLANNER_EXPR_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cupola {

class Atom;
struct Term;

class Expr {
public:
  /// Beyond these an expression is overflowed. They keep every walk bounded, in
  /// time and in stack, also on text that a hostile package brought.
  static constexpr uint32_t maxNodes = 1 << 10; ///< terms and atoms, nested ones included
  static constexpr uint32_t maxDepth = 64;      ///< atoms inside atoms
  static constexpr uint32_t maxPower = 255;     ///< of one atom in one term

  Expr() = default; ///< 0
  Expr(int64_t value) : constantTerm(value) {}

  /// `name` is an identifier ([A-Za-z_][A-Za-z0-9_.]*) and not one of the words
  /// floordiv, ceildiv, mod, min, max, overflow.
  static Expr symbol(std::string name);
  static bool isSymbolName(std::string_view name);
  static Expr overflow();

  friend Expr operator+(const Expr &a, const Expr &b);
  friend Expr operator-(const Expr &a, const Expr &b);
  friend Expr operator*(const Expr &a, const Expr &b);
  Expr operator-() const { return Expr(0) - *this; }
  Expr &operator+=(const Expr &other) { return *this = *this + other; }
  Expr &operator-=(const Expr &other) { return *this = *this - other; }
  Expr &operator*=(const Expr &other) { return *this = *this * other; }

  /// Equality and order of the canonical forms, not of the values.
  friend bool operator==(const Expr &a, const Expr &b) { return a.isIdentical(b); }
  friend bool operator!=(const Expr &a, const Expr &b) { return !a.isIdentical(b); }
  friend bool operator<(const Expr &a, const Expr &b) { return a.compare(b) < 0; }
  int compare(const Expr &other) const;
  size_t hash() const;

  bool overflowed() const;
  /// Terms and atoms, nested ones included; more than maxNodes for the overflowed one.
  size_t nodes() const;
  std::optional<int64_t> constant() const;
  bool isConstant(int64_t value) const { return !sum && constantTerm == value; }
  std::optional<std::string> asSymbol() const; ///< if this is exactly one symbol
  std::set<std::string> symbols() const;
  bool uses(std::string_view symbol) const;

  /// "384*s0*s1 + 2*floordiv(s0, 2) - 1": terms of higher degree first, the
  /// constant last, powers as s0^2.
  std::string text() const;

  /// Reads text() back, and any other arrangement with + - * ^ and parentheses.
  /// On failure returns nullopt and describes the first mistake in `error`.
  static std::optional<Expr> parse(std::string_view text, std::string *error);

  /// Replaces all named symbols at once.
  Expr substitute(const std::map<std::string, Expr> &values) const;

  /// nullopt: an intermediate value leaves int64, division by zero, a symbol
  /// without a value, or overflowed().
  std::optional<int64_t> evaluate(const std::map<std::string, int64_t> &values) const;

  /// c where *this = c * symbol + rest and neither c nor rest uses the symbol;
  /// 0 if it is not used at all; nullopt if there is no such c.
  std::optional<Expr> coefficient(const std::string &symbol) const;

  /// The canonical form: sum of terms() + offset(). Terms are sorted, without
  /// zero coefficients, and none is a constant; empty for constants and overflow.
  const std::vector<Term> &terms() const;
  int64_t offset() const { return constantTerm; }
  /// The sum of terms in any order, whose factors are each sorted and distinct.
  static Expr fromTerms(std::vector<Term> terms, int64_t offset);

private:
  struct Sum;
  friend class Atom;
  static Expr make(std::vector<Term> sorted, int64_t offset);
  static Expr addOrSubtract(const Expr &a, const Expr &b, bool subtract);
  Expr scaled(int64_t factor) const;
  bool isIdentical(const Expr &other) const;

  std::shared_ptr<const Sum> sum; ///< null for a constant
  int64_t constantTerm = 0;
};

/// A factor of a term that is not a number.
class Atom {
public:
  enum class Kind : uint8_t { Symbol, FloorDiv, CeilDiv, Mod, Min, Max };

  // Raw material: Expr::symbol() and floorDiv() ... max() keep the canonical form.
  explicit Atom(std::string name);
  Atom(Kind kind, Expr lhs, Expr rhs);

  Kind kind() const { return theKind; }
  const std::string &name() const { return theName; } ///< of a Symbol
  const Expr &lhs() const { return left; }            ///< of all others
  const Expr &rhs() const { return right; }
  int compare(const Atom &other) const;
  size_t hash() const { return theHash; }
  bool uses(std::string_view symbol) const;

private:
  friend class Expr;
  Kind theKind;
  uint32_t nodes = 1, depth = 0;
  size_t theHash = 0;
  uint64_t symbolBits = 0; ///< a set of symbol names, hashed to 64 bits
  std::string theName;
  Expr left, right;
};

struct Factor {
  std::shared_ptr<const Atom> atom;
  uint32_t power = 1;
};

/// coefficient * product of the factors, which are sorted and distinct.
struct Term {
  int64_t coefficient = 1;
  std::vector<Factor> factors;
  uint32_t degree() const;
};

Expr floorDiv(const Expr &a, const Expr &b);
Expr ceilDiv(const Expr &a, const Expr &b);
Expr mod(const Expr &a, const Expr &b);
Expr min(const Expr &a, const Expr &b);
Expr max(const Expr &a, const Expr &b);

/// What is known about a symbol: lo <= symbol <= hi, both inclusive. A bound may
/// use other symbols: an index d1 of an axis of extent s1 is {0, s1 - 1}.
struct Range {
  std::optional<Expr> lo, hi;
};
using Ranges = std::map<std::string, Range>;

/// Numeric bounds, inclusive; nullopt: not known.
struct Interval {
  std::optional<int64_t> lo, hi;
};

/// The functions below assume only what `ranges` says; a symbol without an entry
/// may be any integer. A null answer means "not known". All of them take bounded
/// work per expression and give the same answer on every machine.

/// Every value of `e` lies in the result.
Interval bounds(const Expr &e, const Ranges &ranges);

/// An expression with the same value wherever `e` has one and the ranges hold.
///   {d0: 0..11, d1: 0..63}        floordiv(64*d0 + d1, 64)    ->  d0
///   {d1: 0..s1 - 1}               mod(d0*s1 + d1, s1)         ->  d1
///   {s0: 1.., s1: 1..}            floordiv(384*s0*s1, 384*s1) ->  s0
Expr simplify(const Expr &e, const Ranges &ranges);

std::optional<bool> proveEqual(const Expr &a, const Expr &b, const Ranges &ranges);
std::optional<bool> proveLess(const Expr &a, const Expr &b, const Ranges &ranges);
std::optional<bool> proveLessEqual(const Expr &a, const Expr &b, const Ranges &ranges);

/// True if `e` is known to be a multiple of d >= 1, where each symbol is a
/// multiple of its entry in `divisors` (1 if it has none).
bool divisible(const Expr &e, int64_t d, const std::map<std::string, int64_t> &divisors);

/// Rebuilds an expression with a builder of the caller's, bottom up and in
/// canonical order; printers and lowerings are builders. The builder has
///   Value constant(int64_t), Value symbol(const std::string &),
///   Value binary(ExprOp, Value, Value).
/// Sub is used for terms with a negative coefficient. Not for overflowed ones.
enum class ExprOp : uint8_t { Add, Sub, Mul, FloorDiv, CeilDiv, Mod, Min, Max };
/// The operation on expressions, for builders that make expressions again.
Expr apply(ExprOp op, const Expr &a, const Expr &b);
template <class Builder> using BuilderValue = decltype(std::declval<Builder &>().constant(int64_t()));
template <class Builder> BuilderValue<Builder> buildExpr(const Expr &e, Builder &builder);

} // namespace cupola

#include "lib/Planner/ExprBuild.h"

#endif // CUPOLA_LIB_PLANNER_EXPR_H
