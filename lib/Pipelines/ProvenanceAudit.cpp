//===- lib/Pipelines/ProvenanceAudit.cpp - that no node of the model gets lost ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Pipelines/ProvenanceAudit.h"

#include "dialects/Graph/Graph.h"
#include "dialects/Graph/Provenance.h"

using namespace mlir;

namespace cupola {

ProvenanceAudit::ProvenanceAudit(ModuleOp module) {
  graph::ProvenanceOp record = graph::provenanceOf(module);
  imported = record != nullptr;
  if (!imported)
    return;
  for (auto node : record.getNodes().getAsRange<ArrayAttr>()) { // [name, op]
    places.try_emplace(cast<StringAttr>(node[0]), nodes.size());
    nodes.push_back(cast<StringAttr>(node[0]));
  }
  found.resize(nodes.size());
}

ProvenanceAudit::Names ProvenanceAudit::visit(Location location) {
  auto known = visited.find(location);
  if (known != visited.end() && known->second.audit == audit)
    return known->second.names;
  Names names;
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations()) {
      const Names named = visit(part);
      names = {names.any || named.any, names.unknown || named.unknown};
    }
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    auto place = places.find(name.getName());
    names = {true, place == places.end()};
    auto op = dyn_cast<NameLoc>(name.getChildLoc());
    if (!names.unknown && op && !op.getName().empty()) // an initializer is no node
      found[place->second] = audit;
  }
  visited[location] = {audit, names};
  return names;
}

void ProvenanceAudit::visitAll(Operation *root) {
  root->walk([&](Operation *op) { visit(op->getLoc()); });
}

void ProvenanceAudit::visitGone(ModuleOp module) {
  for (graph::Fate fate : {graph::Fate::Folded, graph::Fate::Dead})
    for (StringAttr name : graph::goneNodes(module, fate))
      if (auto place = places.find(name); place != places.end())
        found[place->second] = audit;
}

LogicalResult ProvenanceAudit::checkOp(Operation *op) {
  const Names names = visit(op->getLoc());
  auto classed = dyn_cast<graph::ClassInterface>(op);
  if (!classed || classed.getFusionClass() == graph::FusionClass::Constant)
    return success();
  if (!names.any)
    return op->emitError("computes no node of the model: a pass lost its location");
  if (names.unknown)
    for (const graph::NodeRef &node : graph::nodesOf(op->getLoc()))
      if (!node.op.empty() && !places.contains(node.name)) // an initializer is no node
        return op->emitError() << "names the node " << node.name << ", which the model does not have";
  return success();
}

std::string ProvenanceAudit::lostNode() const {
  for (auto [name, last] : llvm::zip_equal(nodes, found))
    if (last != audit)
      return "node '" + name.str() + "' of the model is neither computed nor folded nor dead";
  return {};
}

LogicalResult ProvenanceAudit::check(ModuleOp module) {
  if (!imported)
    return success();
  ++audit;
  const WalkResult walk = module.walk([&](Operation *op) { return WalkResult(checkOp(op)); });
  if (walk.wasInterrupted())
    return failure();
  if (!module.lookupSymbol("main"))
    return success();
  visitGone(module);
  const std::string lost = lostNode();
  return lost.empty() ? success() : module.emitError(lost);
}

Status ProvenanceAudit::checkPlan(ModuleOp module, plan::ProgramOp program) {
  if (!imported || !module.lookupSymbol("main"))
    return {};
  ++audit;
  visitAll(program);
  module.walk([&](graph::ConstantOp op) { visit(op.getLoc()); });
  visitGone(module);
  const std::string lost = lostNode();
  return lost.empty() ? Status() : Status::internal("the plan: " + lost);
}

} // namespace cupola
