//===- lib/Import/Onnx/Diagnostic.cpp - what is wrong with a model ---------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Diagnostic.h"

#include "lib/Import/Onnx/Text.h"

namespace cupola::onnx_import {

std::string NodeLabel::text() const {
  const std::string who =
      name.empty() && !firstOutput.empty() ? "node that makes " + quoted(firstOutput) : "node " + quoted(name);
  return who + " (" + printable(op) + ", opset " + std::to_string(opset) + ")";
}

std::string Diagnostic::text() const { return hasNode ? node.text() + ": " + message : message; }

void Diagnostics::error(ErrorKind kind, std::string message, Decisive decidedBy) {
  list.push_back({kind, false, {}, std::move(message), std::move(decidedBy)});
}

void Diagnostics::error(ErrorKind kind, const NodeLabel &node, std::string message, Decisive decidedBy) {
  list.push_back({kind, true, node, std::move(message), std::move(decidedBy)});
}

void Diagnostics::warning(std::string message) { remarks.push_back(std::move(message)); }

int Diagnostics::exitCode() const {
  static constexpr ErrorKind gravest[] = {ErrorKind::Internal,    ErrorKind::Usage,    ErrorKind::InputOutput,
                                          ErrorKind::Environment, ErrorKind::BadModel, ErrorKind::Limit,
                                          ErrorKind::Unsupported};
  for (ErrorKind kind : gravest)
    for (const Diagnostic &entry : list)
      if (entry.kind == kind)
        return static_cast<int>(kind);
  return 0;
}

std::vector<std::string> Diagnostics::lines(std::string_view model, size_t most) const {
  const std::string prefix = printable(model, 512) + ": ";
  std::vector<std::string> result;
  for (const Diagnostic &entry : list) {
    if (result.size() == most) {
      result.push_back(prefix + "and " + std::to_string(list.size() - most) +
                       " more errors (`cupola check` lists all)");
      break;
    }
    result.push_back(prefix + entry.text());
  }
  return result;
}

} // namespace cupola::onnx_import
