//===- lib/Planner/ExprBounds.cpp - interval arithmetic ------------------===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "lib/Planner/Checked.h"
#include "lib/Planner/ExprProver.h"

#include <algorithm>

namespace cupola {
namespace {

using Bound = std::optional<int64_t>;

/// Bounds may use symbols whose bounds use symbols; followed this far.
constexpr int maxBoundDepth = 8;

// An end that does not fit 64 bits is an end that is not known: that is sound.

Interval sum(const Interval &a, const Interval &b) {
  return {a.lo && b.lo ? checkedAdd(*a.lo, *b.lo) : std::nullopt,
          a.hi && b.hi ? checkedAdd(*a.hi, *b.hi) : std::nullopt};
}

Interval negated(const Interval &a) {
  return {a.hi ? checkedSub(0, *a.hi) : std::nullopt, a.lo ? checkedSub(0, *a.lo) : std::nullopt};
}

bool isNonNegative(const Interval &a) { return a.lo && *a.lo >= 0; }

/// An end of an interval for multiplication: beyond 64 bits means infinite.
using Wide = __int128;
constexpr Wide infinite = Wide(1) << 64;

Wide multiplyEnds(Wide a, Wide b) {
  if (a == 0 || b == 0)
    return 0;
  bool fits = a != infinite && a != -infinite && b != infinite && b != -infinite;
  Wide result = fits ? a * b : 0;
  if (fits && result == Wide(int64_t(result)))
    return result;
  return (a < 0) == (b < 0) ? infinite : -infinite;
}

Interval product(const Interval &a, const Interval &b) {
  Wide endsA[] = {a.lo ? *a.lo : -infinite, a.hi ? *a.hi : infinite};
  Wide endsB[] = {b.lo ? *b.lo : -infinite, b.hi ? *b.hi : infinite};
  Wide low = infinite, high = -infinite;
  for (Wide x : endsA)
    for (Wide y : endsB) {
      low = std::min(low, multiplyEnds(x, y));
      high = std::max(high, multiplyEnds(x, y));
    }
  auto end = [](Wide x) { return x == infinite || x == -infinite ? Bound() : Bound(int64_t(x)); };
  return {end(low), end(high)};
}

Interval power(const Interval &a, uint32_t count) {
  Interval result = a;
  for (uint32_t i = 1; i < count; ++i)
    result = product(result, a);
  if (count % 2 == 0 && !isNonNegative(result))
    result.lo = 0;
  return result;
}

/// Of a / b rounded down (up), for b >= 1.
Interval quotient(const Interval &a, const Interval &b, bool up) {
  auto divide = [up](int64_t x, int64_t y) { return up ? checkedCeilDiv(x, y) : checkedFloorDiv(x, y); };
  int64_t smallest = std::max<int64_t>(b.lo.value_or(1), 1);
  // Towards a divisor without limit the quotient goes to 0 from its side.
  auto end = [&](int64_t x, bool largest) -> Bound {
    if (!largest)
      return divide(x, smallest);
    return b.hi ? divide(x, std::max(*b.hi, smallest)) : x == 0 ? 0 : x > 0 ? int64_t(up) : -int64_t(!up);
  };
  return {a.lo ? end(*a.lo, *a.lo >= 0) : std::nullopt, a.hi ? end(*a.hi, *a.hi < 0) : std::nullopt};
}

/// Of a mod b, for b >= 1.
Interval remainder(const Interval &a, const Interval &b) {
  Interval result{0, b.hi ? checkedSub(*b.hi, 1) : std::nullopt};
  if (!isNonNegative(a))
    return result;
  if (a.hi && b.lo && *a.hi < *b.lo)
    return a;
  if (a.hi && (!result.hi || *a.hi < *result.hi))
    result.hi = a.hi;
  return result;
}

/// Of a / b and a mod b for a b of either sign: no larger than the dividend, or
/// the divisor.
Interval upTo(const Interval &a) {
  if (!a.lo || !a.hi)
    return {};
  Bound low = checkedSub(0, *a.lo), high = checkedSub(0, *a.hi);
  if (!low || !high)
    return {};
  int64_t size = std::max(std::max(*a.lo, *low), std::max(*a.hi, *high));
  return {-size, size};
}

Interval division(Atom::Kind kind, const Interval &a, const Interval &b) {
  bool isMod = kind == Atom::Kind::Mod, up = kind == Atom::Kind::CeilDiv;
  if (isNonNegative(b)) // 0 has no quotient
    return isMod ? remainder(a, b) : quotient(a, b, up);
  if (b.hi && *b.hi <= 0)
    return isMod ? negated(remainder(negated(a), negated(b))) : quotient(negated(a), negated(b), up);
  return upTo(isMod ? b : a);
}

Interval smaller(const Interval &a, const Interval &b) {
  Interval result{a.lo && b.lo ? std::min(a.lo, b.lo) : std::nullopt, a.hi ? a.hi : b.hi};
  if (a.hi && b.hi)
    result.hi = std::min(a.hi, b.hi);
  return result;
}

} // namespace

Interval ExprProver::bounds(const Atom &atom, int depth) {
  if (depth > maxBoundDepth)
    return {};
  Interval result = boundsOf(atom, depth);
  // No value at all (contradicting ranges, a divisor that is 0): anything holds,
  // and the arithmetic above need not cope with it.
  return result.lo && result.hi && *result.lo > *result.hi ? Interval{} : result;
}

Interval ExprProver::boundsOf(const Atom &atom, int depth) {
  if (atom.kind() == Atom::Kind::Symbol) {
    auto it = ranges.find(atom.name());
    if (it == ranges.end())
      return {};
    const Range &range = it->second;
    return {range.lo ? bounds(*range.lo, depth + 1).lo : std::nullopt,
            range.hi ? bounds(*range.hi, depth + 1).hi : std::nullopt};
  }
  Interval a = bounds(atom.lhs(), depth + 1), b = bounds(atom.rhs(), depth + 1);
  if (atom.kind() == Atom::Kind::Min)
    return smaller(a, b);
  if (atom.kind() == Atom::Kind::Max)
    return negated(smaller(negated(a), negated(b)));
  return division(atom.kind(), a, b);
}

Interval ExprProver::bounds(const Expr &e, int depth) {
  if (e.overflowed())
    return {};
  Interval result{e.offset(), e.offset()};
  for (const Term &term : e.terms()) {
    Interval value{term.coefficient, term.coefficient};
    for (const Factor &factor : term.factors)
      value = product(value, power(bounds(*factor.atom, depth), factor.power));
    result = sum(result, value);
    if (!result.lo && !result.hi)
      return {};
  }
  return result;
}

Interval bounds(const Expr &e, const Ranges &ranges) { return ExprProver(ranges).bounds(e); }

} // namespace cupola
