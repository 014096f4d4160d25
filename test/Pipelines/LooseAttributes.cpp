//===- test/Pipelines/LooseAttributes.cpp - that all attributes are declared and typed ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Pipelines/LooseAttributes.h"

using namespace mlir;

namespace cupola::test {

namespace {

struct Row {
  StringLiteral op; ///< "": of any
  StringLiteral attribute;
};

/// Strings and dictionaries, with the keys of dictionaries that lead to them. Names in
/// locations and symbol references need no row, nor do texts for people: #graph.reason.
constexpr Row textRows[] = {
    {"", "sym_name"},
    {"func.func", "arg_attrs"},
    {"func.func", "arg_attrs/graph.element"},
    {"func.func", "arg_attrs/graph.name"},
    {"func.func", "res_attrs"},
    {"func.func", "res_attrs/graph.element"},
    {"func.func", "res_attrs/graph.name"},
    {"graph.provenance", "nodes"},
    {"graph.provenance", "folded"},
    {"graph.provenance", "dead"},
    {"graph.host", "function"}, // rows of the format's table, as the verifier sees to, and a model's own texts
    {"graph.host", "parameters"},
    {"plan.host", "function"},
    {"plan.host", "parameters"},
    {"plan.program", "target"},
    {"plan.program", "arch"},
};

bool isListed(ArrayRef<Row> rows, Operation *op, StringRef attribute) {
  return llvm::any_of(rows, [&](const Row &row) {
    return (row.op.empty() || op->getName().getStringRef() == row.op) && row.attribute == attribute;
  });
}

} // namespace

std::string LooseAttributes::find(StringRef pass, ModuleOp module) {
  complaint.clear();
  module->walk([&](Operation *op) {
    lookAt(op);
    return complaint.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return complaint.empty() ? complaint : "after " + pass.str() + ": " + complaint;
}

void LooseAttributes::lookAt(Operation *op) {
  current = op;
  const DictionaryAttr loose = op->getDiscardableAttrDictionary();
  for (NamedAttribute attr : loose)
    complain("the discardable attribute " + attr.getName().str());
  for (NamedAttribute attr : op->getAttrDictionary())
    if (!loose.contains(attr.getName()))
      lookInto(attr.getValue(), attr.getName().str());
  for (Type type : op->getResultTypes())
    lookInto(type, "result");
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        lookInto(type, "argument");
}

void LooseAttributes::lookInto(Attribute attr, const std::string &path) {
  if (isa<LocationAttr, SymbolRefAttr>(attr) || textless.contains(attr.getAsOpaquePointer()))
    return;
  const unsigned before = texts;
  if (isa<StringAttr, DictionaryAttr>(attr)) {
    ++texts;
    if (!isListed(textRows, current, path))
      complain((isa<StringAttr>(attr) ? "a string in " : "a dictionary in ") + path);
  }
  if (auto dictionary = dyn_cast<DictionaryAttr>(attr))
    for (NamedAttribute entry : dictionary)
      lookInto(entry.getValue(), path + "/" + entry.getName().str());
  else
    attr.walkImmediateSubElements([&](Attribute inner) { lookInto(inner, path); },
                                  [&](Type inner) { lookInto(inner, path); });
  if (texts == before)
    textless.insert(attr.getAsOpaquePointer());
}

void LooseAttributes::lookInto(Type type, const std::string &path) {
  if (textless.contains(type.getAsOpaquePointer()))
    return;
  const unsigned before = texts;
  type.walkImmediateSubElements([&](Attribute inner) { lookInto(inner, path); },
                                [&](Type inner) { lookInto(inner, path); });
  if (texts == before)
    textless.insert(type.getAsOpaquePointer());
}

void LooseAttributes::complain(const std::string &what) {
  if (complaint.empty())
    complaint = current->getName().getStringRef().str() + " has " + what;
}

} // namespace cupola::test
