//===- lib/Target/CPU/LoopParts.cpp - loops in parts whose conditions are known ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/LoopParts.h"

#include <algorithm>

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

graph::Exprs conditionsOf(Variables &vars, Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return vars.read(load.getMask(), load.getIndices());
  if (auto store = dyn_cast<StoreOp>(op))
    return vars.read(store.getMask(), store.getIndices());
  if (auto range = dyn_cast<InRangeOp>(op))
    return vars.read(range.getExprs(), range.getIndices());
  return {};
}

namespace {

/// Copies of a body, and ops in all of them: code that nobody runs costs time to compile.
constexpr size_t kMostCopies = 16, kMostOps = 4096;
/// Parts whose order is not known.
constexpr size_t kMostUnordered = 3;

/// What loops inside of a nest add to `e` at least; nothing where that is not known.
std::optional<int64_t> leastInside(Variables &vars, const Expr &e) {
  Expr inside;
  for (const std::string &symbol : e.symbols())
    if (vars.value(symbol)) {
      const std::optional<Expr> step = e.coefficient(symbol);
      if (!step || !step->constant())
        return std::nullopt;
      inside = inside + *step * Expr::symbol(symbol);
    }
  return bounds(inside, vars.ranges()).lo;
}

/// Where a condition begins or ends to hold, whatever loops inside do. `isExact`: these have no part in it.
struct Cut {
  Expr at;
  bool begins, isExact;
};

/// Of e >= 0, by `var`; nothing if that depends on others of `loops`.
std::optional<Cut> cutOf(Variables &vars, const Expr &e, const std::string &var, ArrayRef<std::string> loops) {
  const std::optional<Expr> step = e.coefficient(var);
  const int64_t known = step ? step->constant().value_or(0) : 0;
  if (known == 0)
    return std::nullopt;
  Expr rest = simplify(e - Expr(known) * Expr::symbol(var), vars.ranges());
  if (llvm::any_of(rest.symbols(), [&](const std::string &symbol) { return llvm::is_contained(loops, symbol); }))
    return std::nullopt;
  const std::optional<int64_t> inside = leastInside(vars, rest);
  if (!inside)
    return std::nullopt;
  std::map<std::string, Expr> none;
  for (const std::string &symbol : rest.symbols())
    if (vars.value(symbol))
      none[symbol] = 0;
  rest = simplify(rest.substitute(none) + Expr(*inside), vars.ranges());
  const Expr at = known > 0 ? ceilDiv(Expr(0) - rest, Expr(known)) : floorDiv(rest, Expr(-known)) + 1;
  return Cut{simplify(at, vars.ranges()), known > 0, none.empty()};
}

/// Builds an expression again where nothing goes round: remainders of what may be negative are what they are of.
struct Unwrapped {
  const Ranges &ranges;
  static Expr constant(int64_t value) { return value; }
  static Expr symbol(const std::string &name) { return Expr::symbol(name); }
  Expr binary(ExprOp op, const Expr &a, const Expr &b) const {
    return op == ExprOp::Mod && goesRound(a, ranges) ? a : apply(op, a, b);
  }
  /// As a place before the first one does, of a padded image that is repeated or reflected.
  static bool goesRound(const Expr &dividend, const Ranges &ranges) {
    return bounds(dividend, ranges).lo.value_or(0) < 0;
  }
};

/// Calls `visit` with what is >= 0 where one of several places is the one in `e`: a - b and b - a - 1 of every smaller
/// and every larger one of two, a and b, and both ends of what goes round, behind those of which it is a part.
void forEachDifference(const Expr &e, const Ranges &ranges, llvm::function_ref<void(const Expr &)> visit) {
  Unwrapped unwrapped{ranges};
  for (const Term &term : e.terms())
    for (const Factor &factor : term.factors)
      if (const Atom &atom = *factor.atom; atom.kind() != Atom::Kind::Symbol) {
        if (atom.kind() == Atom::Kind::Min || atom.kind() == Atom::Kind::Max) {
          const Expr difference = buildExpr(atom.lhs() - atom.rhs(), unwrapped);
          visit(difference);
          visit(Expr(-1) - difference);
        } else if (atom.kind() == Atom::Kind::Mod && Unwrapped::goesRound(atom.lhs(), ranges)) {
          visit(atom.lhs());
          visit(atom.rhs() - 1 - atom.lhs());
        }
        forEachDifference(atom.lhs(), ranges, visit);
        forEachDifference(atom.rhs(), ranges, visit);
      }
}

graph::Exprs positionOf(Variables &vars, Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return {vars.read(load.getPosition(), load.getIndices())};
  if (auto store = dyn_cast<StoreOp>(op))
    return {vars.read(store.getPosition(), store.getIndices())};
  return {};
}

class Cutter {
public:
  Cutter(Variables &vars, ArrayRef<std::string> loops, Block &body) : vars(vars), loops(loops), body(body) {}

