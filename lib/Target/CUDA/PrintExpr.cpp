//===- lib/Target/CUDA/PrintExpr.cpp - expressions as C++ ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Print.h"

#include <limits>

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace {

enum Precedence { Sum, Product, Primary };

struct Node {
  Expr expr;
  std::string text;
  Precedence precedence;
};

/// Rebuilds an expression as text; division needs to know the signs.
struct TextBuilder {
  const cuda::ExprText &context;

  Node constant(int64_t value) {
    std::string text = std::to_string(value);
    bool large = value > std::numeric_limits<int32_t>::max();
    if (value < 0)
      return {value, "(" + text + ")", Primary};
    return {value, large ? text + "ll" : text, Primary};
  }
  Node symbol(const std::string &name) {
    Expr e = Expr::symbol(name);
    auto found = context.names.find(name);
    return {e, found == context.names.end() ? name : found->second, Primary};
  }
  static std::string wrap(const Node &node, Precedence needed) {
    return node.precedence < needed ? "(" + node.text + ")" : node.text;
  }
  bool isNatural(const Expr &e) { return proveLessEqual(0, e, context.ranges) == true; }
  std::string call(const char *function, const Node &a, const Node &b) {
    return std::string(function) + "<" + context.type() + ">(" + a.text + ", " + b.text + ")";
  }
  Node binary(ExprOp op, const Node &a, const Node &b) {
    switch (op) {
    case ExprOp::Add:
      return {a.expr + b.expr, a.text + " + " + b.text, Sum};
    case ExprOp::Sub:
      return {a.expr - b.expr, a.text + " - " + wrap(b, Product), Sum};
    case ExprOp::Mul:
      // Division and product have one precedence: a quotient on the right is wrapped.
      return {a.expr * b.expr, wrap(a, Product) + " * " + wrap(b, Primary), Product};
    case ExprOp::Min:
      return {min(a.expr, b.expr), call("cu_min", a, b), Primary};
    case ExprOp::Max:
      return {max(a.expr, b.expr), call("cu_max", a, b), Primary};
    case ExprOp::FloorDiv:
    case ExprOp::Mod:
    case ExprOp::CeilDiv:
      return divide(op, a, b);
    }
    llvm_unreachable("all operations are handled");
  }
  Node divide(ExprOp op, const Node &a, const Node &b) {
    // A divisor is an extent; where it is 0 there is no index to divide.
    bool natural = isNatural(a.expr) && isNatural(b.expr);
    std::string left = wrap(a, Product), right = wrap(b, Primary);
    if (op == ExprOp::FloorDiv)
      return natural ? Node{floorDiv(a.expr, b.expr), left + " / " + right, Product}
                     : Node{floorDiv(a.expr, b.expr), call("cu_div_floor", a, b), Primary};
    if (op == ExprOp::Mod)
      return natural ? Node{mod(a.expr, b.expr), left + " % " + right, Product}
                     : Node{mod(a.expr, b.expr), call("cu_mod_floor", a, b), Primary};
    // ceil(a / b) = -floor(-a / b)
    Node negated{-a.expr, "-(" + a.text + ")", Primary};
    if (natural)
      return {ceilDiv(a.expr, b.expr), "(" + a.text + " + " + b.text + " - 1) / " + right, Product};
    return {ceilDiv(a.expr, b.expr), "-" + call("cu_div_floor", negated, b), Product};
  }
};

/// Rebuilds an expression and looks whether any node leaves 32 bits.
struct OverflowBuilder {
  const Ranges &ranges;
  bool overflows = false;

  Expr checked(Expr e) {
    Interval range = bounds(e, ranges);
    overflows |= !range.lo || !range.hi || *range.lo < std::numeric_limits<int32_t>::min() ||
                 *range.hi > std::numeric_limits<int32_t>::max();
    return e;
  }
  Expr constant(int64_t value) { return checked(value); }
  Expr symbol(const std::string &name) { return checked(Expr::symbol(name)); }
  Expr binary(ExprOp op, const Expr &a, const Expr &b) {
    if (op == ExprOp::CeilDiv)
      checked(a + b);
    return checked(apply(op, a, b));
  }
};

} // namespace

std::string cuda::ExprText::operator()(const Expr &e) const {
  TextBuilder builder{*this};
  return buildExpr(simplify(e, ranges), builder).text;
}

std::string cuda::ExprText::condition(const Expr &e) const {
  std::vector<Term> positive, negative;
  Expr simple = simplify(e, ranges);
  for (Term term : simple.terms()) {
    bool isNegative = term.coefficient < 0;
    if (isNegative)
      term.coefficient = -term.coefficient;
    (isNegative ? negative : positive).push_back(std::move(term));
  }
  // a - b + c >= 0: a > b where c is -1, else the constant goes where it is positive.
  int64_t c = simple.offset();
  const bool isStrict = c < 0 && !positive.empty();
  const Expr left = Expr::fromTerms(std::move(positive), isStrict ? 0 : std::max<int64_t>(c, 0)),
             right = Expr::fromTerms(std::move(negative), isStrict ? -c - 1 : std::max<int64_t>(-c, 0));
  const bool isNarrow = wide && !mayOverflow32(left, ranges) && !mayOverflow32(right, ranges);
  auto side = [&](const Expr &sum) { return isNarrow && !sum.constant() ? "i32(" + (*this)(sum) + ")" : (*this)(sum); };
  return side(left) + (isStrict ? " > " : " >= ") + side(right);
}

std::string cuda::ExprText::all(ArrayRef<Expr> conditions) const {
  std::string text = llvm::join(llvm::map_range(conditions, [&](const Expr &e) { return condition(e); }), " && ");
  return text.empty() ? "true" : text;
}

bool cuda::mayOverflow32(const Expr &e, const Ranges &ranges) {
  OverflowBuilder builder{ranges};
  buildExpr(simplify(e, ranges), builder);
  return builder.overflows;
}
