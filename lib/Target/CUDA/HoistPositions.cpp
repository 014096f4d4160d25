//===- lib/Target/CUDA/HoistPositions.cpp - what positions and conditions have in common in all iterations ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"
#include "lib/Target/CUDA/Print.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace cupola::cuda {
#define GEN_PASS_DEF_HOISTPOSITIONS
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// Of a loop around a copy. ptxas keeps a pointer per access where the part of its position that changes stands between
/// others that do not, and one for all accesses where that is apart: their distances are constants then.
class Hoister {
public:
  explicit Hoister(simt::ForOp loop) : loop(loop), builder(loop), vars(loop->getParentOfType<simt::FuncOp>()) {}

  /// What all iterations have in common comes before the loop; if `threads`, only where it differs between threads or
  /// blocks.
  void hoistPosition(AsyncCopyOp copy, bool threads) {
    const Expr position = expanded(vars.read(copy.getPosition(), copy.getIndices()));
    const std::optional<Parts> parts = partsOf(position);
    if (!parts || parts->same.constant() || (threads && !parts->differs))
      return;
    const int64_t offset = threads ? 0 : position.offset();
    Expr at = parts->same + offset;
    SmallVector<Value> indices = vars.write(at);
    Value view = AdvanceOp::create(builder, copy.getLoc(), copy.getView().getType(), copy.getView(), at, indices);
    copy.getViewMutable().assign(view);
    rewrite(copy, parts->other + (position.offset() - offset), vars.read(copy.getMask(), copy.getIndices()));
  }

  /// Conditions of 64 bits become such of a few: how much room there is before the loop, as far as it matters.
  void hoistMask(AsyncCopyOp copy) {
    graph::Exprs mask = vars.read(copy.getMask(), copy.getIndices());
    for (Expr &condition : mask)
      condition = inRoom(condition, copy.getLoc());
    rewrite(copy, vars.read(copy.getPosition(), copy.getIndices()), mask);
  }
  void hoistConditions(InRangeOp op) {
    vars.rewrite(op, [&](const Expr &condition) { return inRoom(condition, op.getLoc()); });
  }

private:
  bool isInside(Value value) { return loop->isAncestor(value.getParentBlock()->getParentOp()); }

  /// With the variables of the loop's body replaced by what they are.
  Expr expanded(const Expr &e) {
    std::map<std::string, Expr> values;
    for (const std::string &symbol : e.symbols()) {
      Value value = vars.value(symbol);
      auto apply = value && isInside(value) ? value.getDefiningOp<ApplyOp>() : ApplyOp();
      if (apply)
        values[symbol] = expanded(vars.read(apply.getExpr(), apply.getIndices()));
    }
    return values.empty() ? e : simplify(e.substitute(values), vars.ranges());
  }

  /// Of a sum, without its constant: what is the same in all iterations, and the rest.
  struct Parts {
    Expr same, other;
    bool differs = false; ///< the first, between threads or blocks
  };
  /// None where some term is the same for one thread alone.
  std::optional<Parts> partsOf(const Expr &sum) {
    std::vector<Term> same, other;
    Parts parts;
    for (const Term &term : sum.terms()) {
      bool changes = false, differs = false;
      for (const std::string &symbol : Expr::fromTerms({term}, 0).symbols())
        if (Value value = vars.value(symbol))
          (isInside(value) ? changes : differs) = true;
      if (changes && differs)
        return std::nullopt;
      parts.differs |= differs;
      (changes ? other : same).push_back(term);
    }
    parts.same = Expr::fromTerms(std::move(same), 0);
    parts.other = Expr::fromTerms(std::move(other), 0);
    return parts;
  }

  /// same + other >= 0 as room + other >= 0, where room is no more than what decides for any `other`.
  Expr inRoom(const Expr &condition, Location loc) {
    if (!cuda::mayOverflow32(condition, vars.ranges()))
      return condition;
    const Expr whole = expanded(condition);
    const std::optional<Parts> parts = partsOf(whole);
    if (!parts || parts->same.constant() || parts->other.constant())
      return condition;
    const auto [least, most] = bounds(parts->other, vars.ranges());
    if (!least || !most || cuda::mayOverflow32(parts->other, vars.ranges()))
      return condition;
    const int64_t enough = *most - *least + 1;
    Expr room = max(min(parts->same + whole.offset() + *most + 1, enough), 0);
    SmallVector<Value> indices = vars.write(room);
    Value value =
        ApplyOp::create(builder, cuda::namedLoc(loc, "room"), builder.getIndexType(), room, Expr(enough + 1), indices);
    return vars.of(value) + parts->other - (*most + 1);
  }

  void rewrite(AsyncCopyOp copy, const Expr &position, const graph::Exprs &mask) {
    graph::Exprs exprs = {position, vars.read(copy.getTarget(), copy.getIndices())};
    llvm::append_range(exprs, mask);
    SmallVector<Value> indices = vars.write(exprs);
    copy.setPosition(exprs[0]);
    copy.setTarget(exprs[1]);
    copy.setMaskAttr(graph::exprArray(builder.getContext(), ArrayRef(exprs).drop_front(2)));
    copy.getIndicesMutable().assign(indices);
  }

  simt::ForOp loop;
  OpBuilder builder;
  Variables vars;
};

/// The loops around an op whose iterations become copies behind each other, the outermost of them, and the one that
/// stays one around these.
struct LoopsAround {
  simt::ForOp unrolled, loop;

  explicit LoopsAround(Operation *op) : loop(op->getParentOfType<simt::ForOp>()) {
    for (; loop && loop.getUnroll(); loop = loop->getParentOfType<simt::ForOp>())
      unrolled = loop;
  }
};

void hoist(AsyncCopyOp copy) {
  const LoopsAround loops(copy);
  if (loops.loop)
    Hoister(loops.loop).hoistPosition(copy, /*threads=*/true);
  if (!loops.unrolled)
    return;
  Hoister unrolled(loops.unrolled);
  unrolled.hoistPosition(copy, /*threads=*/false);
  unrolled.hoistMask(copy);
}

void hoist(InRangeOp op) {
  if (const LoopsAround loops(op); loops.unrolled)
    Hoister(loops.unrolled).hoistConditions(op);
}

struct HoistPositions : cuda::impl::HoistPositionsBase<HoistPositions> {
  void runOnOperation() override {
    getOperation()->walk([](AsyncCopyOp copy) { hoist(copy); });
    getOperation()->walk([](InRangeOp op) { hoist(op); });
  }
};

} // namespace
