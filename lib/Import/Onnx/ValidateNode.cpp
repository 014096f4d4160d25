//===- lib/Import/Onnx/ValidateNode.cpp - one node and its attributes ------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Validator.h"

#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

namespace cupola::onnx_import {
namespace {

using A = onnx::AttributeProto;

struct ValueField {
  A::AttributeType type;
  const char *name;
  bool (*filled)(const A &);
};

constexpr ValueField valueFields[] = {
    {A::FLOAT, "a float", [](const A &a) { return a.has_f(); }},
    {A::INT, "an int", [](const A &a) { return a.has_i(); }},
    {A::STRING, "a string", [](const A &a) { return a.has_s(); }},
    {A::TENSOR, "a tensor", [](const A &a) { return a.has_t(); }},
    {A::GRAPH, "a graph", [](const A &a) { return a.has_g(); }},
    {A::SPARSE_TENSOR, "a sparse tensor", [](const A &a) { return a.has_sparse_tensor(); }},
    {A::TYPE_PROTO, "a type", [](const A &a) { return a.has_tp(); }},
    {A::FLOATS, "a list of floats", [](const A &a) { return a.floats_size() > 0; }},
    {A::INTS, "a list of ints", [](const A &a) { return a.ints_size() > 0; }},
    {A::STRINGS, "a list of strings", [](const A &a) { return a.strings_size() > 0; }},
    {A::TENSORS, "a list of tensors", [](const A &a) { return a.tensors_size() > 0; }},
    {A::GRAPHS, "a list of graphs", [](const A &a) { return a.graphs_size() > 0; }},
    {A::SPARSE_TENSORS, "a list of sparse tensors", [](const A &a) { return a.sparse_tensors_size() > 0; }},
    {A::TYPE_PROTOS, "a list of types", [](const A &a) { return a.type_protos_size() > 0; }},
};

/// What is wrong with an attribute by itself; empty when nothing is.
std::string attributeProblem(const A &attribute, const std::set<std::string> *available) {
  if (attribute.name().empty())
    return "an attribute has no name";
  const std::string name = "attribute " + quoted(attribute.name());
  const ValueField *declared = nullptr;
  std::string found;
  for (const ValueField &field : valueFields) {
    if (field.type == attribute.type())
      declared = &field;
    if (field.filled(attribute))
      found += (found.empty() ? "" : " and ") + std::string(field.name);
  }
  if (!attribute.ref_attr_name().empty()) {
    if (!available)
      return name + " refers to " + quoted(attribute.ref_attr_name()) + ", which is possible only inside of a function";
    if (!available->count(attribute.ref_attr_name()))
      return name + " refers to " + quoted(attribute.ref_attr_name()) + ", which is no attribute of the function";
    return found.empty() ? "" : name + " refers to another and has " + found + " too";
  }
  if (!declared)
    return name + " has type number " + std::to_string(attribute.type()) + ", expected one that ONNX defines";
  if (!found.empty() && found != declared->name)
    return name + " is declared to be " + declared->name + " and has " + found;
  if (found.empty() &&
      (declared->type == A::TENSOR || declared->type == A::GRAPH || declared->type == A::SPARSE_TENSOR))
    return name + " is declared to be " + declared->name + " and has no value";
  return "";
}

} // namespace

void validateNode(const onnx::NodeProto &node, const Opsets &opsets, const std::set<std::string> *attributes,
                  Diagnostics &diagnostics) {
  const auto fail = [&](const std::string &what) {
    diagnostics.error(ErrorKind::BadModel, labelOf(node, opsets), what);
  };
  if (node.op_type().empty())
    fail("the node has no op type");
  if (!opsets.count(canonicalDomain(node.domain())))
    fail("no opset is imported for the domain " + quoted(displayDomain(node.domain())));
  if (node.output_size() == 0)
    fail("the node has no output, expected at least one");
  std::set<std::string> seen;
  for (const A &attribute : node.attribute()) {
    if (!seen.insert(attribute.name()).second)
      fail("attribute " + quoted(attribute.name()) + " is given twice");
    const std::string problem = attributeProblem(attribute, attributes);
    if (!problem.empty())
      fail(problem);
  }
}

} // namespace cupola::onnx_import
