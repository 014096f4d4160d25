//===- dialects/Graph/Provenance.cpp - which nodes of the model an op comes from ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Provenance.h"

using namespace mlir;

namespace cupola::graph {

Location nodeLocation(MLIRContext *context, StringRef name, StringRef op) {
  return NameLoc::get(StringAttr::get(context, name), NameLoc::get(StringAttr::get(context, op)));
}

static void collect(Location location, llvm::SetVector<StringAttr> &seen, llvm::DenseSet<Attribute> &visited,
                    SmallVectorImpl<NodeRef> &nodes) {
  // Fused locations share parts: without `visited` a chain of merges takes exponential time.
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    if (visited.insert(fused).second)
      for (Location part : fused.getLocations())
        collect(part, seen, visited, nodes);
    return;
  }
  auto name = dyn_cast<NameLoc>(location);
  if (!name || !seen.insert(name.getName()))
    return;
  auto op = dyn_cast<NameLoc>(name.getChildLoc());
  nodes.push_back({name.getName(), op ? op.getName() : StringAttr::get(location.getContext(), "")});
}

SmallVector<NodeRef> nodesOf(Location location) {
  llvm::SetVector<StringAttr> seen;
  llvm::DenseSet<Attribute> visited;
  SmallVector<NodeRef> nodes;
  collect(location, seen, visited, nodes);
  return nodes;
}

NodeNames namedNodes(Operation *root) {
  NodeNames seen, names;
  llvm::DenseSet<Attribute> visited;
  SmallVector<NodeRef> nodes;
  root->walk([&](Operation *op) { collect(op->getLoc(), seen, visited, nodes); });
  for (const NodeRef &node : nodes)
    if (!node.op.empty()) // an initializer is no node
      names.insert(node.name);
  return names;
}

ProvenanceOp provenanceOf(ModuleOp module) {
  auto ops = module.getOps<ProvenanceOp>();
  return ops.empty() ? ProvenanceOp() : *ops.begin();
}

static ArrayAttr namesOf(ProvenanceOp record, Fate fate) {
  return fate == Fate::Folded ? record.getFolded() : record.getDead();
}

NodeNames goneNodes(ModuleOp module, Fate fate) {
  NodeNames names;
  if (ProvenanceOp record = provenanceOf(module))
    for (auto name : namesOf(record, fate).getAsRange<StringAttr>())
      names.insert(name);
  return names;
}

void recordFate(Operation *func, const NodeNames &nodes, Fate fate) {
  auto module = func->getParentOfType<ModuleOp>();
  ProvenanceOp record = provenanceOf(module);
  if (!record)
    return;
  NodeNames names = goneNodes(module, fate);
  names.insert(nodes.begin(), nodes.end());
  auto list =
      ArrayAttr::get(func->getContext(), llvm::map_to_vector(names, [](StringAttr name) -> Attribute { return name; }));
  fate == Fate::Folded ? record.setFoldedAttr(list) : record.setDeadAttr(list);
}

void recordGone(Operation *func, const NodeNames &nodes, Fate fate) {
  const NodeNames named = namedNodes(func);
  NodeNames gone;
  for (StringAttr name : nodes)
    if (!named.contains(name))
      gone.insert(name);
  recordFate(func, gone, fate);
}

std::string displayName(Location location) {
  SmallVector<NodeRef> nodes = nodesOf(location);
  if (nodes.empty())
    return "?";
  std::string text = nodes.front().name.str();
  if (nodes.size() > 1)
    text += " (+" + std::to_string(nodes.size() - 1) + ")";
  return text;
}

} // namespace cupola::graph
