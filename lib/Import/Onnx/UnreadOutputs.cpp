//===- lib/Import/Onnx/UnreadOutputs.cpp - results that nobody asks for -----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/UnreadOutputs.h"

#include "onnx/onnx_pb.h"

#include <functional>
#include <string>
#include <unordered_set>

namespace cupola::onnx_import {
namespace {

using Names = std::unordered_set<std::string>;

/// All nodes of a graph and of its bodies; and the graphs themselves.
void forAll(onnx::GraphProto &graph, const std::function<void(onnx::NodeProto &)> &ofNode,
            const std::function<void(onnx::GraphProto &)> &ofGraph) {
  ofGraph(graph);
  for (auto &node : *graph.mutable_node()) {
    ofNode(node);
    for (auto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        forAll(*attribute.mutable_g(), ofNode, ofGraph);
      for (auto &body : *attribute.mutable_graphs())
        forAll(body, ofNode, ofGraph);
    }
  }
}

} // namespace

void dropUnreadOutputs(onnx::ModelProto &model) {
  Names read;
  forAll(
      *model.mutable_graph(), [&](onnx::NodeProto &node) { read.insert(node.input().begin(), node.input().end()); },
      [&](onnx::GraphProto &graph) {
        for (const auto &output : graph.output())
          read.insert(output.name());
      });
  forAll(
      *model.mutable_graph(),
      [&](onnx::NodeProto &node) {
        for (int i = 1; i < node.output_size(); ++i)
          if (read.count(node.output(i)) == 0)
            node.mutable_output(i)->clear();
      },
      [](onnx::GraphProto &) {});
}

} // namespace cupola::onnx_import
