//===- lib/Import/Onnx/ModelNames.cpp - domains, opsets, labels, functions -===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ModelNames.h"

#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

#include <algorithm>

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

std::string within(const onnx::NodeProto &node, const NodeLabel *caller) {
  return caller ? "its " + printable(node.op_type()) + ": " : "";
}

std::optional<int64_t> extentOf(const onnx::TensorShapeProto_Dimension &dim) {
  const bool isKnown = dim.has_dim_value() && dim.dim_value() != -1 && dim.dim_value() != 0;
  return isKnown ? std::optional<int64_t>(dim.dim_value()) : std::nullopt;
}

std::string dimensionName(const onnx::ValueInfoProto &input, int index) {
  static constexpr std::string_view anonymous[] = {"", "?", "*", "-1", "None"};
  const std::string &name = input.type().tensor_type().shape().dim(index).dim_param();
  const bool isName = std::find(std::begin(anonymous), std::end(anonymous), name) == std::end(anonymous);
  return isName ? name : input.name() + "[" + std::to_string(index) + "]";
}

std::string declaredShapeText(const onnx::ValueInfoProto &input) {
  const auto &shape = input.type().tensor_type().shape();
  std::string text;
  for (int i = 0; i < shape.dim_size(); ++i) {
    const auto extent = extentOf(shape.dim(i));
    text += (i ? ", " : "") + (extent ? std::to_string(*extent) : printable(dimensionName(input, i)));
  }
  return "[" + text + "]";
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
