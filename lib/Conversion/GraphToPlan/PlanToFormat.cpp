//===- lib/Conversion/GraphToPlan/PlanToFormat.cpp - plan ops to package records ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "dialects/Graph/ElementTypes.h"
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

format::Check checkOf(const Expr &lhs, graph::Relation relation, const Expr &rhs, graph::ReasonAttr reason) {
  const std::string message = reason.getText().str();
  const auto distance = [](const Expr &a, const Expr &b) { return max(a - b, b - a); };
  if (relation == graph::Relation::Broadcast) // equal, or one of them is 1; a product of long extents would be too long
    return {min(distance(lhs, rhs), min(distance(lhs, 1), distance(rhs, 1))).text(), "==", "0", message};
  return {lhs.text(), relation == graph::Relation::LessEqual ? "<=" : "==", rhs.text(), message};
}

namespace {

/// Numbers bodies as they are met, each before those that its steps enter.
class Translator {
public:
  Translator(const TargetKernels &kernels, NodeTable &nodes) : kernels(kernels), nodes(nodes) {}

  format::Program translate(plan::ProgramOp op) {
    static_cast<format::Body &>(program) = translateBody(op.getBody().front(), op.getArenaBytes(), /*isMain=*/true);
    return std::move(program);
  }

private:
  /// The body that is being made, and what its steps call its parts.
  struct Names {
    DenseMap<Value, uint32_t> buffers;
    DenseMap<Attribute, uint32_t> scalars;
  };

  format::Body translateBody(Block &block, int64_t arenaBytes, bool isMain);
  uint32_t addBody(Operation *op, unsigned region);
  format::Buffer translateBuffer(plan::BufferOp op, const Lifetimes &spans, bool isMain);
  uint32_t kernelIndex(StringRef name);
  uint32_t scalarIndex(graph::ExprAttr expr, Names &names, format::Body &body);

  format::Launch launchOf(plan::LaunchOp op, Names &names, format::Body &body);
  format::Branch branchOf(plan::IfOp op, const Names &names);
  format::Branch branchOf(plan::CallOp op, const Names &names);
  format::Loop loopOf(plan::WhileOp op, const Names &names);
  format::HostCall hostCallOf(plan::HostOp op, const Names &names);
  format::Step stepOf(Operation *op, Names &names, format::Body &body);

