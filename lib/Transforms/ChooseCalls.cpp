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
        changed |= choose(call);
      match::eraseDead(*body);
    }
    if (!changed)
      return markAllAnalysesPreserved();
    graph::recordGone(getOperation(), before, graph::Fate::Dead);
  }

private:
  bool choose(graph::CallOp call) {
    if (!call.getSame())
      return false;
    if (byOps) {
      call.replaceAllUsesWith(call.getSame());
      call.erase();
    } else {
      call.getSameMutable().clear();
    }
    return true;
  }
};

} // namespace
} // namespace cupola
