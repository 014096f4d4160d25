//===- lib/Transforms/Fusion/Grouping.cpp - which ops become one kernel ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Two sweeps. Forward, rules form kernels: every hero takes an epilogue. Backward: every
// pointwise op and gather that is left joins the kernels that read it, or starts one if a
// rule refuses.

#include "lib/Transforms/Fusion/Grouping.h"

#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::fusion;
using graph::FusionClass;

FusionClass fusion::classOf(Operation *op) {
  if (auto classed = dyn_cast<graph::ClassInterface>(op))
    return classed.getFusionClass();
  return FusionClass::Constant; // func.return and the like take no part
}

bool fusion::isGenerator(Operation *op) { return isa<graph::IotaOp, graph::DimsOp>(op); }

bool fusion::isView(Operation *op) { return classOf(op) == FusionClass::View; }

static bool isInlinable(Operation *op) {
  FusionClass c = classOf(op);
  return c == FusionClass::Pointwise || c == FusionClass::Gather;
}

static void place(Operation *op, Formation &kernels) {
  const Reads reads = kernels.readsOf(op);
  if (reads.kernels.empty() || (isGenerator(op) && !reads.kernels.contains(nullptr)))
    return; // dead, or made wherever it is read
  const Candidate candidate{kernels, op, reads.kernels.getArrayRef(), reads};
  if (Group *keeper = keeperOf(candidate))
    kernels.keep(*keeper, op->getResult(0));
  else if (std::optional<Refusal> refusal = refuse(candidate))
    kernels.store(op, *refusal);
  else
    kernels.computeInside(op, reads);
}

Grouping fusion::formGroups(Block &body, const Options &options) {
  Formation kernels(body, options);
  formKernels(kernels);
  for (Operation &op : llvm::reverse(kernels.body))
    if (kernels.isComputed(&op))
      continue;
    else if (isInlinable(&op))
      place(&op, kernels);
    else if (isView(&op) && storesView(kernels, &op))
      kernels.start(nullptr, &op);
  std::vector<Verdict> verdicts = decideEdges(kernels);
  return {kernels.takeGroups(), std::move(verdicts)};
}
