//===- lib/Import/Onnx/Validator.cpp - the structure of a model ------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Validator.h"

#include "lib/Import/Onnx/DeclaredTypes.h"
#include "lib/Import/Onnx/TensorData.h"
#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

namespace cupola::onnx_import {
namespace {

/// `what`: "the model" or "function 'f'".
template <typename Owner> void checkOpsets(const Owner &owner, const std::string &what, Diagnostics &diagnostics) {
  Opsets seen;
  for (const auto &import : owner.opset_import()) {
    const std::string domain = canonicalDomain(import.domain());
    const auto [first, isNew] = seen.emplace(domain, import.version());
    // Some exporters name ai.onnx twice, once as "": that is one import.
    if (!isNew && first->second != import.version())
      diagnostics.error(ErrorKind::BadModel, what + " imports two opsets of the domain " +
                                                 quoted(displayDomain(domain)) + ", " + std::to_string(first->second) +
                                                 " and " + std::to_string(import.version()));
    if (!domain.empty() || !isNew)
      continue;
    if (import.version() < oldestOpset || import.version() > newestOpset)
      diagnostics.error(ErrorKind::BadModel, what + " imports opset " + std::to_string(import.version()) +
                                                 " of ai.onnx, expected " + std::to_string(oldestOpset) + " to " +
                                                 std::to_string(newestOpset));
  }
  if (owner.opset_import().empty())
    diagnostics.error(ErrorKind::BadModel, what + " imports no opset, expected one of ai.onnx");
}

/// The declared type of a graph input. Outputs get theirs from inference.
void checkInput(const onnx::ValueInfoProto &input, const Limits &limits, Diagnostics &diagnostics) {
  const std::string what = "graph input " + quoted(input.name());
  const auto bad = [&](ErrorKind kind, const std::string &text) { diagnostics.error(kind, what + " " + text); };
  if (!input.has_type() || input.type().value_case() == onnx::TypeProto::VALUE_NOT_SET)
    return bad(ErrorKind::BadModel, "has no type");
  const DeclaredType declared = declaredTypeOf(input.type());
  if (!declared.tensor)
    return bad(ErrorKind::Unsupported, "is a map, a sparse tensor or a sequence of sequences, supported are tensors, "
                                       "sequences of tensors and optionals of those");
  const auto &tensor = *declared.tensor;
  if (declared.composite && !tensor.has_shape())
    return; // --shape tells it (CompositeInputs.h)
  if (!tensor.has_shape())
    return bad(ErrorKind::Unsupported, "has no shape, supported are tensors of known rank");
  std::vector<int64_t> dims;
  for (const auto &dim : tensor.shape().dim())
    dims.push_back(extentOf(dim).value_or(1));
  if (dims.size() > static_cast<size_t>(maxRank))
    return bad(ErrorKind::Unsupported,
               "has rank " + std::to_string(dims.size()) + ", supported are ranks up to " + std::to_string(maxRank));
  for (int64_t dim : dims)
    if (dim < 0)
      return bad(ErrorKind::BadModel,
                 "has the dimensions " + listText(dims) + ", expected none below -1, which stands for an unknown one");
  const auto bytes = tensorBytes(tensor.elem_type(), dims);
  if (!bytes)
    return bad(ErrorKind::BadModel, "has the dimensions " + listText(dims) + ", whose product does not fit 63 bits");
  if (*bytes > limits.tensorBytes)
    return bad(ErrorKind::Limit, "of " + exceeds(limits, &Limits::tensorBytes, std::to_string(*bytes) + " bytes"));
}

} // namespace

bool validateModel(const onnx::ModelProto &model, const Limits &limits, Diagnostics &diagnostics) {
  const auto bad = [&](const std::string &text) { diagnostics.error(ErrorKind::BadModel, text); };
  if (model.ir_version() < oldestIrVersion || model.ir_version() > newestIrVersion)
    bad("the model has IR version " + std::to_string(model.ir_version()) + ", expected " +
        std::to_string(oldestIrVersion) + " to " + std::to_string(newestIrVersion));
  checkOpsets(model, "the model", diagnostics);
  for (const auto &input : model.graph().input())
    checkInput(input, limits, diagnostics);
  if (model.graph().output_size() == 0)
    bad("the graph has no outputs, expected at least one");
  validateGraph(model.graph(), opsetsOf(model), nullptr, nullptr, diagnostics);
  std::set<FunctionKey> functions;
  for (const auto &function : model.functions()) {
    const std::string name = "function " + quoted(function.name());
    if (!functions.insert(keyOf(function)).second)
      bad(name + " of the domain " + quoted(displayDomain(function.domain())) + " is given twice");
    checkOpsets(function, name, diagnostics);
    validateFunction(function, diagnostics);
  }
  return !diagnostics.failed();
}

} // namespace cupola::onnx_import
