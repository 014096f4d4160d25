//===- lib/Import/Onnx/Ops/Loop.cpp - Loop ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Composite.h"
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/SequenceLoop.h"

#include "onnx/onnx_pb.h"

#include <limits>

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// The trip count and the condition to begin, as far as they are given and not known to set no limit.
LoopBounds boundsOf(OpBinder &op) {
  LoopBounds bounds;
  if (op.has(0)) {
    const Known *known = op.known(0);
    const auto values = known && known->isScalarLike() ? known->integers() : std::nullopt;
    if (!values)
      bounds.trip = op.scalar(0, "M");
    else if (!values->front().isConstant(std::numeric_limits<int64_t>::max())) // exporters mean: none
      bounds.limit = values->front();
  }
  if (op.has(1)) {
    op.requireBool(1, "cond");
    const Known *known = op.known(1);
    const auto value = known && known->isScalarLike() ? known->elements[0].intConstant() : std::nullopt;
    if (!value)
      bounds.condition = op.scalar(1, "cond");
    else if (*value == 0)
      bounds.limit = Expr(0);
  }
  return bounds;
}

/// Which carried values the body hands on as it gets them.
std::vector<bool> handedOn(const onnx::GraphProto &body, size_t carried) {
  std::map<std::string, std::string> same; // by the name that an Identity gives it
  const auto original = [&](const std::string &name) {
    const auto found = same.find(name);
    return found == same.end() ? name : found->second;
  };
  for (const onnx::NodeProto &node : body.node())
    if (node.op_type() == "Identity" && node.domain().empty() && node.input_size() == 1 && node.output_size() == 1)
      same[node.output(0)] = original(node.input(0));
  std::vector<bool> handed;
  for (size_t i = 0; i < carried; ++i)
    handed.push_back(original(body.output(i + 1).name()) == body.input(i + 2).name());
  return handed;
}

/// rolled(), which carries no value that is handed on: weights are some, as tf2onnx writes recurrent layers. They are
/// what they are around the loop, constants if they are constants there.
std::vector<Tensor> rolledWithout(const std::vector<bool> &handed, OpBinder &op, const LoopBounds &bounds,
                                  ArrayRef<Tensor> initial, const LoopIteration &iteration) {
  const auto withHanded = [&](ArrayRef<Tensor> others) {
    std::vector<Tensor> all;
    for (auto [i, isHanded] : llvm::enumerate(handed))
      all.push_back(isHanded ? initial[i] : others.consume_front());
    all.insert(all.end(), others.begin(), others.end()); // rows
    return all;
  };
  std::vector<Tensor> moving;
  for (auto [i, isHanded] : llvm::enumerate(handed))
    if (!isHanded)
      moving.push_back(initial[i]);
  return withHanded(rolled(op, bounds, moving, [&](const Expr &index, ArrayRef<Tensor> values) {
    std::vector<Tensor> outputs = iteration(index, withHanded(values));
    for (size_t i = handed.size(); i-- > 0;)
      if (handed[i])
        outputs.erase(outputs.begin() + i + 1);
    return outputs;
  }));
}

} // namespace

void importLoop(OpBinder &op) {
  const onnx::GraphProto &graph = op.graphAttribute("body");
  std::vector<Tensor> initial;
  for (size_t i = 2; i < op.inputCount(); ++i)
    initial.push_back(op.operand(i, "v_initial"));
  const size_t carried = initial.size();
  if (static_cast<size_t>(graph.input_size()) != carried + 2)
    op.bad("the body has " + std::to_string(graph.input_size()) +
           " inputs, expected the iteration, the condition and " + std::to_string(carried) + " carried values");
  if (static_cast<size_t>(graph.output_size()) < carried + 1 ||
      static_cast<size_t>(graph.output_size()) < op.outputCount() + 1)
    op.bad("the body has " + std::to_string(graph.output_size()) + " outputs, the node carries " +
           std::to_string(carried) + " values and has " + std::to_string(op.outputCount()) + " outputs");
  const LoopBounds bounds = boundsOf(op);
  const auto iteration = [&](const Expr &index, ArrayRef<Tensor> values) {
    const Type bit = IntegerType::get(op.b.context(), 1);
    // The body is entered where its condition holds.
    std::vector<Tensor> inputs{op.ofKnown({{}, {Scalar::integer(index)}}, op.b.int64()),
                               op.ofKnown({{}, {Scalar::integer(Expr(1))}}, bit)};
    inputs.insert(inputs.end(), values.begin(), values.end());
    std::vector<Tensor> outputs = op.bodies().inPlace(graph, inputs);
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i]->composite && (i == 0 || i > carried))
        op.bad("output " + std::to_string(i) + " of the body is " + formOf(*outputs[i]) + ", expected a tensor");
    return outputs;
  };
  std::optional<std::vector<Tensor>> results;
  if (llvm::any_of(initial, [](const Tensor value) { return value->composite.has_value(); }))
    results = unrolled(op, bounds, graph, initial, iteration);
  if (!results)
    results = rolledWithout(handedOn(graph, carried), op, bounds, initial, iteration);
  for (size_t i = 0; i < op.outputCount(); ++i)
    op.result((*results)[i], i);
}

} // namespace cupola::onnx_import
