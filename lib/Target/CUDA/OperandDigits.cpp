//===- lib/Target/CUDA/OperandDigits.cpp - m and k of a convolution's left operand, taken apart ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/OperandDigits.h"

#include "lib/Target/CUDA/OperandCopies.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {

namespace {

/// Where the digits of `var` begin, as far as an expression tells.
void addUnits(const Expr &e, const Expr &var, std::set<int64_t> &units) {
  for (const Term &term : e.terms())
    for (const Factor &factor : term.factors) {
      const Atom &atom = *factor.atom;
      if (atom.kind() == Atom::Kind::Symbol)
        continue;
      const std::optional<int64_t> divisor = atom.rhs().constant();
      if (divisor && atom.lhs() == var)
        units.insert(*divisor);
      // The digit behind a unit: mod(floordiv(var, unit), divisor).
      for (int64_t unit : std::set<int64_t>(units))
        if (divisor && atom.lhs() == floorDiv(var, unit))
          units.insert(unit * *divisor);
      addUnits(atom.lhs(), var, units);
    }
}

class Reader {
public:
  Reader(FuncOp func, DotOp dot, Variables &vars)
      : vars(vars), extents(graph::exprsOf(dot.getExtents())), m(vars.of(indicesOf(dot).m)),
        k(vars.of(indicesOf(dot).k)), ranges(vars.ranges()) {
    result.load = plainLoad(dot.getLhs().front());
    result.divisors = scalarDivisors(func.getScalars());
  }

  std::optional<OperandDigits> read() {
    if (!result.load || !extents[2].constant() || !setDigits() || !setStrides())
      return std::nullopt;
    return result;
  }

private:
  /// The digits of a variable; empty where its units do not divide one another.
  std::vector<Digit> digitsOf(const Expr &var, const Expr &extent, ArrayRef<Expr> exprs, StringRef prefix) {
    std::set<int64_t> units;
    for (int round = 0; round < 2; ++round) // a unit is seen after the one that it builds on
      for (const Expr &e : exprs)
        addUnits(e, var, units);
    units.insert(1);
    std::vector<Digit> digits;
    for (int64_t unit : units) {
      if (!digits.empty()) {
        if (unit % digits.back().unit != 0)
          return {};
        digits.back().extent = unit / digits.back().unit;
      }
      digits.push_back({(prefix + llvm::Twine(digits.size())).str(), unit, {}});
    }
    digits.back().extent = simplify(floorDiv(extent, digits.back().unit), ranges);
    return digits.back().extent * digits.back().unit == extent ? digits : std::vector<Digit>();
  }

  bool setDigits() {
    result.base = simplify(vars.read(result.load.getPosition(), result.load.getIndices()), ranges);
    for (const Expr &e : vars.read(result.load.getMask(), result.load.getIndices()))
      result.masks.push_back(simplify(e, ranges));
    graph::Exprs all = result.masks;
    all.push_back(result.base);
    result.m = digitsOf(m, extents[0], all, "m_");
    result.k = digitsOf(k, extents[2], all, "k_");
    return !result.m.empty() && !result.k.empty();
  }

  /// The position, with its strides, and the masks in terms of the digits.
  bool setStrides() {
    std::map<std::string, Expr> values;
    for (auto [var, digits] : {std::pair(&m, &result.m), {&k, &result.k}}) {
      Expr value;
      for (const Digit &digit : *digits) {
        value += digit.unit * Expr::symbol(digit.name);
        ranges[digit.name] = {Expr(0), digit.extent - 1};
      }
      values[*var->asSymbol()] = value;
    }
    result.base = simplify(result.base.substitute(values), ranges);
    for (Expr &mask : result.masks)
      mask = simplify(mask.substitute(values), ranges);
    for (std::vector<Digit> *digits : {&result.m, &result.k})
      for (Digit &digit : *digits) {
        std::optional<int64_t> stride = takeDigit(result.base, digit.name);
        if (!stride || *stride < 0)
          return false;
        digit.stride = *stride;
      }
    return llvm::none_of(result.base.symbols(), [&](const std::string &symbol) { return vars.value(symbol); });
  }

  Variables &vars;
  const graph::Exprs extents;
  const Expr m, k;
  Ranges ranges;
  OperandDigits result;
};

} // namespace

std::optional<int64_t> takeDigit(Expr &e, const std::string &digit) {
  std::optional<Expr> found = e.coefficient(digit);
  if (!found || !found->constant())
    return std::nullopt;
  e -= *found * Expr::symbol(digit);
  return found->constant();
}

std::optional<OperandDigits> operandDigits(FuncOp func, DotOp dot, Variables &vars) {
  return Reader(func, dot, vars).read();
}

} // namespace cupola::cuda
