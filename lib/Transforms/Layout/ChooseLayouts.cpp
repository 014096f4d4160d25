//===- lib/Transforms/Layout/ChooseLayouts.cpp - the pass `graph-choose-layouts` ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "dialects/Graph/Provenance.h"
#include "lib/Transforms/Layout/Cost.h"
#include "lib/Transforms/Layout/Rewrite.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_CHOOSELAYOUTS
#include "lib/Transforms/Passes.h.inc"

namespace {

using layout::Candidate;
using layout::Chain;

class ChooseLayouts : public impl::ChooseLayoutsBase<ChooseLayouts> {
public:
  using ChooseLayoutsBase::ChooseLayoutsBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    SmallVector<Attribute> records;
    graph::NodeNames gone;
    for (Block *body : graph::bodiesOf(func)) {
      DenseSet<Operation *> last;
      for (const Chain &chain : layout::chainsOf(*body))
        choose(chain, last, records);
      layout::carryChannelsLast(*body, last, gone);
    }
    graph::recordGone(func, gone, graph::Fate::Dead); // their transposes met
    if (records.empty())
      return;
    OpBuilder b(&getContext());
    b.setInsertionPointAfter(func);
    graph::LayoutsOp::create(b, func.getLoc(), func.getSymName(), b.getArrayAttr(records));
  }

private:
  void choose(const Chain &chain, DenseSet<Operation *> &last, SmallVectorImpl<Attribute> &records) {
    const auto candidates = layout::candidatesOf(chain, targets);
    const graph::ConvLayout chosen = layout::cheapest(candidates).layout;
    SmallVector<LocationAttr> nodes;
    for (Operation *op : chain.convolutions) {
      nodes.push_back(op->getLoc());
      if (chosen == graph::ConvLayout::ChannelsLast)
        last.insert(op);
    }
    const auto attributes = llvm::map_to_vector(candidates, [&](const Candidate &c) {
      return graph::CandidateAttr::get(&getContext(), c.layout, c.transposes, c.bytes, c.cost);
    });
    records.push_back(graph::ChainAttr::get(&getContext(), chosen, nodes, attributes));
  }
};

} // namespace
} // namespace cupola
