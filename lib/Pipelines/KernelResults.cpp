//===- lib/Pipelines/KernelResults.cpp - every fusion's result as a result of main ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Pipelines/Pipelines.h"

#include "dialects/Graph/Placement.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cupola {

void returnFusionResults(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  auto ret = cast<func::ReturnOp>(main.getBody().front().getTerminator());
  std::set<StringRef> names;
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    names.insert(main.getResultAttrOfType<StringAttr>(i, "graph.name").getValue());
  unsigned count = 0;
  Builder b(module.getContext());
  for (Operation &op : main.getBody().front()) {
    if (!isa<graph::FusionOp, graph::JoinOp>(op))
      continue;
    for (Value value : op.getResults()) {
      // What stands in a joined tensor is seen there.
      if (llvm::is_contained(ret.getOperands(), value) || graph::joinOf(value))
        continue;
      std::string name = "kernel result " + std::to_string(count++);
      while (names.count(name)) // the model has an output of that name
        name += "'";
      unsigned index = main.getNumResults();
      // Cannot fail: a function's type takes results of any type at any place.
      (void)main.insertResult(index, value.getType(),
                              b.getDictionaryAttr(b.getNamedAttr("graph.name", b.getStringAttr(name))));
      ret.getOperandsMutable().append(value);
    }
  }
}

} // namespace cupola
