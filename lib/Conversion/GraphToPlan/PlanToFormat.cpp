//===- lib/Conversion/GraphToPlan/PlanToFormat.cpp - plan ops to package records ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Provenance.h"
#include "dialects/Plan/LibraryCallAttr.h"
#include "lib/Conversion/GraphToPlan/GraphToPlan.h"

using namespace mlir;

namespace cupola {

std::vector<uint32_t> NodeTable::indicesOf(Location location) {
  std::vector<uint32_t> indices;
  for (const graph::NodeRef &node : graph::nodesOf(location)) {
    if (node.op.empty())
      continue; // an initializer, which is no node
    auto [found, isNew] = known.try_emplace(node.name, nodes.size());
    if (isNew)
      nodes.push_back({node.name.str(), node.op.str()});
    indices.push_back(found->second);
  }
  return indices;
}

namespace {

class Translator {
public:
  Translator(const TargetKernels &kernels, NodeTable &nodes) : kernels(kernels), nodes(nodes) {}

  format::Program translate(plan::ProgramOp op) {
    program.arenaBytes = op.getArenaBytes();
    spans = liveness(op);
    for (Operation &inner : op.getBody().front()) {
      if (auto buffer = dyn_cast<plan::BufferOp>(inner))
        addBuffer(buffer);
      else if (auto launch = dyn_cast<plan::LaunchOp>(inner))
        addLaunch(launch);
      else if (auto copy = dyn_cast<plan::CopyOp>(inner))
        addCopy(copy);
    }
    return std::move(program);
  }

private:
  void addBuffer(plan::BufferOp op) {
    format::Buffer buffer;
    buffer.kind = static_cast<format::BufferKind>(op.getKind());
    buffer.index = op.getIndex();
    buffer.bytes = op.getBytes().text();
    buffer.planned = op.getOffset();
    auto span = spans.find(op);
    if (span != spans.end())
      std::tie(buffer.first, buffer.last) = span->second;
    bufferIndex[op.getBuffer()] = program.buffers.size();
    program.buffers.push_back(std::move(buffer));
  }

  uint32_t kernelIndex(StringRef name) {
    const format::Kernel &record = kernels.at(name.str()).record;
    auto [found, isNew] = kernelOf.try_emplace(record.name, program.kernels.size());
    if (isNew)
      program.kernels.push_back(record);
    return found->second;
  }

  uint32_t scalarIndex(graph::ExprAttr expr) {
    auto [found, isNew] = scalarOf.try_emplace(expr, program.scalars.size());
    if (isNew)
      program.scalars.push_back(expr.getValue().text());
    return found->second;
  }

  void addLaunch(plan::LaunchOp op) {
    format::Step step;
    step.kind = format::Step::LaunchStep;
    step.launch.kernel = kernelIndex(op.getKernel());
    step.launch.grid = op.getGrid().text();
    for (Value buffer : op.getBuffers())
      step.launch.buffers.push_back(bufferIndex.lookup(buffer));
    for (auto scalar : op.getScalars().getAsRange<graph::ExprAttr>())
      step.launch.scalars.push_back(scalarIndex(scalar));
    if (op.getCall()) {
      step.launch.call = plan::libraryCallOf(*op.getCall());
      for (Value buffer : op.getCallBuffers())
        step.launch.call.buffers.push_back(bufferIndex.lookup(buffer));
    }
    step.nodes = nodes.indicesOf(op.getLoc());
    (op.getInit() ? program.init : program.steps).push_back(std::move(step));
  }

  void addCopy(plan::CopyOp op) {
    format::Step step;
    step.kind = format::Step::CopyStep;
    step.copy = {bufferIndex.lookup(op.getSource()), bufferIndex.lookup(op.getTarget()), op.getBytes().text()};
    step.nodes = nodes.indicesOf(op.getLoc());
    program.steps.push_back(std::move(step));
  }

  const TargetKernels &kernels;
  NodeTable &nodes;
  format::Program program;
  llvm::MapVector<plan::BufferOp, std::pair<uint32_t, uint32_t>> spans;
  DenseMap<Value, uint32_t> bufferIndex;
  std::map<std::string, uint32_t> kernelOf;
  DenseMap<Attribute, uint32_t> scalarOf;
};

} // namespace

format::Program planToFormat(plan::ProgramOp program, const TargetKernels &kernels, NodeTable &nodes) {
  return Translator(kernels, nodes).translate(program);
}

} // namespace cupola
