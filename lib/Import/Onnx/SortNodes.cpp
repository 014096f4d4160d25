//===- lib/Import/Onnx/SortNodes.cpp - every value before what reads it ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/SortNodes.h"

#include "onnx/onnx_pb.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace cupola::onnx_import {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
using Names = std::unordered_set<std::string>;
/// Of each node the nodes that make what it reads.
using Producers = std::vector<std::vector<int>>;

bool isSorted(const Producers &producers) {
  for (size_t i = 0; i < producers.size(); ++i)
    for (int producer : producers[i])
      if (producer >= static_cast<int>(i))
        return false;
  return true;
}

/// Which node is the first, the second, ..; nothing where there is a cycle.
std::optional<std::vector<int>> orderOf(const Producers &producers) {
  enum class State : uint8_t { Waits, IsNeeded, IsPlaced };
  std::vector<State> states(producers.size(), State::Waits);
  std::vector<int> order, path;
  for (int first = 0; first < static_cast<int>(producers.size()); ++first) {
    path.push_back(first);
    while (!path.empty()) {
      const int node = path.back();
      if (states[node] != State::Waits) { // all that it needs is placed
        path.pop_back();
        if (states[node] == State::IsNeeded)
          order.push_back(node);
        states[node] = State::IsPlaced;
        continue;
      }
      states[node] = State::IsNeeded;
      for (auto producer = producers[node].rbegin(); producer != producers[node].rend(); ++producer) {
        if (states[*producer] == State::IsNeeded)
          return std::nullopt;
        if (states[*producer] == State::Waits)
          path.push_back(*producer);
      }
    }
  }
  return order;
}

void reorder(Nodes &nodes, const std::vector<int> &order) {
  Nodes sorted;
  sorted.Reserve(nodes.size());
  for (int node : order)
    sorted.Add(std::move(*nodes.Mutable(node)));
  nodes.Swap(&sorted);
}

Names sortGraph(onnx::GraphProto &graph);

/// The names of values around it that a node reads, its bodies included.
Names readsOf(onnx::NodeProto &node) {
  Names reads(node.input().begin(), node.input().end());
  for (auto &attribute : *node.mutable_attribute()) {
    if (attribute.has_g())
      reads.merge(sortGraph(*attribute.mutable_g()));
    for (auto &body : *attribute.mutable_graphs())
      reads.merge(sortGraph(body));
  }
  return reads;
}

/// The names of what nodes read and none of them makes.
Names sortList(Nodes &nodes) {
  std::unordered_map<std::string_view, int> makers;
  for (int i = 0; i < nodes.size(); ++i)
    for (const std::string &output : nodes[i].output())
      if (!output.empty())
        makers.emplace(output, i);
  Names free;
  Producers producers(nodes.size());
  for (int i = 0; i < nodes.size(); ++i)
    for (const std::string &name : readsOf(*nodes.Mutable(i)))
      if (const auto maker = makers.find(name); maker != makers.end())
        producers[i].push_back(maker->second);
      else
        free.insert(name);
  if (isSorted(producers))
    return free;
  for (std::vector<int> &of : producers) // names are in the order of their hashes
    std::sort(of.begin(), of.end());
  if (const std::optional<std::vector<int>> order = orderOf(producers))
    reorder(nodes, *order);
  return free;
}

/// The names of values around it that the graph reads.
Names sortGraph(onnx::GraphProto &graph) {
  Names free = sortList(*graph.mutable_node());
  for (const auto &output : graph.output()) // may hand on a value around it
    free.insert(output.name());
  for (const auto &node : graph.node())
    for (const std::string &output : node.output())
      free.erase(output);
  for (const auto &input : graph.input())
    free.erase(input.name());
  for (const auto &tensor : graph.initializer())
    free.erase(tensor.name());
  for (const auto &tensor : graph.sparse_initializer())
    free.erase(tensor.values().name());
  return free;
}

} // namespace

void sortNodes(onnx::ModelProto &model) {
  sortGraph(*model.mutable_graph());
  for (auto &function : *model.mutable_functions())
    sortList(*function.mutable_node());
}

} // namespace cupola::onnx_import