  /// Where windows of other loops begin or end to be inside is rounded to whole vectors of `lanes`, towards the middle:
  /// a vector that is in both parts would be two.
  LoopParts cut(const std::string &var, const Expr &extent, int64_t lanes) {
    std::vector<Expr> ends{extent};
    const auto add = [&](const Expr &condition) {
      if (const std::optional<Cut> found = cutOf(vars, condition, var, loops))
        insert(found->isExact ? found->at : inVectors(*found, lanes), ends);
    };
    body.walk([&](Operation *op) { llvm::for_each(conditionsOf(vars, op), add); });
    // Where places of a padded dimension are reflected at both ends, one is known when it is known that the other is.
    for (size_t before = 0; before < ends.size() && ends.size() <= kMostCopies;) {
      before = ends.size();
      for (const LoopPart &part : between(ends))
        body.walk([&](Operation *op) {
          for (const Expr &position : positionOf(vars, op))
            if (position.uses(var))
              forEachDifference(simplify(position, within({{var, part}}, vars.ranges())), vars.ranges(), add);
        });
    }
    return between(ends);
  }

private:
  Expr inVectors(const Cut &cut, int64_t lanes) const {
    return simplify((cut.begins ? ceilDiv(cut.at, lanes) : floorDiv(cut.at, lanes)) * lanes, vars.ranges());
  }

  Expr larger(const Expr &a, const Expr &b) const { return simplify(max(a, b), vars.ranges()); }
  Expr smaller(const Expr &a, const Expr &b) const { return simplify(min(a, b), vars.ranges()); }

  LoopParts between(ArrayRef<Expr> ends) const {
    LoopParts parts;
    Expr begin = 0, from = 0;
    for (const Expr &to : ends) {
      const Expr end = isOrdered ? to : smaller(larger(begin, to), ends.back());
      parts.push_back({begin, end, from, to});
      begin = end;
      from = isOrdered ? to : larger(from, to);
    }
    return parts;
  }

  /// Where it is not known which comes first, numbers do, so that the parts between the two ends of a long loop are
  /// one.
  void insert(const Expr &at, std::vector<Expr> &ends) {
    const Interval own = bounds(at, vars.ranges());
    if (own.hi.value_or(1) <= 0) // at the beginning or before it
      return;
    bool isKnown = true;
    for (auto next = ends.begin(); next != ends.end(); ++next) {
      const Interval after = bounds(simplify(*next - at, vars.ranges()), vars.ranges());
      const bool isLast = next + 1 == ends.end();
      if ((after.lo == 0 && after.hi == 0) || (isLast && after.hi.value_or(1) <= 0))
        return;
      const bool isBefore = after.lo.value_or(-1) >= 0, isBehind = after.hi.value_or(1) <= 0;
      isKnown &= isBefore || isBehind;
      const bool isFirst = isBefore || isLast || (!isBehind && at.constant() && !next->constant());
      if (!isFirst)
        continue;
      if (!isKnown && ends.size() >= kMostUnordered)
        return;
      isOrdered &= isKnown && own.lo.value_or(-1) >= 0;
      ends.insert(next, at);
      return;
    }
  }