  const TargetKernels &kernels;
  NodeTable &nodes;
  format::Program program;
  DenseMap<int64_t, uint32_t> initBuffers; ///< by their place among Init buffers: into the program's
  std::map<std::string, uint32_t> kernelOf;
};

format::Body Translator::translateBody(Block &block, int64_t arenaBytes, bool isMain) {
  format::Body body;
  body.arenaBytes = arenaBytes;
  const Lifetimes spans = liveness(block);
  Names names;
  for (auto op : block.getOps<plan::BufferOp>()) {
    names.buffers[op.getBuffer()] = body.buffers.size();
    if (isMain && op.getKind() == plan::BufferKind::Init)
      initBuffers[op.getIndex()] = body.buffers.size();
    body.buffers.push_back(translateBuffer(op, spans, isMain));
  }
  for (Operation &op : block) {
    if (auto fact = dyn_cast<plan::AssertOp>(op))
      body.checks.push_back(checkOf(fact.getLhs(), fact.getRelation(), fact.getRhs(), fact.getReason()));
    if (isa<plan::AssertOp, plan::BufferOp>(op))
      continue;
    auto launch = dyn_cast<plan::LaunchOp>(op);
    format::Step step = stepOf(&op, names, body);
    step.nodes = nodes.indicesOf(op.getLoc());
    (launch && launch.getInit() ? program.init : body.steps).push_back(std::move(step));
  }
  return body;
}

uint32_t Translator::addBody(Operation *op, unsigned region) {
  const uint32_t index = program.bodies.size();
  program.bodies.emplace_back(); // those within come after it
  const int64_t arenaBytes = op->getAttrOfType<DenseI64ArrayAttr>("arena_bytes")[region];
  format::Body body = translateBody(op->getRegion(region).front(), arenaBytes, /*isMain=*/false);
  program.bodies[index] = std::move(body);
  return index;
}

format::Buffer Translator::translateBuffer(plan::BufferOp op, const Lifetimes &spans, bool isMain) {
  format::Buffer buffer;
  buffer.kind = static_cast<format::BufferKind>(op.getKind());
  buffer.index = op.getIndex();
  if (op.getKind() == plan::BufferKind::Init)
    buffer.index = isMain ? 0 : initBuffers.lookup(op.getIndex());
  if (op.getBytesAttr())
    buffer.bytes = op.getBytesAttr().getValue().text();
  buffer.planned = op.getOffset();
  auto span = spans.find(op);
  if (span != spans.end())
    std::tie(buffer.first, buffer.last) = span->second;
  return buffer;
}

uint32_t Translator::kernelIndex(StringRef name) {
  const format::Kernel &record = kernels.at(name.str()).record;
  auto [found, isNew] = kernelOf.try_emplace(record.name, program.kernels.size());
  if (isNew)
    program.kernels.push_back(record);
  return found->second;
}

uint32_t Translator::scalarIndex(graph::ExprAttr expr, Names &names, format::Body &body) {
  auto [found, isNew] = names.scalars.try_emplace(expr, body.scalars.size());
  if (isNew)
    body.scalars.push_back(expr.getValue().text());
  return found->second;
}

//===--- Steps ---===//

std::vector<uint32_t> indicesOf(ValueRange buffers, const DenseMap<Value, uint32_t> &names) {
  std::vector<uint32_t> indices;
  for (Value buffer : buffers)
    indices.push_back(names.lookup(buffer));
  return indices;
}

std::vector<std::string> textsOf(ArrayAttr exprs) { return graph::textsOf(graph::exprsOf(exprs)); }
std::vector<std::string> textsOf(ArrayRef<graph::ExprAttr> exprs) {
  return graph::textsOf(llvm::map_to_vector(exprs, [](graph::ExprAttr expr) { return expr.getValue(); }));
}

format::TensorMap mapOf(plan::TensorMapAttr map) {
  const bool isAtStart = map.getOffset().getValue() == Expr(0);
  return {map.getBuffer(),
          isAtStart ? "" : map.getOffset().getValue().text(),
          graph::dtypeOf(map.getElement()),
          textsOf(map.getExtents()),
          textsOf(map.getStrides()),
          map.getBox().vec(),
          map.getSwizzle(),
          {map.getLower().vec(), map.getUpper().vec(), map.getSteps().vec()}};
}

format::Launch Translator::launchOf(plan::LaunchOp op, Names &names, format::Body &body) {
  format::Launch launch;
  launch.kernel = kernelIndex(op.getKernel());
  launch.grid = textsOf(op.getGrid());
  launch.buffers = indicesOf(op.getBuffers(), names.buffers);
  for (auto scalar : op.getScalars().getAsRange<graph::ExprAttr>())
    launch.scalars.push_back(scalarIndex(scalar, names, body));
  if (std::optional<ArrayAttr> maps = op.getMaps())
    for (auto map : maps->getAsRange<plan::TensorMapAttr>())
      launch.maps.push_back(mapOf(map));
  if (op.getCall()) {
    launch.call = plan::libraryCallOf(*op.getCall());
    launch.call.buffers = indicesOf(op.getCallBuffers(), names.buffers);
  }
  return launch;
}

format::Branch Translator::branchOf(plan::IfOp op, const Names &names) {
  format::Branch branch;
  branch.condition = names.buffers.lookup(op.getCondition());
  branch.captures = indicesOf(op.getCaptures(), names.buffers);
  branch.results = indicesOf(op.getResults(), names.buffers);
  branch.symbols = graph::symbolNames(op.getSymbols());
  branch.thenValues = textsOf(op.getThenValues());
  branch.elseValues = textsOf(op.getElseValues());
  branch.bodies = {addBody(op, 0)};
  branch.bodies.push_back(addBody(op, 1));
  return branch;
}

format::Branch Translator::branchOf(plan::CallOp op, const Names &names) {
  format::Branch branch;
  branch.captures = indicesOf(op.getCaptures(), names.buffers);
  branch.results = indicesOf(op.getResults(), names.buffers);
  branch.bodies = {addBody(op, 0)};
  return branch;
}

format::Loop Translator::loopOf(plan::WhileOp op, const Names &names) {
  auto optional = [&](Value buffer) { return buffer ? 1 + names.buffers.lookup(buffer) : 0; };
  format::Loop loop;
  loop.limit = op.getLimitAttr() ? op.getLimitAttr().getValue().text() : "";
  loop.trip = optional(op.getTrip());
  loop.condition = optional(op.getCondition());
  loop.proceed = optional(op.getProceed());
  loop.captures = indicesOf(op.getCaptures(), names.buffers);
  for (auto [initial, result, spare] : llvm::zip_equal(op.getInitial(), op.getResults(), op.getSpare()))
    loop.carried.push_back({names.buffers.lookup(initial), names.buffers.lookup(result), names.buffers.lookup(spare)});
  for (auto [row, rows] : llvm::zip_equal(op.getRow(), op.getRows()))
    loop.scans.push_back({names.buffers.lookup(row), names.buffers.lookup(rows)});
  const auto symbols = graph::symbolNames(op.getSymbols()), first = textsOf(op.getFirstValues()),
             next = textsOf(op.getNextValues()), last = graph::symbolNames(op.getLastSymbols());
  for (size_t i = 0; i < symbols.size(); ++i)
    loop.extents.push_back({symbols[i], first[i], next[i], last[i]});
  loop.index = op.getIndex().value_or("").str();
  loop.count = op.getCount().value_or("").str();
  loop.body = addBody(op, 0);
  return loop;
}

format::HostCall Translator::hostCallOf(plan::HostOp op, const Names &names) {
  format::HostCall call;
  call.op = op.getFunction().str();
  for (auto parameter : op.getParameters().getAsRange<StringAttr>())
    call.arguments.push_back(parameter.getValue().str());
  call.operands = indicesOf(op.getInputs(), names.buffers);
  call.results = indicesOf(op.getOutputs(), names.buffers);
  return call;
}

format::Step Translator::stepOf(Operation *op, Names &names, format::Body &body) {
  format::Step step;
  if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
    step.kind = format::Step::LaunchStep;
    step.launch = launchOf(launch, names, body);
  } else if (auto copy = dyn_cast<plan::CopyOp>(op)) {
    step.kind = format::Step::CopyStep;
    step.copy = {names.buffers.lookup(copy.getSource()), names.buffers.lookup(copy.getTarget()),
                 copy.getBytes().text()};
  } else if (auto branch = dyn_cast<plan::IfOp>(op)) {
    step.kind = format::Step::IfStep;
    step.branch = branchOf(branch, names);
  } else if (auto call = dyn_cast<plan::CallOp>(op)) {
    step.kind = format::Step::CallStep;
    step.branch = branchOf(call, names);
  } else if (auto host = dyn_cast<plan::HostOp>(op)) {
    step.kind = format::Step::HostStep;
    step.host = hostCallOf(host, names);
  } else {
    step.kind = format::Step::WhileStep;
    step.loop = loopOf(cast<plan::WhileOp>(op), names);
  }
  return step;
}

} // namespace

format::Program planToFormat(plan::ProgramOp program, const TargetKernels &kernels, NodeTable &nodes) {
  return Translator(kernels, nodes).translate(program);
}

} // namespace cupola
