//===- lib/Import/Onnx/ValidateGraph.cpp - names and order of a graph ------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Validator.h"

#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

#include <unordered_map>

namespace cupola::onnx_import {
namespace {

/// Searches for a cycle, each of which is a walk over the graph.
constexpr int maxWalks = 100;

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
using Producers = std::unordered_map<std::string, int>; ///< value -> node index

class Checker {
public:
  Checker(const Opsets &opsets, const NameScope *outer, const std::set<std::string> *attributes,
          Diagnostics &diagnostics)
      : opsets(opsets), scope{outer, {}}, attributes(attributes), diagnostics(diagnostics) {}

  void graph(const onnx::GraphProto &graph);
  void function(const onnx::FunctionProto &function);

private:
  const Opsets &opsets;
  NameScope scope;
  const std::set<std::string> *attributes;
  Diagnostics &diagnostics;
  int walks = 0;

  void nodes(const Nodes &list);
  void inputsOf(const onnx::NodeProto &node, int index, const Nodes &list, const Producers &producers);
  void define(const std::string &name, const std::string &what);
  void fail(const std::string &what) { diagnostics.error(ErrorKind::BadModel, what); }
};

/// The node where a walk from `start` towards the producers of its inputs meets
/// `start` again, as "a -> b -> a"; empty when the nodes are only out of order.
std::string findCycle(int start, const Nodes &list, const Producers &producers) {
  std::vector<int> cameFrom(static_cast<size_t>(list.size()), -1);
  std::vector<int> work{start};
  while (!work.empty()) {
    const int current = work.back();
    work.pop_back();
    for (const std::string &input : list[current].input()) {
      const auto found = producers.find(input);
      if (found == producers.end())
        continue;
      const int next = found->second;
      if (next == start) {
        std::string path = quoted(input);
        for (int node = current; node != start && path.size() < 400; node = cameFrom[node])
          path += " -> " + quoted(list[node].output(0));
        return path + " -> " + quoted(input);
      }
      if (cameFrom[static_cast<size_t>(next)] < 0) {
        cameFrom[static_cast<size_t>(next)] = current;
        work.push_back(next);
      }
    }
  }
  return "";
}

void Checker::define(const std::string &name, const std::string &what) {
  if (name.empty())
    return fail(what + " has no name");
  if (!scope.own.insert(name).second)
    fail(what + " " + quoted(name) + " has a name that another value of the graph has");
}

void Checker::inputsOf(const onnx::NodeProto &node, int index, const Nodes &list, const Producers &producers) {
  for (const std::string &input : node.input()) {
    if (input.empty() || scope.knows(input))
      continue;
    const auto found = producers.find(input);
    std::string what = "input " + quoted(input);
    if (found == producers.end()) {
      what += " is not defined, expected a graph input, an initialiser or the output of a node";
    } else {
      const std::string cycle = walks++ < maxWalks ? findCycle(index, list, producers) : "";
      what += cycle.empty() ? " is made only later, by " + labelOf(list[found->second], opsets).text() +
                                  ", expected nodes in topological order"
                            : " depends on this node itself: the graph has a cycle " + cycle;
    }
    diagnostics.error(ErrorKind::BadModel, labelOf(node, opsets), what);
  }
}

void Checker::nodes(const Nodes &list) {
  Producers producers;
  for (int i = 0; i < list.size(); ++i)
    for (const std::string &output : list[i].output())
      producers.emplace(output, i);
  for (int i = 0; i < list.size(); ++i) {
    const onnx::NodeProto &node = list[i];
    validateNode(node, opsets, attributes, diagnostics);
    inputsOf(node, i, list, producers);
    for (const auto &attribute : node.attribute()) {
      if (attribute.has_g())
        validateGraph(attribute.g(), opsets, &scope, attributes, diagnostics);
      for (const auto &body : attribute.graphs())
        validateGraph(body, opsets, &scope, attributes, diagnostics);
    }
    for (const std::string &output : node.output()) {
      if (output.empty())
        continue;
      if (!scope.own.insert(output).second)
        diagnostics.error(ErrorKind::BadModel, labelOf(node, opsets),
                          "output " + quoted(output) + " has a name that another value of the graph has");
    }
  }
}

void Checker::graph(const onnx::GraphProto &graph) {
  for (const auto &input : graph.input())
    define(input.name(), "graph input");
  std::set<std::string> initializers;
  const auto initializer = [&](const std::string &name) {
    if (name.empty() || !initializers.insert(name).second)
      fail(name.empty() ? "an initialiser has no name" : "initialiser " + quoted(name) + " is given twice");
    scope.own.insert(name); // may repeat a graph input, whose default it then is
  };
  for (const auto &tensor : graph.initializer())
    initializer(tensor.name());
  for (const auto &tensor : graph.sparse_initializer())
    initializer(tensor.values().name());
  nodes(graph.node());
  for (const auto &output : graph.output()) // of which several may be one value
    if (!scope.knows(output.name()))
      fail("graph output " + quoted(output.name()) + " is not defined by any node");
}

void Checker::function(const onnx::FunctionProto &function) {
  const std::string name = "function " + quoted(function.name());
  for (const std::string &input : function.input())
    define(input, "input of " + name);
  nodes(function.node());
  for (const std::string &output : function.output())
    if (!scope.knows(output))
      fail("output " + quoted(output) + " of " + name + " is not defined by any node");
}

} // namespace

void validateGraph(const onnx::GraphProto &graph, const Opsets &opsets, const NameScope *outer,
                   const std::set<std::string> *attributes, Diagnostics &diagnostics) {
  Checker(opsets, outer, attributes, diagnostics).graph(graph);
}

void validateFunction(const onnx::FunctionProto &function, Diagnostics &diagnostics) {
  std::set<std::string> attributes(function.attribute().begin(), function.attribute().end());
  for (const auto &attribute : function.attribute_proto())
    attributes.insert(attribute.name());
  const Opsets opsets = opsetsOf(function);
  Checker(opsets, nullptr, &attributes, diagnostics).function(function);
}

} // namespace cupola::onnx_import
