//===- lib/Target/CUDA/HoistPositions.cpp - what positions have in common in all iterations ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace cupola::cuda {
#define GEN_PASS_DEF_HOISTPOSITIONS
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// Of one main loop. ptxas keeps a pointer per access where the part of its position that changes stands between others
/// that do not, and one for all accesses where that is apart: their distances are constants then.
class Hoister {
public:
  explicit Hoister(simt::ForOp loop) : loop(loop), builder(loop), vars(loop->getParentOfType<simt::FuncOp>()) {}

  void run() {
    SmallVector<AsyncCopyOp> copies;
    loop.walk([&](AsyncCopyOp copy) { copies.push_back(copy); });
    for (AsyncCopyOp copy : copies)
      hoist(copy);
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

  /// Whether a part of a position changes in the loop, and whether it differs between threads or blocks.
  struct Dependence {
    bool changes = false, differs = false;
  };
  Dependence dependenceOf(const Term &term) {
    Dependence result;
    for (const std::string &symbol : Expr::fromTerms({term}, 0).symbols())
      if (Value value = vars.value(symbol))
        (isInside(value) ? result.changes : result.differs) = true;
    return result;
  }

  /// The terms that are the same in all iterations; none where some term is that only for one thread.
  std::optional<Expr> invariant(const Expr &position) {
    std::vector<Term> kept;
    bool differs = false;
    for (const Term &term : position.terms()) {
      const Dependence found = dependenceOf(term);
      if (found.changes && found.differs)
        return std::nullopt;
      differs |= found.differs;
      if (!found.changes)
        kept.push_back(term);
    }
    return differs ? std::optional(Expr::fromTerms(std::move(kept), 0)) : std::nullopt;
  }

  void hoist(AsyncCopyOp copy) {
    const Expr position = expanded(vars.read(copy.getPosition(), copy.getIndices()));
    std::optional<Expr> first = invariant(position);
    if (!first)
      return;
    Expr at = *first;
    SmallVector<Value> indices = vars.write(at);
    Value view = AdvanceOp::create(builder, copy.getLoc(), copy.getView().getType(), copy.getView(), at, indices);
    graph::Exprs exprs = {position - *first, vars.read(copy.getTarget(), copy.getIndices())};
    llvm::append_range(exprs, vars.read(copy.getMask(), copy.getIndices()));
    indices = vars.write(exprs);
    copy.getViewMutable().assign(view);
    copy.setPosition(exprs[0]);
    copy.setTarget(exprs[1]);
    copy.setMaskAttr(graph::exprArray(builder.getContext(), ArrayRef(exprs).drop_front(2)));
    copy.getIndicesMutable().assign(indices);
  }

  simt::ForOp loop;
  OpBuilder builder;
  Variables vars;
};

struct HoistPositions : cuda::impl::HoistPositionsBase<HoistPositions> {
  void runOnOperation() override {
    getOperation()->walk([](simt::ForOp loop) {
      if (loop.getRing())
        Hoister(loop).run();
    });
  }
};

} // namespace
