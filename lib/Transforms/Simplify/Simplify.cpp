//===- lib/Transforms/Simplify/Simplify.cpp - the pass `simplify` ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Provenance.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Simplify/Patterns.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_SIMPLIFY
#include "lib/Transforms/Passes.h.inc"

namespace {

class Simplify : public impl::SimplifyBase<Simplify> {
public:
  using SimplifyBase::SimplifyBase;

  void runOnOperation() override {
    const graph::NodeNames before = graph::namedNodes(getOperation());
    RewritePatternSet patterns(&getContext());
    simplification::addViewPatterns(patterns);
    simplification::addConcatPatterns(patterns);
    simplification::addScalarPatterns(patterns);
    simplification::addGatherPatterns(patterns);
    simplification::addBodyPatterns(patterns);
    if (motion)
      simplification::addMotionPatterns(patterns);
    if (failed(match::rewriteAll(getOperation(), std::move(patterns), "simplification")))
      signalPassFailure();
    graph::recordGone(getOperation(), before, graph::Fate::Dead);
  }
};

} // namespace
} // namespace cupola
