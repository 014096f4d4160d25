//===- lib/Target/CPU/OrderDepth.cpp - the depth runs as the left operand lies ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The order of a sum is free. A convolution's depth has the channels innermost; where
// the image has them outermost, as the inputs of most models, neighbours along k lie
// far from each other:
//   [12544, 64, 147] lhs (%m, %k) { load [224*floordiv(%k, 21) + 50176*mod(%k, 3) + ..] }
// becomes, with the digits of k sorted by their steps in memory,
//   [12544, 64, 147] lhs (%m, %k) { load [50176*floordiv(%k, 49) + 224*mod(floordiv(%k, 7), 7) + mod(%k, 7)] }
// and the right operand, which is packed anyway, follows.

#include "lib/Target/CPU/Access.h"
#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Target/CPU/KernelPlan.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {
namespace {

/// k = sum of unit * digit, 0 <= digit < extent; `step` is the digit's in memory.
struct Digit {
  int64_t unit, extent;
  Expr step = 0;

  /// How far it goes; the extents of an image may be open.
  double distance() const { return distanceOf(step); }
  bool isBeside() const { return step.isConstant(1) || step.isConstant(-1); }
};
using Digits = std::vector<Digit>;

std::string digitName(size_t i) { return "digit" + std::to_string(i); }

/// Innermost first. Empty: k does not consist of digits.
Digits digitsOf(Variables &vars, DotOp dot) {
  std::optional<int64_t> depth = graph::exprsOf(dot.getExtents())[2].constant();
  std::set<int64_t> units = depthDivisors(vars, dot, dot.getLhs());
  if (!depth || *depth < 2 || units.empty())
    return {};
  units.insert(*depth);
  Digits digits;
  int64_t unit = 1;
  for (int64_t next : units) {
    if (next % unit != 0 || next > *depth)
      return {};
    if (next != unit)
      digits.push_back({unit, next / unit});
    unit = next;
  }
  return digits;
}

/// Finds the steps; false where the position is not linear in the digits.
bool findSteps(Variables &vars, DotOp dot, LoadOp load, Digits &digits) {
  Expr position = vars.read(load.getPosition(), load.getIndices());
  Ranges ranges = vars.ranges();
  Expr k;
  for (size_t i = 0; i < digits.size(); ++i) {
    ranges[digitName(i)] = {Expr(0), Expr(digits[i].extent - 1)};
    k += Expr::symbol(digitName(i)) * digits[i].unit;
  }
  Expr inDigits = simplify(position.substitute({{vars.name(indicesOf(dot).k), k}}), ranges);
  for (size_t i = 0; i < digits.size(); ++i) {
    std::optional<Expr> step = inDigits.coefficient(digitName(i));
    if (!step)
      return false;
    digits[i].step = *step;
  }
  return true;
}

/// The old k as an expression of the new one.
Expr reordered(const Digits &sorted, const Expr &k) {
  Expr old;
  int64_t unit = 1;
  for (const Digit &digit : sorted) {
    old += mod(floorDiv(k, unit), digit.extent) * digit.unit;
    unit *= digit.extent;
  }
  return old;
}

void substituteDepth(Variables &vars, DotOp dot, const Expr &old) {
  Value k = indicesOf(dot).k, rhsK = dot.getRhs().getArgument(0);
  std::string depth = vars.name(k);
  auto usesDepth = [&](const Expr &e) { return e.uses(depth); };
  dot->walk([&](PositionInterface op) {
    if (llvm::any_of(vars.read(op), usesDepth))
      vars.rewrite(
          op, [&](const Expr &e) { return usesDepth(e) ? simplify(e.substitute({{depth, old}}), vars.ranges()) : e; });
  });
  // One symbol for k in both regions, but each has a value of its own.
  k.replaceUsesWithIf(rhsK, [&](OpOperand &use) { return dot.getRhs().isAncestor(use.getOwner()->getParentRegion()); });
}

} // namespace

void orderDepth(FuncOp func) {
  DotOp dot = dotOf(func);
  auto loads = dot && !dot.getBlock() ? llvm::to_vector(dot.getLhs().getOps<LoadOp>()) : SmallVector<LoadOp>();
  if (loads.size() != 1)
    return;
  Variables vars(func);
  Digits digits = digitsOf(vars, dot);
  if (digits.size() < 2 || !findSteps(vars, dot, loads[0], digits) || digits[0].isBeside())
    return;
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return std::make_pair(a.distance(), a.unit) < std::make_pair(b.distance(), b.unit);
  });
  if (!digits[0].isBeside())
    return;
  substituteDepth(vars, dot, reordered(digits, vars.of(indicesOf(dot).k)));
}

} // namespace cupola::cpu
