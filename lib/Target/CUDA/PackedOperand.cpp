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

/// The load of the bytes, if all others are the same for a run and what is made of them is made of nothing else.
LoadOp bytesOf(Block &operand, const Runs &runs, Variables &vars) {
  LoadOp bytes;
  for (Operation &op : operand.without_terminator()) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load && !isa<kernel::ConstantOp, CastOp, UnaryOp, BinaryOp, SelectOp>(op))
      return {};
    const std::optional<Expr> position = load ? plainPosition(load, vars) : Expr(0);
    if (!position)
      return {};
    if (runs.isOne(*position))
      continue;
    if (bytes || !load.getType().isInteger(8))
      return {};
    bytes = load;
  }
  return bytes;
}

/// Both runs of 16 begin at whole vectors, which is what a thread loads.
bool takeBytes(PackedOperand &found, const Runs &runs, Variables &vars,
               const std::map<std::string, int64_t> &divisors) {
  const std::optional<Expr> position = plainPosition(found.bytes, vars);
  if (!position || !runs.areNeighbours(*position))
    return false;
  const Expr first = runs.at(*position, false, 0), second = runs.at(*position, true, 0);
  found.areTwoRuns = first == second;
  return divisible(first, PackedOperand::run, divisors) && divisible(second, PackedOperand::run, divisors);
}

bool takeOther(PackedOperand &found, LoadOp load, const Runs &runs, Variables &vars) {
  const std::optional<Expr> position = plainPosition(load, vars);
  if (!position || !runs.isOne(*position))
    return false;
  found.others.push_back(load);
  found.areSame &= runs.at(*position, true, 0) == runs.at(*position, false, 0);
  return true;
}

/// What simt.unpack needs.
bool takeNibbles(PackedOperand &found, const Runs &runs, Variables &vars) {
  found.bytes = found.nibbles->bytes;
  const std::optional<Expr> shift = exprOf(found.nibbles->shift, vars);
  if (!shift || !runs.isOne(*shift) || !takeOther(found, found.nibbles->scale.getDefiningOp<LoadOp>(), runs, vars))
    return false;
  found.shift = *shift;
  const Value offset = found.nibbles->offsetValue;
  return !offset || takeOther(found, offset.getDefiningOp<LoadOp>(), runs, vars);
}

} // namespace

std::optional<PackedOperand> packedOperand(Block &operand, Value kIndex, const Expr &depth, Variables &vars,
                                           const std::map<std::string, int64_t> &divisors) {
  const Value result = operand.getTerminator()->getOperand(0);
  Operation *made = result.getDefiningOp();
  if (!made || isa<LoadOp>(made) || !isa<FloatType>(result.getType()) || graph::byteSize(result.getType()) != 2 ||
      !divisible(depth, 2 * PackedOperand::run, divisors))
    return std::nullopt;
  const Runs runs(vars.name(kIndex), depth, vars);
  PackedOperand found;
  found.nibbles = nibblesOf(made);
  if (found.nibbles) {
    if (!takeNibbles(found, runs, vars))
      return std::nullopt;
  } else {
    found.bytes = bytesOf(operand, runs, vars);
    for (LoadOp load : operand.getOps<LoadOp>())
      if (load != found.bytes && !takeOther(found, load, runs, vars))
        return std::nullopt;
  }
  return takeBytes(found, runs, vars, divisors) ? std::optional(std::move(found)) : std::nullopt;
}

} // namespace cupola::cuda
