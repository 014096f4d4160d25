//===- lib/Target/CUDA/PackedOperand.cpp - right operands that stay packed on their way ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/PackedOperand.h"

#include "lib/Target/CUDA/Lowering.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
namespace {

/// An integer as an expression: made of indices, constants and what multiplies them.
std::optional<Expr> exprOf(Value value, Variables &vars) {
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast_or_null<IndexOp>(op); index && !isIndirect(index.getIndices()))
    return vars.read(index.getExpr(), index.getIndices());
  if (auto cast = dyn_cast_or_null<CastOp>(op))
    return exprOf(cast.getInput(), vars);
  if (auto constant = dyn_cast_or_null<kernel::ConstantOp>(op))
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      return Expr(number.getValue().getSExtValue());
  auto product = dyn_cast_or_null<BinaryOp>(op);
  if (!product || product.getKind() != graph::BinaryKind::Mul)
    return std::nullopt;
  const std::optional<Expr> lhs = exprOf(product.getLhs(), vars), rhs = exprOf(product.getRhs(), vars);
  return lhs && rhs ? std::optional(*lhs * *rhs) : std::nullopt;
}

/// Expressions in k where k = 32 * pair + 16 * second + place.
class Runs {
public:
  Runs(std::string k, const Expr &depth, Variables &vars) : k(std::move(k)), ranges(vars.ranges()) {
    ranges["pair"] = {Expr(0), floorDiv(depth, pairOf) - 1};
    ranges["place"] = {Expr(0), Expr(PackedOperand::run - 1)};
  }

  Expr at(const Expr &e, bool second, const Expr &place) const {
    const Expr here = Expr::symbol("pair") * pairOf + (second ? PackedOperand::run : 0) + place;
    return simplify(e.substitute({{k, here}}), ranges);
  }
  /// What it has for every place of a run, less what it has for the first one.
  Expr along(const Expr &e, bool second) const { return at(e, second, Expr::symbol("place")) - at(e, second, 0); }
  bool isOne(const Expr &e) const { return along(e, false).isConstant(0) && along(e, true).isConstant(0); }
  bool areNeighbours(const Expr &e) const {
    return along(e, false) == Expr::symbol("place") && along(e, true) == Expr::symbol("place");
  }

private:
  static constexpr int64_t pairOf = 2 * PackedOperand::run;
  std::string k;
  Ranges ranges;
};

/// A load that needs no condition, and its position.
std::optional<Expr> plainPosition(LoadOp load, Variables &vars) {
  if (!load || !load.getMask().empty() || isIndirect(load.getIndices()))
    return std::nullopt;
  return vars.read(load.getPosition(), load.getIndices());
}

} // namespace

std::optional<PackedOperand> packedOperand(Block &operand, Value kIndex, const Expr &depth, Variables &vars,
                                           const std::map<std::string, int64_t> &divisors) {
  Operation *result = operand.getTerminator()->getOperand(0).getDefiningOp();
  std::optional<Nibbles> nibbles = result ? nibblesOf(result) : std::nullopt;
  if (!nibbles || !divisible(depth, 2 * PackedOperand::run, divisors))
    return std::nullopt;
  PackedOperand found;
  found.nibbles = *nibbles;
  const Runs runs(vars.name(kIndex), depth, vars);
  const std::optional<Expr> shift = exprOf(nibbles->shift, vars), bytes = plainPosition(nibbles->bytes, vars);
  if (!shift || !bytes || !runs.isOne(*shift) || !runs.areNeighbours(*bytes) ||
      !divisible(runs.at(*bytes, false, 0), PackedOperand::run, divisors) ||
      !divisible(runs.at(*bytes, true, 0), PackedOperand::run, divisors))
    return std::nullopt;
  found.shift = *shift;
  found.areTwoRuns = runs.at(*bytes, true, 0) == runs.at(*bytes, false, 0);
  auto isOfRuns = [&](LoadOp load) {
    const std::optional<Expr> position = plainPosition(load, vars);
    found.haveOneScale &= position && runs.at(*position, true, 0) == runs.at(*position, false, 0);
    return position && runs.isOne(*position);
  };
  found.scale = nibbles->scale.getDefiningOp<LoadOp>();
  found.offset = nibbles->offsetValue ? nibbles->offsetValue.getDefiningOp<LoadOp>() : LoadOp();
  if (!isOfRuns(found.scale) || (nibbles->offsetValue && !isOfRuns(found.offset)))
    return std::nullopt;
  return found;
}

} // namespace cupola::cuda
