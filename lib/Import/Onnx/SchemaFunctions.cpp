//===- lib/Import/Onnx/SchemaFunctions.cpp - ops that ONNX makes of others -===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/SchemaFunctions.h"

#include "lib/Import/Onnx/OnnxLibrary.h"

#include "onnx/defs/schema.h"
#include "onnx/shape_inference/attribute_binder.h"
#include "onnx/shape_inference/implementation.h"

#include <algorithm>
#include <functional>
#include <new>
#include <set>
#include <unordered_map>

namespace cupola::onnx_import {

SchemaFunction::SchemaFunction() : body(std::make_unique<onnx::GraphProto>()) {}
SchemaFunction::SchemaFunction(SchemaFunction &&) noexcept = default;
SchemaFunction::~SchemaFunction() = default;

namespace {

const onnx::OpSchema *schemaOf(const std::string &domain, const std::string &op, int64_t version) {
  return onnx::OpSchemaRegistry::Schema(op, static_cast<int>(version), domain);
}

/// The largest version that is not above `version`; 0 without one. `all` is sorted.
int newestUpTo(const std::vector<int> &all, int64_t version) {
  const auto behind = std::upper_bound(all.begin(), all.end(), version);
  return behind == all.begin() ? 0 : *(behind - 1);
}

/// Throws what ONNX has to say against the node.
void checkTypes(const onnx::OpSchema &schema, onnx::NodeProto node, std::vector<onnx::TypeProto> types) {
  std::unordered_map<std::string, onnx::TypeProto *> byName;
  for (size_t i = 0; i < types.size(); ++i)
    if (types[i].has_tensor_type())
      byName[node.input(static_cast<int>(i))] = &types[i];
  onnx::shape_inference::InferenceContextImpl context(node, byName, {}, {}, onnx::ShapeInferenceOptions(false, 1));
  schema.GetTypeAndShapeInferenceFunction()(context);
}

/// As its schema has it: names and attributes are formal. False without one for this node.
bool buildBody(const onnx::OpSchema &schema, const onnx::NodeProto &node, int64_t version,
               const std::vector<onnx::TypeProto> &types, onnx::FunctionProto &function) {
  // The body is read as the version says for which it was written.
  if (const int own = newestUpTo(schema.function_opset_versions(), version)) {
    function = *schema.GetFunction(own);
    return true;
  }
  const int own = newestUpTo(schema.context_dependent_function_opset_versions(), version);
  const onnx::FunctionBodyBuildContextImpl context(node, types);
  return own && schema.BuildContextDependentFunction(context, function, own);
}

/// Attributes that the node leaves out have the defaults of the schema.
void bindAttributes(const onnx::OpSchema &schema, const onnx::NodeProto &node, onnx::FunctionProto &function) {
  onnx::internal::AttributeMap values;
  for (const auto &[name, attribute] : schema.attributes())
    if (attribute.default_value.has_type())
      values[name] = &attribute.default_value;
  for (const auto &attribute : node.attribute())
    values[attribute.name()] = &attribute;
  onnx::internal::AttributeBinder(values).VisitFunction(function);
}

using Change = std::function<void(std::string &name, bool isDefinition)>;

void forEachName(onnx::GraphProto &graph, const Change &change);

void forEachName(google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes, const Change &change) {
  for (auto &node : nodes) {
    for (std::string &name : *node.mutable_input())
      change(name, false);
    for (std::string &name : *node.mutable_output())
      change(name, true);
    for (auto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        forEachName(*attribute.mutable_g(), change);
      for (auto &graph : *attribute.mutable_graphs())
        forEachName(graph, change);
    }
  }
}

void forEachName(onnx::GraphProto &graph, const Change &change) {
  for (auto &input : *graph.mutable_input())
    change(*input.mutable_name(), true);
  for (auto &tensor : *graph.mutable_initializer())
    change(*tensor.mutable_name(), true);
  forEachName(*graph.mutable_node(), change);
  for (auto &output : *graph.mutable_output())
    change(*output.mutable_name(), false);
}

/// What the body calls its inputs becomes what the node calls them; its own values get names that are free.
void rename(onnx::FunctionProto &function, const onnx::NodeProto &node) {
  std::unordered_map<std::string, std::string> names;
  for (int i = 0; i < function.input_size(); ++i)
    names[function.input(i)] = i < node.input_size() ? node.input(i) : "";
  std::set<std::string> own, others(node.input().begin(), node.input().end());
  auto &nodes = *function.mutable_node();
  forEachName(nodes, [&](std::string &name, bool isDefinition) {
    if (!name.empty() && !names.count(name))
      (isDefinition ? own : others).insert(name);
  });
  for (std::string &output : *function.mutable_output())
    own.insert(output);
  std::string prefix = "/";
  const auto isTaken = [&](const std::string &name) { return others.count(prefix + name) > 0; };
  while (std::any_of(own.begin(), own.end(), isTaken))
    prefix += "/";
  for (const std::string &name : own)
    names[name] = prefix + name;
  const auto change = [&](std::string &name, bool) {
    if (const auto found = names.find(name); found != names.end())
      name = found->second;
  };
  forEachName(nodes, change);
  for (std::string &output : *function.mutable_output())
    change(output, false);
}

} // namespace

bool hasSchemaFunction(const std::string &domain, const std::string &op, int64_t version) {
  const onnx::OpSchema *schema = schemaOf(domain, op, version);
  return schema && !schema->deprecated() &&
         (newestUpTo(schema->function_opset_versions(), version) ||
          newestUpTo(schema->context_dependent_function_opset_versions(), version));
}

SchemaFunction schemaFunction(const onnx::NodeProto &node, int64_t version, const std::vector<onnx::TypeProto> &types) {
  const onnx::OpSchema &schema = *schemaOf(canonicalDomain(node.domain()), node.op_type(), version);
  SchemaFunction result;
  onnx::FunctionProto function;
  try {
    checkTypes(schema, node, types);
    if (!buildBody(schema, node, version, types, function))
      result.problem = "ONNX defines the op by others, but not for these attributes and types of inputs";
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &complaint) {
    result.kind = ErrorKind::BadModel;
    result.problem = "ONNX says: " + oneLine(complaint.what());
  }
  if (!result.problem.empty()) {
    result.body.reset();
    return result;
  }
  bindAttributes(schema, node, function);
  rename(function, node);
  result.opsets = opsetsOf(function);
  result.body->mutable_node()->Swap(function.mutable_node());
  for (const std::string &output : function.output())
    result.body->add_output()->set_name(output);
  return result;
}

} // namespace cupola::onnx_import
