//===- lib/Transforms/Fusion/Verdicts.cpp - fusion decisions as data ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;

namespace cupola::fusion {

Edge::Edge(const Formation &kernels, Operation *producer, Operation *consumer)
    : kernels(kernels), producer(producer), consumer(consumer), makers(kernels.kernelsOf(producer)),
      from(makers.empty() ? nullptr : makers.front()), refusal(kernels.refusalOf(producer)) {
  ArrayRef<Group *> takers = kernels.kernelsOf(consumer);
  to = takers.empty() ? nullptr : takers.front();
  isWithin = to && llvm::is_contained(makers, to);
}

/// The edges from what computes `view`, through views, to `consumer`, which computes.
/// With several inputs (concat) a view has several.
static void decideBehindViews(const Formation &kernels, Operation *view, Operation *consumer,
                              std::vector<Verdict> &verdicts) {
  if (!isView(view) || isView(consumer))
    return;
  SmallVector<std::pair<Operation *, SmallVector<Operation *>>> work{{view, {view}}};
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    auto [op, views] = work.pop_back_val();
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || classOf(producer) == graph::FusionClass::Constant || !seen.insert(producer).second)
        continue;
      if (!isView(producer)) {
        verdicts.push_back(decide({kernels, producer, consumer}));
        verdicts.back().views.assign(views.rbegin(), views.rend());
        continue;
      }
      work.push_back({producer, views});
      work.back().second.push_back(producer);
    }
  }
}

std::vector<Verdict> decideEdges(const Formation &kernels) {
  std::vector<Verdict> verdicts;
  for (Operation &op : kernels.body)
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp(); producer && !op.hasTrait<OpTrait::IsTerminator>()) {
        verdicts.push_back(decide({kernels, producer, &op}));
        decideBehindViews(kernels, producer, &op, verdicts);
      }
  return verdicts;
}

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
