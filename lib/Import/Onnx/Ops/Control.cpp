//===- lib/Import/Onnx/Ops/Control.cpp - branches that are decided ---------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ops.h"

using namespace mlir;

namespace cupola::onnx_import {

/// TorchScript writes `squeeze` of an unknown dimension as an If over Shape: where
/// the condition follows from shapes, the branch takes the node's place.
void importIf(OpBinder &op) {
  op.requireInputs(1, 1);
  op.requireBool(0, "cond");
  const Known *condition = op.known(0);
  const auto value = condition && condition->isScalarLike() ? condition->elements[0].intConstant() : std::nullopt;
  if (!value)
    op.undecided(0, condition
                        ? "input 0 (cond) depends on dimensions that are not fixed, supported are conditions that "
                          "are decided while compiling"
                        : "input 0 (cond) is computed from the data of the model's inputs, supported are "
                          "conditions that are decided while compiling");
  op.ignoreAttribute("then_branch");
  op.ignoreAttribute("else_branch");
  const std::vector<Tensor> results = op.importSubgraph(*value ? "then_branch" : "else_branch");
  if (results.size() != op.outputCount())
    op.bad("the branch has " + std::to_string(results.size()) + " outputs, the node has " +
           std::to_string(op.outputCount()));
  for (size_t i = 0; i < results.size(); ++i)
    op.result(results[i], i);
}

} // namespace cupola::onnx_import
