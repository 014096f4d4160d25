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
      match::eraseDead(*body);
    }
    if (!changed)
      return markAllAnalysesPreserved();
    graph::recordGone(getOperation(), before, graph::Fate::Dead);
  }

private:
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
