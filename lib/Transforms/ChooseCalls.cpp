//===- lib/Transforms/ChooseCalls.cpp - the pass `graph-choose-calls` ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "dialects/Graph/Provenance.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_CHOOSECALLS
#include "lib/Transforms/Passes.h.inc"

namespace {

class ChooseCalls : public impl::ChooseCallsBase<ChooseCalls> {
public:
  using ChooseCallsBase::ChooseCallsBase;

  void runOnOperation() override {
    const graph::NodeNames before = graph::namedNodes(getOperation());
    bool changed = false;
    for (Block *body : graph::bodiesOf(getOperation())) {
      for (auto call : llvm::make_early_inc_range(body->getOps<graph::CallOp>()))
        changed |= choose(call, byOps);
      for (auto host : llvm::make_early_inc_range(body->getOps<graph::HostOp>()))
        changed |= choose(host, !byHost);
    }
    if (!changed)
      return markAllAnalysesPreserved();
    const SmallVector<Block *> bodies = graph::bodiesOf(getOperation());
    for (Block *body : llvm::reverse(bodies)) // what is read in a body is outside
      eraseUnread(*body);
    graph::recordGone(getOperation(), before, graph::Fate::Dead);
  }

private:
  /// Branches and loops, too, if all that they were for was `same`.
  static void eraseUnread(Block &body) {
    match::eraseDead(body);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isa<graph::IfOp, graph::LoopOp>(op) && op.use_empty() && !areRead(graph::symbolsAfter(&op), &op)) {
        op.erase();
        return eraseUnread(body);
      }
  }

  /// By anything but `finder`.
  static bool areRead(const std::set<std::string> &symbols, Operation *finder) {
    const auto reads = [&](Operation *op) {
      if (finder->isAncestor(op))
        return WalkResult::skip();
      const std::set<std::string> own = graph::symbolsOf(op);
      return llvm::any_of(symbols, [&](const std::string &symbol) { return own.count(symbol); })
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    };
    return finder->getParentOfType<ModuleOp>()->walk<WalkOrder::PreOrder>(reads).wasInterrupted();
  }

  template <class Op> bool choose(Op call, bool asOps) {
    if (!call.getSame())
      return false;
    if (asOps) {
      call.getResult().replaceAllUsesWith(call.getSame());
      call.erase();
    } else {
      call.getSameMutable().clear();
    }
    return true;
  }
};

} // namespace
} // namespace cupola
