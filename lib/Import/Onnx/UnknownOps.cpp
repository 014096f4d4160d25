//===- lib/Import/Onnx/UnknownOps.cpp - ops without a row in the table -----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/UnknownOps.h"

#include "lib/Import/Onnx/OpTable.h"
#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

namespace cupola::onnx_import {

std::string whyUnknown(const onnx::NodeProto &node, const FunctionMap &functions) {
  if (functions.count(calleeOf(node)))
    return "the local function could not be inlined, because it imports another version of a "
           "domain than the model";
  if (!hasOpsOf(canonicalDomain(node.domain())))
    return "the op is not supported: no op of the domain " + quoted(displayDomain(node.domain())) + " is";
  return "the op is not supported";
}

void listUnknownOps(const onnx::FunctionProto &function, const FunctionMap &functions, std::set<FunctionKey> &listed,
                    Diagnostics &diagnostics) {
  if (!listed.insert(keyOf(function)).second)
    return;
  const Opsets opsets = opsetsOf(function);
  for (const auto &node : function.node()) {
    NodeLabel label = labelOf(node, opsets);
    label.name = function.name() + "/" + (label.name.empty() ? label.firstOutput : label.name);
    if (const auto callee = functions.find(calleeOf(node)); callee != functions.end())
      listUnknownOps(*callee->second, functions, listed, diagnostics);
    else if (!isKnownOp(canonicalDomain(node.domain()), node.op_type(), label.opset))
      diagnostics.error(ErrorKind::Unsupported, label, whyUnknown(node, functions));
  }
}

} // namespace cupola::onnx_import
