//===- lib/Import/Onnx/TensorWalk.cpp - every tensor, wherever it hides ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/TensorWalk.h"

#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

namespace cupola::onnx_import {
namespace {

/// Recursion is bounded by Protobuf's nesting limit (Limits.h).
struct Walker {
  const TensorVisitor &visit;

  bool sparse(onnx::SparseTensorProto &tensor, const std::string &where) {
    return (!tensor.has_indices() || visit(*tensor.mutable_indices(), {"the indices of sparse " + where, true})) &&
           visit(*tensor.mutable_values(), {"the values of sparse " + where, true});
  }

  bool attribute(onnx::AttributeProto &attribute, const std::string &owner) {
    const std::string where = "attribute " + quoted(attribute.name()) + " of " + owner;
    if (attribute.has_t() && !visit(*attribute.mutable_t(), {where, false}))
      return false;
    if (attribute.has_sparse_tensor() && !sparse(*attribute.mutable_sparse_tensor(), where))
      return false;
    if (attribute.has_g() && !graph(*attribute.mutable_g()))
      return false;
    for (auto &tensor : *attribute.mutable_tensors())
      if (!visit(tensor, {where, false}))
        return false;
    for (auto &tensor : *attribute.mutable_sparse_tensors())
      if (!sparse(tensor, where))
        return false;
    for (auto &body : *attribute.mutable_graphs())
      if (!graph(body))
        return false;
    return true;
  }

  template <typename Nodes> bool nodes(Nodes &list) {
    for (onnx::NodeProto &node : list)
      for (auto &entry : *node.mutable_attribute())
        if (!attribute(entry, "node " + quoted(node.name()) + " (" + printable(node.op_type()) + ")"))
          return false;
    return true;
  }

  bool graph(onnx::GraphProto &graph) {
    for (auto &tensor : *graph.mutable_initializer())
      if (!visit(tensor, {"initialiser " + quoted(tensor.name()), false}))
        return false;
    for (auto &tensor : *graph.mutable_sparse_initializer())
      if (!sparse(tensor, "initialiser " + quoted(tensor.values().name())))
        return false;
    return nodes(*graph.mutable_node());
  }

  bool function(onnx::FunctionProto &function) {
    for (auto &entry : *function.mutable_attribute_proto())
      if (!attribute(entry, "function " + quoted(function.name())))
        return false;
    return nodes(*function.mutable_node());
  }
};

} // namespace

bool walkTensors(onnx::ModelProto &model, const TensorVisitor &visit) {
  Walker walker{visit};
  if (!walker.graph(*model.mutable_graph()))
    return false;
  for (auto &function : *model.mutable_functions())
    if (!walker.function(function))
      return false;
  for (auto &training : *model.mutable_training_info()) {
    if (training.has_initialization() && !walker.graph(*training.mutable_initialization()))
      return false;
    if (training.has_algorithm() && !walker.graph(*training.mutable_algorithm()))
      return false;
  }
  return true;
}

} // namespace cupola::onnx_import
