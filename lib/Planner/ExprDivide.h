//===- lib/Planner/ExprDivide.h - division of polynomials, inside Planner ===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_PLANNER_EXPRDIVIDE_H
#define CUPOLA_LIB_PLANNER_EXPRDIVIDE_H

#include "lib/Planner/Expr.h"

namespace cupola {

/// a = quotient * b + remainder.
struct Division {
  Expr quotient, remainder;
};

/// Takes multiples of b out of a where that makes a shorter; for a constant b
/// all coefficients of the remainder are smaller than |b|, and its offset is in
/// [0, b). b is not 0.
Division divide(const Expr &a, const Expr &b);

/// Moves only whole terms: every term of the quotient comes from one term of a
/// that g divides without remainder. g is one term or a positive constant.
Division divideTerms(const Expr &a, const Expr &g);

/// q with a = q * b, if there is one; not for b = 0.
std::optional<Expr> exactQuotient(const Expr &a, const Expr &b);

/// The largest single term (or constant) that divides all terms of both.
Expr commonFactor(const Expr &a, const Expr &b);

/// 1 * atom.
Expr exprOf(std::shared_ptr<const Atom> atom);

/// The atom if e is 1 * atom + offset.
std::shared_ptr<const Atom> onlyAtom(const Expr &e);

/// The operands of nested minima (maxima) that `e` is; just `e` if it is none.
std::vector<Expr> operandsOf(Atom::Kind kind, const Expr &e);

/// The expression kind(a, b) as floorDiv() ... max() make it.
Expr makeAtom(Atom::Kind kind, const Expr &a, const Expr &b);

} // namespace cupola

#endif // CUPOLA_LIB_PLANNER_EXPRDIVIDE_H
