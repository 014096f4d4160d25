//===- lib/Target/PassErrors.cpp - what passes complain of, by ONNX node ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/PassErrors.h"

#include "dialects/Graph/Provenance.h"
#include "lib/Runtime/Text.h"

#include <thread>

using namespace mlir;

namespace cupola {

std::string nodesText(Location location) {
  const SmallVector<graph::NodeRef> nodes = graph::nodesOf(location);
  if (nodes.empty())
    return "";
  const graph::NodeRef &first = nodes.front();
  const std::string text = runtime::quote(first.name.str()) + (first.op.empty() ? "" : " (" + first.op.str() + ")");
  return nodes.size() == 1 ? "node " + text : "nodes " + text + " and " + std::to_string(nodes.size() - 1) + " more";
}

PassErrors::PassErrors(MLIRContext *context)
    : handler(context, [this, own = std::this_thread::get_id()](Diagnostic &diagnostic) {
        if (std::this_thread::get_id() != own)
          return failure(); // another thread's handler takes it
        if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
          warnings.insert(diagnostic.str());
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return success();
        const std::string node = nodesText(diagnostic.getLocation());
        messages += (messages.empty() ? "" : "; ") + (node.empty() ? "" : node + ": ") + diagnostic.str();
        return success();
      }) {}

Status PassErrors::status(const std::string &what) const {
  return Status::internal(messages.empty() ? what : what + ": " + messages);
}

Status PassErrors::added(const Status &status) const { return messages.empty() ? status : status.within(messages); }

} // namespace cupola
