//===- lib/Conversion/GraphToPlan/Memory.cpp - lifetimes and the static arena ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Shape.h"
#include "lib/Conversion/GraphToPlan/GraphToPlan.h"
#include "lib/Planner/MemoryPlanner.h"

using namespace mlir;

namespace cupola {

static bool isStep(Operation &op) {
  auto launch = dyn_cast<plan::LaunchOp>(op);
  return isa<plan::CopyOp>(op) || (launch && !launch.getInit());
}

llvm::MapVector<plan::BufferOp, std::pair<uint32_t, uint32_t>> liveness(plan::ProgramOp program) {
  llvm::MapVector<plan::BufferOp, std::pair<uint32_t, uint32_t>> spans;
  uint32_t step = 0;
  for (Operation &op : program.getBody().front()) {
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

void planMemory(plan::ProgramOp program) {
  auto spans = liveness(program);
  std::vector<MemoryRequest> requests;
  for (auto &[buffer, span] : spans) {
    std::optional<int64_t> bytes = buffer.getBytes().constant();
    if (!bytes)
      return; // sizes are known when shapes are bound
    requests.push_back({static_cast<uint64_t>(*bytes), span.first, span.second});
  }
  std::optional<MemoryPlan> plan = planMemory(requests);
  if (!plan)
    return; // more bytes than addresses: the runtime reports it with the numbers
  for (auto [i, entry] : llvm::enumerate(spans)) {
    plan::BufferOp buffer = entry.first;
    buffer.setOffset(plan->offsets[i]);
  }
  program.setArenaBytes(plan->bytes);
}

} // namespace cupola
