//===- lib/Import/Onnx/ForeignOps.cpp - ops that are ONNX's by name only ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ForeignOps.h"

#include "lib/Import/Onnx/ModelNames.h"

#include "onnx/onnx_pb.h"

#include <limits>

namespace cupola::onnx_import {
namespace {

constexpr const char *kDomain = "com.microsoft";

struct ForeignOp {
  std::string_view name;
  int64_t until; ///< the first opset in which it is ONNX's
};

constexpr ForeignOp foreignOps[] = {
    {"LayerNormalization", 17},
    {"SimplifiedLayerNormalization", std::numeric_limits<int64_t>::max()},
};

bool isForeign(const onnx::NodeProto &node, int64_t opset, const FunctionMap &functions) {
  if (!canonicalDomain(node.domain()).empty() || functions.count(calleeOf(node)))
    return false;
  for (const ForeignOp &op : foreignOps)
    if (op.name == node.op_type())
      return opset < op.until;
  return false;
}

/// Whether there was one.
bool move(google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes, int64_t opset, const FunctionMap &functions) {
  bool any = false;
  for (auto &node : nodes) {
    if (isForeign(node, opset, functions)) {
      node.set_domain(kDomain);
      any = true;
    }
    for (auto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        any |= move(*attribute.mutable_g()->mutable_node(), opset, functions);
      for (auto &graph : *attribute.mutable_graphs())
        any |= move(*graph.mutable_node(), opset, functions);
    }
  }
  return any;
}

template <class Owner> void importDomain(Owner &owner) {
  if (opsetsOf(owner).count(kDomain))
    return;
  auto &import = *owner.add_opset_import();
  import.set_domain(kDomain);
  import.set_version(1);
}

template <class Owner>
bool moveIn(Owner &owner, google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes, const FunctionMap &functions) {
  const Opsets opsets = opsetsOf(owner);
  const auto onnx = opsets.find("");
  if (onnx == opsets.end() || !move(nodes, onnx->second, functions))
    return false;
  importDomain(owner);
  return true;
}

} // namespace

void moveForeignOps(onnx::ModelProto &model) {
  const FunctionMap functions = functionsOf(model);
  bool inFunction = false;
  for (auto &function : *model.mutable_functions())
    inFunction |= moveIn(function, *function.mutable_node(), functions);
  moveIn(model, *model.mutable_graph()->mutable_node(), functions);
  if (inFunction)
    importDomain(model); // or the function could not be inlined
}

} // namespace cupola::onnx_import