  Variables &vars;
  ArrayRef<std::string> loops;
  Block &body;
  bool isOrdered = true; ///< each cut is known to come before the next
};

} // namespace

Ranges within(const LiveParts &parts, const Ranges &ranges) {
  Ranges known = ranges;
  for (const auto &[var, part] : parts)
    known[var] = {part.from, part.to - 1};
  return known;
}

std::vector<LoopParts> cutLoops(Variables &vars, ArrayRef<std::string> loops, ArrayRef<Expr> extents, Block &body,
                                int64_t lanes) {
  size_t ops = 0, copies = 1;
  body.walk([&](Operation *) { ++ops; });
  std::vector<LoopParts> all(loops.size());
  for (size_t i = loops.size(); i-- > 0;) { // the innermost first: it asks most often
    all[i] = Cutter(vars, loops, body).cut(loops[i], extents[i], i + 1 == loops.size() ? lanes : 1);
    const LoopParts whole{{Expr(0), extents[i]}};
    const size_t more = copies * all[i].size();
    if (more > kMostCopies || more * ops > kMostOps)
      all[i] = whole;
    else
      copies = more;
  }
  return all;
}

static std::optional<bool> holdsIn(const LiveParts &parts, const Expr &condition, const Ranges &ranges) {
  Expr least = condition, most = condition;
  for (const auto &[var, part] : parts) {
    const std::optional<Expr> step = condition.coefficient(var);
    const int64_t known = step ? step->constant().value_or(0) : 0;
    if (!step || (known == 0 && condition.uses(var)))
      return std::nullopt;
    least = least.substitute({{var, known >= 0 ? part.from : part.to - 1}});
    most = most.substitute({{var, known >= 0 ? part.to - 1 : part.from}});
  }
  if (bounds(simplify(least, ranges), ranges).lo.value_or(-1) >= 0)
    return true;
  if (bounds(simplify(most, ranges), ranges).hi.value_or(0) < 0)
    return false;
  return std::nullopt;
}

std::optional<bool> holdsIn(const LiveParts &parts, ArrayRef<Expr> conditions, const Ranges &ranges) {
  bool all = true;
  for (const Expr &condition : conditions) {
    const std::optional<bool> holds = parts.empty() ? std::nullopt : holdsIn(parts, condition, ranges);
    if (holds == false)
      return false;
    all = all && holds.has_value();
  }
  return all ? std::optional(true) : std::nullopt;
}

llvm::DenseSet<Operation *> neededOps(Block &body, function_ref<std::optional<bool>(Operation *)> isKnown) {
  llvm::DenseSet<Operation *> needed;
  const auto need = [&](Value value) {
    if (Operation *op = value ? value.getDefiningOp() : nullptr)
      needed.insert(op);
  };
  for (Operation &op : llvm::reverse(body)) {
    const bool acts = op.getNumResults() == 0 || isa<CheckedIndexOp>(op);
    if ((!acts && !needed.contains(&op)) || (isa<StoreOp>(op) && isKnown(&op) == false))
      continue;
    needed.insert(&op);
    auto select = dyn_cast<kernel::SelectOp>(op);
    Operation *condition = select ? select.getCondition().getDefiningOp() : nullptr;
    const std::optional<bool> chosen = condition && isa<InRangeOp>(condition) ? isKnown(condition) : std::nullopt;
    if (chosen)
      need(*chosen ? select.getLhs() : select.getRhs());
    else if (auto load = dyn_cast<LoadOp>(op); load && load.getOther() && isKnown(load) == false)
      need(load.getOther());
    else
      op.walk([&](Operation *nested) { llvm::for_each(nested->getOperands(), need); });
  }
  return needed;
}

} // namespace cupola::cpu
