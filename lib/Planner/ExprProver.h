//===- lib/Planner/ExprProver.h - bounds and proofs, inside Planner ------===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_PLANNER_EXPRPROVER_H
#define CUPOLA_LIB_PLANNER_EXPRPROVER_H

#include "lib/Planner/Expr.h"

namespace cupola {

/// Answers questions about signs under the given ranges. A `true` is a proof; a
/// `false` is "not known". `ranges` must outlive it.
class ExprProver {
public:
  explicit ExprProver(const Ranges &ranges) : ranges(ranges) {}

  Interval bounds(const Expr &e) { return bounds(e, 0); }
  bool nonNegative(const Expr &e);
  bool positive(const Expr &e) { return nonNegative(e - 1); }
  bool lessEqual(const Expr &a, const Expr &b) { return nonNegative(b - a); }

private:
  Interval bounds(const Expr &e, int depth);
  Interval bounds(const Atom &atom, int depth);
  Interval boundsOf(const Atom &atom, int depth);
  bool nonNegative(const Expr &e, int depth);
  bool allTermsNonNegative(const Expr &e);
  int signOf(const Expr &e, int depth);

  // Proofs of c * atom + rest >= 0 without that atom. Null: not the way.
  using Proof = std::optional<bool>;
  Proof withoutAtom(const Expr &e, const Atom &atom, int depth);
  Proof withoutSymbol(const Expr &c, const Atom &atom, const Expr &rest, int depth);
  Proof withoutDivision(const Expr &c, const Atom &atom, const Expr &rest, int depth);
  Proof withoutMinMax(const Expr &c, const Atom &atom, const Expr &rest, int depth);

  const Ranges &ranges;
  int steps = 0; ///< left for the question being answered
};

} // namespace cupola

#endif // CUPOLA_LIB_PLANNER_EXPRPROVER_H
