//===- lib/Import/Onnx/LoadModel.cpp - all stages before the IR ------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/LoadModel.h"

#include "lib/Import/Onnx/ExpansionBudget.h"
#include "lib/Import/Onnx/ForeignOps.h"
#include "lib/Import/Onnx/ModelFile.h"
#include "lib/Import/Onnx/ModelNames.h"
#include "lib/Import/Onnx/OnnxLibrary.h"
#include "lib/Import/Onnx/SortNodes.h"
#include "lib/Import/Onnx/TensorIntake.h"
#include "lib/Import/Onnx/UnreadOutputs.h"
#include "lib/Import/Onnx/Validator.h"

#include "onnx/onnx_pb.h"

namespace cupola::onnx_import {

LoadedModel::LoadedModel() : proto(std::make_unique<onnx::ModelProto>()) {}
LoadedModel::LoadedModel(LoadedModel &&) noexcept = default;
LoadedModel::~LoadedModel() = default;

namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// Texts that are for people only would be copied with every inlined call.
void dropTexts(Nodes &nodes) {
  for (auto &node : nodes) {
    node.clear_doc_string();
    node.clear_metadata_props();
    for (auto &attribute : *node.mutable_attribute()) {
      attribute.clear_doc_string();
      if (attribute.has_g())
        dropTexts(*attribute.mutable_g()->mutable_node());
      for (auto &graph : *attribute.mutable_graphs())
        dropTexts(*graph.mutable_node());
    }
  }
}

bool allKnown(const Nodes &nodes, const Opsets &opsets, const FunctionMap &functions, const OpKnown &known) {
  for (const auto &node : nodes) {
    const std::string domain = canonicalDomain(node.domain());
    const auto version = opsets.find(domain);
    if (!functions.count(calleeOf(node)) &&
        (version == opsets.end() || !known(domain, node.op_type(), version->second)))
      return false;
    for (const auto &attribute : node.attribute()) {
      if (attribute.has_g() && !allKnown(attribute.g().node(), opsets, functions, known))
        return false;
      for (const auto &graph : attribute.graphs())
        if (!allKnown(graph.node(), opsets, functions, known))
          return false;
    }
  }
  return true;
}

bool allKnown(const onnx::ModelProto &model, const OpKnown &known) {
  const FunctionMap functions = functionsOf(model);
  if (!allKnown(model.graph().node(), opsetsOf(model), functions, known))
    return false;
  for (const auto &function : model.functions())
    if (!allKnown(function.node(), opsetsOf(function), functions, known))
      return false;
  return true;
}

/// The stages after parsing.
bool prepare(LoadedModel &loaded, ExternalData &files, const LoadOptions &options, const OpKnown &known,
             Diagnostics &diagnostics) {
  onnx::ModelProto &model = *loaded.proto;
  files.record(options.digest);
  dropTexts(*model.mutable_graph()->mutable_node());
  for (auto &function : *model.mutable_functions())
    dropTexts(*function.mutable_node());
  sortNodes(model);
  if (!validateModel(model, options.limits, diagnostics) || !checkExpansion(model, options.limits, diagnostics) ||
      !takeInTensors(model, files, options.limits, loaded.blobs, diagnostics))
    return false;
  loaded.external = files.pieces();
  moveForeignOps(model);
  model.clear_training_info(); // checked like the rest, but never executed
  if (allKnown(model, known) && !runOnnxChecker(model, diagnostics))
    return false;
  if (!inlineLocalFunctions(model, diagnostics))
    return false;
  dropUnreadOutputs(model);
  return true;
}

} // namespace

std::optional<LoadedModel> loadModelFile(const std::string &path, const LoadOptions &options, const OpKnown &known,
                                         Diagnostics &diagnostics) {
  LoadedModel loaded;
  loaded.name = path;
  {
    const auto bytes = readModelFile(path, options.limits, diagnostics);
    if (!bytes || !parseModel(*bytes, options.limits, *loaded.proto, diagnostics))
      return std::nullopt;
    if (options.digest)
      loaded.digest = options.digest(*bytes);
  } // the file's bytes go before the weights are worked on
  ExternalData files = ExternalData::besideModel(path, options.allowHardLinks);
  if (!prepare(loaded, files, options, known, diagnostics))
    return std::nullopt;
  return loaded;
}

std::optional<LoadedModel> loadModelBytes(std::string_view bytes, const std::string &name, const LoadOptions &options,
                                          const OpKnown &known, Diagnostics &diagnostics, ExternalData files) {
  LoadedModel loaded;
  loaded.name = name;
  if (!checkModelSize(static_cast<int64_t>(bytes.size()), options.limits, diagnostics) ||
      !parseModel(bytes, options.limits, *loaded.proto, diagnostics) ||
      !prepare(loaded, files, options, known, diagnostics))
    return std::nullopt;
  if (options.digest)
    loaded.digest = options.digest(bytes);
  return loaded;
}

} // namespace cupola::onnx_import
