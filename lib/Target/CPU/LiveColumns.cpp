//===- lib/Target/CPU/LiveColumns.cpp - columns of scores that do not count ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Follows the scores of a block of keys from their product on:
//   s[m, n] = in_range(e(n)) ? .. : -inf
//   max over n of s[m, n];  w[m, n] = exp(s[m, n] - ..[m]);  sum over n of w[m, n]
//   sum over k of w[m, k] * (e(k) >= 0 ? .. : 0)
// Where e falls with n, columns from e(0) + 1 on change none of these.
//===----------------------------------------------------------------------===//

#include "lib/Target/CPU/RowSteps.h"

using namespace mlir;
using namespace cupola::kernel;
using cupola::graph::ReduceKind;

namespace cupola::cpu {
namespace {

bool isMinusInfinity(Value value) {
  auto constant = value.getDefiningOp<kernel::ConstantOp>();
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  return number && number.getValue().isInfinity() && number.getValue().isNegative();
}

class Finder {
public:
  Finder(Variables &vars, RowSteps &steps) : vars(vars), steps(steps) {}

  std::optional<LiveColumns> find(RowDot &scores) {
    live.columns = scores.columns;
    MapOp masked = onlyReader(scores.dot.getTile());
    if (!masked || masked.getTiles().size() != 1 || !readCondition(masked))
      return std::nullopt;
    setCondition(scores.n);
    if (!readExponents(masked.getTiles()[0]) || !isNeutral(weights, ReduceKind::Sum))
      return std::nullopt;
    return live;
  }

private:
  /// The map that is all that reads the tile.
  static MapOp onlyReader(Value tile) {
    MapOp reader;
    for (Operation *user : tile.getUsers()) {
      auto map = dyn_cast<MapOp>(user->getParentOp());
      auto extract = dyn_cast<ExtractOp>(user);
      if (!map || !extract || !isOwnPoint(extract, map.getBody().getArguments()) || (reader && reader != map))
        return {};
      reader = map;
    }
    return reader;
  }

  void setCondition(const std::string &var) { live.conditions[var] = live.count - 1 - Expr::symbol(var); }

  bool readCondition(MapOp map) {
    auto select = map.getBody().front().getTerminator()->getOperand(0).getDefiningOp<kernel::SelectOp>();
    auto inside = select ? select.getCondition().getDefiningOp<InRangeOp>() : InRangeOp();
    if (!inside || inside.getExprs().size() != 1 || !isMinusInfinity(select.getRhs()))
      return false;
    const std::string row = vars.name(map.getBody().getArgument(0)), column = vars.name(map.getBody().getArgument(1));
    Expr condition = vars.read(inside.getExprs(), inside.getIndices())[0];
    std::optional<Expr> falls = condition.coefficient(column);
    if (!falls || !falls->isConstant(-1) || condition.uses(row))
      return false;
    live.count = condition + Expr::symbol(column) + 1;
    setCondition(column);
    return true;
  }

  /// exp(score - what is the same for the row)
  static bool isExponent(MapOp map, Value scores) {
    auto exp = map.getBody().front().getTerminator()->getOperand(0).getDefiningOp<UnaryOp>();
    auto difference =
        exp && exp.getKind() == graph::UnaryKind::Exp ? exp.getInput().getDefiningOp<BinaryOp>() : BinaryOp();
    if (!difference || difference.getKind() != graph::BinaryKind::Sub)
      return false;
    auto score = difference.getLhs().getDefiningOp<ExtractOp>(), shift = difference.getRhs().getDefiningOp<ExtractOp>();
    return score && shift && score.getTile() == scores && isOwnPoint(score, map.getBody().getArguments()) &&
           shift.getTile().getType().getExtents().size() == 1;
  }

  bool readExponents(Value scores) {
    MapOp exponents;
    for (Operation *user : scores.getUsers()) {
      auto map = dyn_cast<MapOp>(user->getParentOp());
      if (map && map.getTiles().size() == 1 && isExponent(map, scores) && (!exponents || exponents == map))
        exponents = map;
      else if (!isNeutralReduction(user, ReduceKind::Max))
        return false;
    }
    if (!exponents)
      return false;
    setCondition(vars.name(exponents.getBody().getArgument(1)));
    weights = exponents.getTiles()[0];
    return true;
  }

  bool isNeutral(Value tile, ReduceKind kind) {
    return llvm::all_of(tile.getUsers(),
                        [&](Operation *user) { return isNeutralReduction(user, kind) || isNeutralFactor(user); });
  }

  /// The element goes into a reduction as it is.
  bool isNeutralReduction(Operation *user, ReduceKind kind) {
    auto extract = dyn_cast<ExtractOp>(user);
    auto reduce = dyn_cast<kernel::ReduceOp>(user->getParentOp());
    bool isPlain = extract && reduce && reduce.getKinds().size() == 1 && hasAllColumns(reduce.getExtents(), 1) &&
                   cast<graph::ReduceKindAttr>(reduce.getKinds()[0]).getValue() == kind &&
                   reduce.getBody().front().getTerminator()->getOperand(0) == extract.getResult() &&
                   bareIndex(extract, 1) == reduce.getBody().getArgument(0);
    if (isPlain)
      setCondition(vars.name(reduce.getBody().getArgument(0)));
    return isPlain;
  }

  /// 0 of the left operand meets 0 of the right one.
  bool isNeutralFactor(Operation *user) {
    auto extract = dyn_cast<ExtractOp>(user);
    auto dot = dyn_cast<DotOp>(user->getParentOp());
    bool isOwn =
        extract && dot && user->getParentRegion() == &dot.getLhs() && isOwnPoint(extract, dot.getLhs().getArguments());
    Value yielded = isOwn ? dot.getLhs().front().getTerminator()->getOperand(0) : Value();
    while (auto cast = yielded ? yielded.getDefiningOp<kernel::CastOp>() : kernel::CastOp())
      yielded = cast.getInput();
    LoadOp load = isOwn ? onlyLoad(dot.getRhs()) : LoadOp();
    if (!load || yielded != extract.getResult())
      return false;
    RowDot &read = steps.dots[dot];
    setCondition(read.k);
    return hasAllColumns(dot.getExtents(), 3) &&
           vars.read(load.getMask(), load.getIndices()) == graph::Exprs{live.conditions[read.k]};
  }

  /// The last of so many extents.
  bool hasAllColumns(ArrayAttr extents, size_t count) const {
    return extents.size() == count && graph::exprOf(extents[count - 1]).isConstant(live.columns);
  }

  Variables &vars;
  RowSteps &steps;
  LiveColumns live;
  Value weights;
};

} // namespace

std::optional<LiveColumns> findLiveColumns(Variables &vars, RowSteps &steps, int64_t lanes) {
  for (auto &[op, dot] : steps.dots)
    if (!dot.dot.getInit() && dot.columns % lanes == 0) // whole vectors of columns
      if (std::optional<LiveColumns> live = Finder(vars, steps).find(dot))
        return live;
  return std::nullopt;
}

} // namespace cupola::cpu
