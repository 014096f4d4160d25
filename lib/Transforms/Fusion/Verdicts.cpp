//===- lib/Transforms/Fusion/Verdicts.cpp - fusion decisions as data ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Grouping.h"

using namespace mlir;

namespace cupola::fusion {

void recordVerdicts(func::FuncOp func, ArrayRef<Verdict> verdicts) {
  OpBuilder b(func);
  SmallVector<Attribute> records;
  for (const Verdict &v : verdicts) {
    auto views = llvm::map_to_vector(v.views, [](Operation *view) -> LocationAttr { return view->getLoc(); });
    records.push_back(graph::VerdictAttr::get(b.getContext(), v.producer->getLoc(), v.consumer->getLoc(), v.fused,
                                              v.rule, graph::ReasonAttr::get(b.getContext(), v.reason), views));
  }
  graph::VerdictsOp::create(b, func.getLoc(), func.getSymName(), b.getArrayAttr(records));
}

} // namespace cupola::fusion
