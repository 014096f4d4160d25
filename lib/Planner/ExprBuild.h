//===- lib/Planner/ExprBuild.h - rebuild an expression with a builder ----===//
// SPDX-License-Identifier: Apache-2.0
//
// The template behind buildExpr() of Expr.h; include that one.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_PLANNER_EXPRBUILD_H
#define CUPOLA_LIB_PLANNER_EXPRBUILD_H

#include <limits>
#include <utility>

namespace cupola {
namespace detail {

inline ExprOp exprOp(Atom::Kind kind) {
  switch (kind) {
  case Atom::Kind::CeilDiv:
    return ExprOp::CeilDiv;
  case Atom::Kind::Mod:
    return ExprOp::Mod;
  case Atom::Kind::Min:
    return ExprOp::Min;
  case Atom::Kind::Max:
    return ExprOp::Max;
  default:
    return ExprOp::FloorDiv;
  }
}

template <class Builder> BuilderValue<Builder> buildAtom(const Atom &atom, Builder &builder) {
  if (atom.kind() == Atom::Kind::Symbol)
    return builder.symbol(atom.name());
  auto lhs = buildExpr(atom.lhs(), builder);
  auto rhs = buildExpr(atom.rhs(), builder);
  return builder.binary(exprOp(atom.kind()), std::move(lhs), std::move(rhs));
}

/// |coefficient| * factors; the sign is the caller's business, except that of
/// the smallest int64, which has no positive counterpart.
template <class Builder> BuilderValue<Builder> buildTerm(const Term &term, int64_t coefficient, Builder &builder) {
  using Value = BuilderValue<Builder>;
  std::optional<Value> value;
  if (coefficient != 1)
    value = builder.constant(coefficient);
  for (const Factor &factor : term.factors) {
    Value atom = buildAtom(*factor.atom, builder);
    for (uint32_t i = 0; i < factor.power; ++i)
      value = value ? builder.binary(ExprOp::Mul, std::move(*value), atom) : atom;
  }
  return std::move(*value);
}

} // namespace detail

template <class Builder> BuilderValue<Builder> buildExpr(const Expr &e, Builder &builder) {
  using Value = BuilderValue<Builder>;
  constexpr int64_t smallest = std::numeric_limits<int64_t>::min();
  std::optional<Value> value;
  for (const Term &term : e.terms()) {
    bool subtract = value && term.coefficient < 0 && term.coefficient != smallest;
    int64_t coefficient = subtract ? -term.coefficient : term.coefficient;
    Value next = detail::buildTerm(term, coefficient, builder);
    value = value ? builder.binary(subtract ? ExprOp::Sub : ExprOp::Add, std::move(*value), std::move(next))
                  : std::move(next);
  }
  int64_t offset = e.offset();
  if (!value)
    return Value(builder.constant(offset));
  if (offset == 0)
    return std::move(*value);
  bool subtract = offset < 0 && offset != smallest;
  return Value(builder.binary(subtract ? ExprOp::Sub : ExprOp::Add, std::move(*value),
                              builder.constant(subtract ? -offset : offset)));
}

} // namespace cupola

#endif // CUPOLA_LIB_PLANNER_EXPRBUILD_H
