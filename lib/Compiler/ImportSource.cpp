//===- lib/Compiler/ImportSource.cpp - a model becomes a graph ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/CompilationImpl.h"

#include "lib/Compiler/PackageCache.h"
#include "lib/Import/Onnx/DeclaredTypes.h"
#include "lib/Import/Onnx/OnnxImporter.h"
#include "lib/Import/Onnx/PartOfModel.h"
#include "lib/Import/Onnx/Text.h"
#include "lib/Runtime/Format/MachineMemory.h"
#include "lib/Transforms/DeclareAliases.h"

#include "onnx/onnx_pb.h"

namespace cupola::compiler {

static std::string limitNames() {
  auto names = llvm::map_range(onnx_import::allLimits(), [](const onnx_import::LimitInfo &row) { return row.name; });
  return llvm::join(names, ", ");
}

/// `--shape NAME=..` names an input or a symbol of the model.
static Status sortShapes(const onnx::ModelProto &proto, const Options &options, onnx_import::ShapeOptions &shapes) {
  for (const ShapeSetting &setting : options.shapes) {
    const auto isOf = [&](const onnx::ValueInfoProto &input) {
      return input.name() == setting.name || onnx_import::isElement(input, setting.name);
    };
    if (llvm::any_of(proto.graph().input(), isOf))
      shapes.inputs[setting.name] = setting.dims;
    else if (setting.dims.size() == 1)
      shapes.symbols[setting.name] = setting.dims.front();
    else
      return Status::usage("the model has no input '" + setting.name + "'");
  }
  for (const DimRange &dim : options.dims)
    shapes.bounds[dim.name] = {dim.min, dim.max};
  for (const ValueSetting &setting : options.values)
    shapes.values[setting.name] = setting.value;
  for (const SequenceSetting &setting : options.sequences)
    shapes.sequences[setting.name] = setting.count;
  for (const AliasSetting &alias : options.aliases)
    for (const onnx::ValueInfoProto &input : proto.graph().input())
      if (std::optional<std::string> output = aliasOf(alias.input, alias.output, input.name()))
        shapes.aliases[input.name()] = *output;
  if (options.given)
    shapes.given.emplace();
  for (const GivenInput &input : options.given.value_or(std::vector<GivenInput>()))
    shapes.given->push_back({input.name, input.shape, input.value});
  return {};
}

static Status refusal(const onnx_import::Diagnostics &diagnostics, const std::string &path,
                      std::vector<Problem> *problems) {
  const auto code = static_cast<Code>(diagnostics.exitCode());
  const std::string text = llvm::join(diagnostics.lines(path), "\n");
  const std::vector<std::string> lines =
      problems ? diagnostics.lines(path, diagnostics.errors().size()) : std::vector<std::string>();
  for (auto [line, error] : llvm::zip(lines, diagnostics.errors())) {
    const onnx_import::NodeLabel &node = error.node;
    problems->push_back({static_cast<Code>(error.kind), node.name.empty() ? node.firstOutput : node.name, node.op,
                         node.opset, error.message, line, !error.decidedBy.empty()});
  }
  return code == Code::Internal ? Status::internal(text) : Status(code, text);
}

onnx_import::ExternalData externalDataOf(const ModelSource &source, bool allowHardLinks, const CancelPoll &cancelled) {
  if (!source.bytes)
    return onnx_import::ExternalData::besideModel(source.name, allowHardLinks);
  if (!source.readExternal)
    return source.externalFolder.empty() ? onnx_import::ExternalData()
                                         : onnx_import::ExternalData::beneath(source.externalFolder, allowHardLinks);
  return onnx_import::ExternalData(
      [&](const std::string &location, int64_t offset, int64_t size) -> Result<std::string_view> {
        CUPOLA_TRY(pollCancel(cancelled));
        return source.readExternal(location, offset, size);
      });
}

/// Reads and checks the model, without the importer.
static std::optional<onnx_import::LoadedModel>
readSource(const ModelSource &source, const onnx_import::LoadOptions &options, const onnx_import::OpLibrary &library,
           const CancelPoll &cancelled, onnx_import::Diagnostics &diagnostics) {
  const auto isKnown = [&](const std::string &domain, const std::string &op, int64_t version) {
    return library.knows(domain, op, version);
  };
  if (!source.bytes)
    return onnx_import::loadModelFile(source.name, options, isKnown, diagnostics);
  return onnx_import::loadModelBytes(*source.bytes, source.name, options, isKnown, diagnostics,
                                     externalDataOf(source, options.allowHardLinks, cancelled));
}

/// What the package keeps of it for people.
static format::Metadata metadataOf(const onnx::ModelProto &proto) {
  format::Metadata metadata;
  metadata.producerName = proto.producer_name();
  metadata.producerVersion = proto.producer_version();
  metadata.graphName = proto.graph().name();
  metadata.graphDescription = proto.graph().doc_string();
  metadata.domain = proto.domain();
  metadata.description = proto.doc_string();
  metadata.version = proto.model_version();
  for (const onnx::StringStringEntryProto &entry : proto.metadata_props())
    metadata.properties.push_back({entry.key(), entry.value()});
  return metadata;
}

Status Compilation::Impl::readModel(const ModelSource &source, onnx_import::Limits &limits,
                                    std::vector<Problem> *problems) {
  onnx_import::LoadOptions loading;
  loading.allowHardLinks = options.allowHardLinks;
  loading.digest = digest;
  // What cannot be there anyway needs no option to be refused.
  loading.limits.tensorBytes = std::min<int64_t>(loading.limits.tensorBytes, format::totalMemory());
  for (const auto &[name, value] : options.limits)
    if (!onnx_import::setLimit(loading.limits, name, value))
      return Status::usage("no limit '" + name + "' takes the value " + std::to_string(value) +
                           "; there are: " + limitNames());
  for (const std::string &file : options.opLibraries)
    CUPOLA_TRY(library.addFile(file, options.trustSnippets));
  onnx_import::Diagnostics diagnostics;
  const CancelPoll &cancelled = variantContext.services.cancelled;
  auto loaded = readSource(source, loading, library, cancelled, diagnostics);
  CUPOLA_TRY(pollCancel(cancelled));
  if (!loaded)
    return refusal(diagnostics, source.name, problems);
  model.emplace(std::move(*loaded));
  limits = loading.limits;
  return {};
}

Status Compilation::Impl::importFrom(const ModelSource &source, std::vector<Problem> *problems) {
  onnx_import::Limits limits;
  CUPOLA_TRY(readModel(source, limits, problems));
  onnx_import::ShapeOptions shapes;
  shapes.allowDecoders = options.allowDecoders;
  CUPOLA_TRY(sortShapes(*model->proto, options, shapes));
  metadata = metadataOf(*model->proto);
  if (options.everyValue) {
    for (onnx_import::NodeOfModel &node : onnx_import::nodesOfModel(*model->proto))
      nodes.push_back({node.index, std::move(node.name), std::move(node.op)});
    onnx_import::returnEveryValue(*model->proto);
  }
  onnx_import::Diagnostics diagnostics;
  onnx_import::ImportedModel found = onnx_import::importModel(*model, shapes, limits, context, diagnostics, library);
  if (!found.module)
    return refusal(diagnostics, source.name, problems);
  module = std::move(found.module);
  composites = std::move(found.composites);
  for (const onnx_import::Decision &decision : found.decisions)
    if (decision.kind == onnx_import::Decision::Value)
      pinned[decision.name] = decision.value;
  for (const std::string &text : onnx_import::decisionTexts(found.decisions))
    variantContext.services.warn(source.name + ": " + text);
  for (const std::string &warning : diagnostics.warnings())
    variantContext.services.warn(source.name + ": " + warning);
  model->proto.reset(); // the weights live in the blob store
  return {};
}

const std::vector<ModelNode> &Compilation::nodes() const { return state->nodes; }
const std::map<std::string, std::string> &Compilation::pinned() const { return state->pinned; }

Result<ModelPart> Compilation::part(const ModelSource &source, const Options &options, std::vector<uint32_t> nodes,
                                    const std::vector<npz::Array> &values) {
  Impl impl(options);
  onnx_import::Limits limits;
  CUPOLA_TRY(impl.readModel(source, limits));
  onnx_import::PartOptions chosen;
  chosen.nodes = std::move(nodes);
  for (const npz::Array &value : values)
    chosen.values[value.name] = {value.dtype, value.shape, llvm::toStringRef(value.bytes)};
  for (const ValueSetting &setting : options.values)
    chosen.pinned.insert(setting.name);
  CUPOLA_ASSIGN(onnx_import::ModelPart part, onnx_import::partOfModel(*impl.model, chosen));
  return ModelPart{std::move(part.onnx), std::move(part.inputs), std::move(part.outputs)};
}

} // namespace cupola::compiler
