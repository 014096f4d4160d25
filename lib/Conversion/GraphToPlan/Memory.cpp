//===- lib/Conversion/GraphToPlan/Memory.cpp - lifetimes and the static arena ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Shape.h"
#include "lib/Conversion/GraphToPlan/GraphToPlan.h"
#include "lib/Planner/MemoryPlanner.h"

using namespace mlir;

namespace cupola {

static bool isStep(Operation &op) {
  auto launch = dyn_cast<plan::LaunchOp>(op);
  return !isa<plan::AssertOp, plan::BufferOp>(op) && !(launch && launch.getInit());
}

Lifetimes liveness(Block &body) {
  Lifetimes spans;
  uint32_t step = 0;
  for (Operation &op : body) {
    if (!isStep(op))
      continue;
    for (Value operand : op.getOperands()) {
      auto buffer = operand.getDefiningOp<plan::BufferOp>();
      if (buffer.getKind() != plan::BufferKind::Arena)
        continue;
      auto [found, isNew] = spans.insert({buffer, {step, step}});
      found->second.second = step;
    }
    ++step;
  }
  return spans;
}

/// The size of the arena of a body whose buffers it places; -1 if their sizes are known when shapes are bound.
static int64_t planBody(Block &body) {
  Lifetimes spans = liveness(body);
  std::vector<MemoryRequest> requests;
  for (auto &[buffer, span] : spans) {
    std::optional<int64_t> bytes = buffer.getBytesAttr().getValue().constant();
    if (!bytes)
      return -1;
    requests.push_back({static_cast<uint64_t>(*bytes), span.first, span.second});
  }
  std::optional<MemoryPlan> plan = planMemory(requests);
  if (!plan)
    return -1; // more bytes than addresses: the runtime reports it with the numbers
  for (auto [i, entry] : llvm::enumerate(spans)) {
    plan::BufferOp buffer = entry.first;
    buffer.setOffset(plan->offsets[i]);
  }
  return plan->bytes;
}

void planMemory(plan::ProgramOp program) {
  program.setArenaBytes(planBody(program.getBody().front()));
  Builder b(program.getContext());
  program.walk([&](Operation *op) {
    if (!isa<plan::IfOp, plan::CallOp, plan::WhileOp>(op))
      return;
    const auto arenas = llvm::map_to_vector(op->getRegions(), [](Region &body) { return planBody(body.front()); });
    op->setAttr("arena_bytes", b.getDenseI64ArrayAttr(arenas));
  });
}

} // namespace cupola
