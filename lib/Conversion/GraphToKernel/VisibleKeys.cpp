//===- lib/Conversion/GraphToKernel/VisibleKeys.cpp - keys that positions hide from a row ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToKernel/VisibleKeys.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using cupola::graph::BinaryKind;
using cupola::graph::UnaryKind;

namespace cupola {
namespace {

bool isMinusInfinity(Value value) {
  llvm::APFloat number(0.0);
  while (auto cast = value.getDefiningOp<kernel::CastOp>())
    value = cast.getInput(); // a type of floats as a wider one
  return matchPattern(value, m_ConstantFloat(&number)) && number.isInfinity() && number.isNegative();
}

/// Expressions that are >= 0 wherever a scalar is something.
class Conditions {
public:
  explicit Conditions(kernel::Variables &vars) : vars(vars) {}

  graph::Exprs all;

  /// Wherever it is not -inf.
  void whereVisible(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto select = dyn_cast_or_null<kernel::SelectOp>(op)) {
      if (isMinusInfinity(select.getRhs()))
        where(select.getCondition(), true), whereVisible(select.getLhs());
      else if (isMinusInfinity(select.getLhs()))
        where(select.getCondition(), false), whereVisible(select.getRhs());
    } else if (auto binary = dyn_cast_or_null<kernel::BinaryOp>(op)) {
      if (binary.getKind() == BinaryKind::Add)
        whereVisible(binary.getLhs()), whereVisible(binary.getRhs());
    } else if (auto cast = dyn_cast_or_null<kernel::CastOp>(op)) {
      whereVisible(cast.getInput());
    }
  }

private:
  /// Wherever a condition is `holds`.
  void where(Value condition, bool holds) {
    Operation *op = condition.getDefiningOp();
    if (auto inRange = dyn_cast_or_null<kernel::InRangeOp>(op)) {
      if (holds)
        llvm::append_range(all, vars.read(inRange.getExprs(), inRange.getIndices()));
    } else if (auto negation = dyn_cast_or_null<kernel::UnaryOp>(op)) {
      if (negation.getKind() == UnaryKind::Not)
        where(negation.getInput(), !holds);
    } else if (auto binary = dyn_cast_or_null<kernel::BinaryOp>(op)) {
      if (binary.getKind() == (holds ? BinaryKind::And : BinaryKind::Or))
        where(binary.getLhs(), holds), where(binary.getRhs(), holds);
      else
        whereCompared(binary, holds);
    }
  }

  void whereCompared(kernel::BinaryOp op, bool holds) {
    const std::optional<Expr> lhs = number(op.getLhs()), rhs = number(op.getRhs());
    if (!lhs || !rhs)
      return;
    const Expr above = *lhs - *rhs;
    switch (op.getKind()) {
    case BinaryKind::LessEqual:
      return all.push_back(holds ? -above : above - 1);
    case BinaryKind::Less:
      return all.push_back(holds ? -above - 1 : above);
    case BinaryKind::GreaterEqual:
      return all.push_back(holds ? above : -above - 1);
    case BinaryKind::Greater:
      return all.push_back(holds ? above - 1 : -above);
    default:
      return;
    }
  }

  /// An integer that is made of positions and numbers. Positions are far from the ends of all types that hold them.
  std::optional<Expr> number(Value value) {
    Operation *op = value.getDefiningOp();
    llvm::APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return Expr(constant.getSExtValue());
    if (auto index = dyn_cast_or_null<kernel::IndexOp>(op))
      return vars.read(index.getExpr(), index.getIndices());
    if (auto cast = dyn_cast_or_null<kernel::CastOp>(op); cast && cast.getInput().getType().isInteger(64))
      return value.getType().isInteger(32) ? number(cast.getInput()) : std::nullopt;
    auto binary = dyn_cast_or_null<kernel::BinaryOp>(op);
    if (!binary || (binary.getKind() != BinaryKind::Add && binary.getKind() != BinaryKind::Sub))
      return std::nullopt;
    const std::optional<Expr> lhs = number(binary.getLhs()), rhs = number(binary.getRhs());
    if (!lhs || !rhs)
      return std::nullopt;
    return binary.getKind() == BinaryKind::Add ? *lhs + *rhs : *lhs - *rhs;
  }

  kernel::Variables &vars;
};

/// What a row sees: keys from `first` on, before `end`.
struct Bounds {
  std::optional<Expr> first, end;
};

class Reader {
public:
  Reader(kernel::ForOp steps, kernel::MapOp scores, int64_t keysOfStep)
      : vars(steps->getParentOp()), keysOfStep(keysOfStep), row(vars.name(scores.getBody().getArgument(0))),
        key(vars.name(scores.getBody().getArgument(1))), step(vars.name(steps.getStep())) {
    Conditions conditions(vars);
    conditions.whereVisible(scores.getBody().front().getTerminator()->getOperand(0));
    for (const Expr &condition : conditions.all)
      add(condition);
  }

  Bounds found;
  Expr ofRow(const Expr &e) const {
    return simplify(e, vars.ranges()).substitute({{row, Expr::symbol(kernel::ForOp::rowSymbol)}});
  }

private:
  /// `condition` >= 0 if it says on which side of some key those are that a row sees.
  void add(const Expr &condition) {
    const std::optional<Expr> sign = condition.coefficient(key);
    if (!sign || (!sign->isConstant(1) && !sign->isConstant(-1)))
      return;
    const Expr rest = condition - *sign * (Expr::symbol(step) * keysOfStep + Expr::symbol(key));
    if (!rest.uses(row) || !isOfRowAlone(rest))
      return;
    if (sign->isConstant(-1) && grows(rest + 1))
      found.end = found.end ? min(*found.end, rest + 1) : rest + 1;
    else if (sign->isConstant(1) && grows(-rest))
      found.first = found.first ? max(*found.first, -rest) : -rest;
  }

  bool isOfRowAlone(const Expr &e) const {
    return llvm::all_of(e.symbols(), [&](const std::string &symbol) { return symbol == row || !vars.value(symbol); });
  }
  bool grows(const Expr &e) {
    return proveLessEqual(e, e.substitute({{row, Expr::symbol(row) + 1}}), vars.ranges()) == true;
  }

  kernel::Variables vars;
  int64_t keysOfStep;
  const std::string row, key, step;
};

} // namespace

void markVisibleSteps(kernel::ForOp steps, kernel::MapOp scores, int64_t keysOfStep) {
  const Reader reader(steps, scores, keysOfStep);
  const Bounds &keys = reader.found;
  if (!keys.first && !keys.end)
    return;
  const Expr first = keys.first ? floorDiv(max(*keys.first, 0), keysOfStep) : Expr(0);
  const Expr end = keys.end ? ceilDiv(max(*keys.end, 0), keysOfStep) : steps.getSteps();
  steps.setVisibleAttr(graph::exprArray(steps.getContext(), {reader.ofRow(first), reader.ofRow(end)}));
}

} // namespace cupola
