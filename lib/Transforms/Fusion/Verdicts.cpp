//===- lib/Transforms/Fusion/Verdicts.cpp - fusion decisions as data ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Grouping.h"

using namespace mlir;

namespace cupola::fusion {

void recordVerdicts(func::FuncOp func, ArrayRef<Verdict> verdicts) {
  Builder b(func.getContext());
  SmallVector<Attribute> records;
  for (const Verdict &v : verdicts) {
    auto views = llvm::map_to_vector(v.views, [](Operation *view) -> Attribute { return view->getLoc(); });
    records.push_back(b.getDictionaryAttr({
        b.getNamedAttr("producer", v.producer->getLoc()),
        b.getNamedAttr("consumer", v.consumer->getLoc()),
        b.getNamedAttr("fused", b.getBoolAttr(v.fused)),
        b.getNamedAttr("rule", b.getStringAttr(v.rule)),
        b.getNamedAttr("reason", b.getStringAttr(v.reason)),
        b.getNamedAttr("views", b.getArrayAttr(views)),
    }));
  }
  func->setAttr("graph.verdicts", b.getArrayAttr(records));
}

} // namespace cupola::fusion
