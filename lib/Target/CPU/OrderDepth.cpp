//===- lib/Target/CPU/OrderDepth.cpp - the depth runs as the left operand lies ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The order of a sum is free. A convolution's depth has the channels innermost; where
// the image has them outermost, as the inputs of most models, neighbours along k lie
// far from each other:
//   ["12544", "64", "147"] lhs { load ["224*floordiv(d2, 21) + 50176*mod(d2, 3) + .."] }
// becomes, with the digits of k sorted by their steps in memory,
//   ["12544", "64", "147"] lhs { load ["50176*floordiv(d2, 49) + 224*mod(floordiv(d2, 7), 7) + mod(d2, 7)"] }
// and the right operand, which is packed anyway, follows.

#include "lib/Target/CPU/Access.h"
#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Target/CPU/DepthPieces.h"

using namespace mlir;
using namespace cupola::kernel;
using cupola::graph::exprOf;

namespace cupola::cpu {
namespace {

/// k = sum of unit * digit, 0 <= digit < extent; `step` is the digit's in memory.
struct Digit {
  int64_t unit, extent, step;
};
using Digits = std::vector<Digit>;

std::string digitName(size_t i) { return "digit" + std::to_string(i); }

/// Innermost first. Empty: k does not consist of digits.
Digits digitsOf(DotOp dot) {
  std::optional<int64_t> depth = graph::exprsOf(dot.getExtents())[2].constant();
  std::set<int64_t> units = depthDivisors(dot, dot.getLhs());
  if (!depth || *depth < 2 || units.empty())
    return {};
  units.insert(*depth);
  Digits digits;
  int64_t unit = 1;
  for (int64_t next : units) {
    if (next % unit != 0 || next > *depth)
      return {};
    if (next != unit)
      digits.push_back({unit, next / unit, 0});
    unit = next;
  }
  return digits;
}

/// Finds the steps; false where the position is not linear in the digits.
bool findSteps(DotOp dot, const Expr &position, Digits &digits) {
  Ranges ranges = rangesAt(dot);
  Expr k;
  for (size_t i = 0; i < digits.size(); ++i) {
    ranges[digitName(i)] = {Expr(0), Expr(digits[i].extent - 1)};
    k += Expr::symbol(digitName(i)) * digits[i].unit;
  }
  Expr inDigits = simplify(position.substitute({{cast<StringAttr>(dot.getVars()[2]).str(), k}}), ranges);
  for (size_t i = 0; i < digits.size(); ++i) {
    std::optional<Expr> step = inDigits.coefficient(digitName(i));
    if (!step || !step->constant())
      return false;
    digits[i].step = *step->constant();
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

} // namespace

void orderDepth(FuncOp func) {
  DotOp dot;
  func.walk([&](DotOp op) { dot = op; });
  auto loads = dot ? llvm::to_vector(dot.getLhs().getOps<LoadOp>()) : SmallVector<LoadOp>();
  if (loads.size() != 1)
    return;
  Digits digits = digitsOf(dot);
  if (digits.size() < 2 || !findSteps(dot, loads[0].getPosition(), digits) || std::abs(digits[0].step) == 1)
    return;
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return std::make_pair(std::abs(a.step), a.unit) < std::make_pair(std::abs(b.step), b.unit);
  });
  if (std::abs(digits[0].step) != 1)
    return;
  std::string depth = cast<StringAttr>(dot.getVars()[2]).str();
  Ranges ranges = rangesAt(dot);
  Expr old = reordered(digits, Expr::symbol(depth));
  for (Region *operand : {&dot.getLhs(), &dot.getRhs()})
    operand->walk([&](Operation *op) {
      mapExprs(op, [&](const Expr &e) { return e.uses(depth) ? simplify(e.substitute({{depth, old}}), ranges) : e; });
    });
}

} // namespace cupola::cpu
