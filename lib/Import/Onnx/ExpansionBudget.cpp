//===- lib/Import/Onnx/ExpansionBudget.cpp - how big inlining would get ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ExpansionBudget.h"

#include "lib/Import/Onnx/ModelNames.h"
#include "lib/Import/Onnx/Text.h"
#include "lib/Planner/Checked.h"

#include "onnx/onnx_pb.h"

#include <algorithm>
#include <vector>

namespace cupola::onnx_import {
namespace {

constexpr int64_t most = std::numeric_limits<int64_t>::max();

/// What a node adds to each copy of its function: itself, and one more for every
/// 256 bytes of names and attributes, so that few nodes with long texts count.
int64_t ownCost(const onnx::NodeProto &node) {
  size_t bytes = node.name().size() + node.doc_string().size();
  for (const std::string &name : node.input())
    bytes += name.size();
  for (const std::string &name : node.output())
    bytes += name.size();
  for (const auto &attribute : node.attribute())
    if (!attribute.has_g() && attribute.graphs().empty())
      bytes += attribute.ByteSizeLong();
  return 1 + static_cast<int64_t>(bytes / 256);
}

struct Body {
  int64_t cost = 0;                     ///< of its own nodes, subgraphs included
  std::map<FunctionKey, int64_t> calls; ///< to local functions, with their number
};

void addNodes(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes, const FunctionMap &functions,
              Body &body) {
  for (const auto &node : nodes) {
    const FunctionKey callee = calleeOf(node);
    if (functions.count(callee))
      ++body.calls[callee];
    body.cost += ownCost(node);
    for (const auto &attribute : node.attribute()) {
      if (attribute.has_g())
        addNodes(attribute.g().node(), functions, body);
      for (const auto &graph : attribute.graphs())
        addNodes(graph.node(), functions, body);
    }
  }
}

class Budget {
public:
  Budget(const onnx::ModelProto &model, const Limits &limits, Diagnostics &diagnostics)
      : functions(functionsOf(model)), limits(limits), diagnostics(diagnostics) {
    for (const auto &[key, function] : functions)
      addNodes(function->node(), functions, bodies[key]);
  }

  bool run(const onnx::ModelProto &model);

private:
  struct Frame {
    FunctionKey key;
    std::map<FunctionKey, int64_t>::const_iterator next;
  };

  FunctionMap functions;
  const Limits &limits;
  Diagnostics &diagnostics;
  std::map<FunctionKey, Body> bodies;
  std::map<FunctionKey, int64_t> expanded; ///< finished functions: nodes of one copy
  std::vector<Frame> stack;                ///< the chain of calls being followed

  bool expand(const FunctionKey &root);
  bool enter(const FunctionKey &key);
  int64_t total(const Body &body) const;
};

int64_t Budget::total(const Body &body) const {
  int64_t sum = body.cost;
  for (const auto &[callee, count] : body.calls)
    sum = checkedAdd(sum, checkedMul(count, expanded.at(callee)).value_or(most)).value_or(most);
  return sum;
}

bool Budget::enter(const FunctionKey &key) {
  const auto begin = std::find_if(stack.begin(), stack.end(), [&](const Frame &frame) { return frame.key == key; });
  if (begin != stack.end()) {
    std::string cycle;
    for (auto frame = begin; frame != stack.end() && cycle.size() < 400; ++frame)
      cycle += quoted(std::get<1>(frame->key)) + " -> ";
    diagnostics.error(ErrorKind::BadModel,
                      "functions call each other in a circle: " + cycle + quoted(std::get<1>(key)));
    return false;
  }
  if (static_cast<int64_t>(stack.size()) >= limits.functionDepth) {
    diagnostics.error(ErrorKind::Limit, exceeds(limits, &Limits::functionDepth,
                                                "a chain of more than " + std::to_string(stack.size()) +
                                                    " function calls inside each other"));
    return false;
  }
  stack.push_back({key, bodies.at(key).calls.begin()});
  return true;
}

bool Budget::expand(const FunctionKey &root) {
  if (expanded.count(root))
    return true;
  if (!enter(root))
    return false;
  while (!stack.empty()) {
    Frame &frame = stack.back();
    const Body &body = bodies.at(frame.key);
    if (frame.next == body.calls.end()) {
      expanded[frame.key] = total(body);
      stack.pop_back();
    } else {
      const FunctionKey callee = (frame.next++)->first;
      if (!expanded.count(callee) && !enter(callee))
        return false;
    }
  }
  return true;
}

bool Budget::run(const onnx::ModelProto &model) {
  for (const auto &[key, function] : functions)
    if (!expand(key))
      return false;
  Body main;
  addNodes(model.graph().node(), functions, main);
  const int64_t nodes = total(main);
  if (nodes <= limits.nodes)
    return true;
  diagnostics.error(ErrorKind::Limit,
                    exceeds(limits, &Limits::nodes,
                            "inlining the functions would make " +
                                (nodes == most ? "over 2^63" : std::to_string(nodes)) + " nodes, which"));
  return false;
}

} // namespace

bool checkExpansion(const onnx::ModelProto &model, const Limits &limits, Diagnostics &diagnostics) {
  return Budget(model, limits, diagnostics).run(model);
}

} // namespace cupola::onnx_import
