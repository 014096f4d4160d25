//===- lib/Import/Onnx/ModelNames.cpp - domains, opsets, labels, functions -===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ModelNames.h"

#include "onnx/onnx_pb.h"

namespace cupola::onnx_import {

std::string canonicalDomain(const std::string &domain) { return domain == "ai.onnx" ? "" : domain; }

std::string displayDomain(const std::string &domain) { return canonicalDomain(domain).empty() ? "ai.onnx" : domain; }

namespace {
template <typename Owner> Opsets opsets(const Owner &owner) {
  Opsets result;
  for (const auto &import : owner.opset_import())
    result.emplace(canonicalDomain(import.domain()), import.version());
  return result;
}
} // namespace

Opsets opsetsOf(const onnx::ModelProto &model) { return opsets(model); }
Opsets opsetsOf(const onnx::FunctionProto &function) { return opsets(function); }

NodeLabel labelOf(const onnx::NodeProto &node, const Opsets &opsets) {
  const std::string domain = canonicalDomain(node.domain());
  const auto found = opsets.find(domain);
  NodeLabel label;
  label.name = node.name();
  label.op = domain.empty() ? node.op_type() : domain + "." + node.op_type();
  label.opset = found == opsets.end() ? 0 : found->second;
  for (const std::string &output : node.output())
    if (label.firstOutput.empty())
      label.firstOutput = output;
  return label;
}

FunctionKey keyOf(const onnx::FunctionProto &function) {
  return {canonicalDomain(function.domain()), function.name(), function.overload()};
}

FunctionKey calleeOf(const onnx::NodeProto &node) {
  return {canonicalDomain(node.domain()), node.op_type(), node.overload()};
}

FunctionMap functionsOf(const onnx::ModelProto &model) {
  FunctionMap result;
  for (const auto &function : model.functions())
    result.emplace(keyOf(function), &function);
  return result;
}

} // namespace cupola::onnx_import
