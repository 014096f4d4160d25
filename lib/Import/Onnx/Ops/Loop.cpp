//===- lib/Import/Onnx/Ops/Loop.cpp - Loop ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/LoopBody.h"
#include "lib/Import/Onnx/Ops/Ops.h"

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

} // namespace

void importLoop(OpBinder &op) {
  const onnx::GraphProto &graph = op.graphAttribute("body");
  std::vector<Value> initial;
  std::vector<Type> elements;
  for (size_t i = 2; i < op.inputCount(); ++i) {
    initial.push_back(op.value(i, "v_initial"));
    elements.push_back(op.element(i, "v_initial"));
  }
  const size_t carried = initial.size();
  if (static_cast<size_t>(graph.input_size()) != carried + 2)
    op.bad("the body has " + std::to_string(graph.input_size()) +
           " inputs, expected the iteration, the condition and " + std::to_string(carried) + " carried values");
  if (static_cast<size_t>(graph.output_size()) < carried + 1 ||
      static_cast<size_t>(graph.output_size()) < op.outputCount() + 1)
    op.bad("the body has " + std::to_string(graph.output_size()) + " outputs, the node carries " +
           std::to_string(carried) + " values and has " + std::to_string(op.outputCount()) + " outputs");
  const LoopBounds bounds = boundsOf(op);
  LoopBody body(op, initial, /*hasCondition=*/true, elements);
  body.make([&](const Expr &index, ArrayRef<Tensor> values) {
    const Type int64 = IntegerType::get(op.b.context(), 64), bit = IntegerType::get(op.b.context(), 1);
    // The body is entered where its condition holds.
    std::vector<Tensor> inputs{op.ofKnown({{}, {Scalar::integer(index)}}, int64),
                               op.ofKnown({{}, {Scalar::integer(Expr(1))}}, bit)};
    inputs.insert(inputs.end(), values.begin(), values.end());
    return op.bodies().inPlace(graph, inputs);
  });
  const std::vector<Value> results = body.create(bounds);
  for (size_t i = 0; i < op.outputCount(); ++i) {
    op.result(results[i], i);
    op.results()[i]->element = body.elementOf(i);
  }
}

} // namespace cupola::onnx_import
