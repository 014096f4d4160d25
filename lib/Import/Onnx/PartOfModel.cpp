//===- lib/Import/Onnx/PartOfModel.cpp - some nodes of a model, by themselves -===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/PartOfModel.h"

#include "lib/Import/Onnx/TensorData.h"
#include "lib/Import/Onnx/TensorWalk.h"
#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

#include <limits>

namespace cupola::onnx_import {

namespace {

using Names = std::set<std::string>;

/// What steers shapes, axes or counts has no more elements.
constexpr size_t kMostSteering = 256;

bool isConstant(const onnx::NodeProto &node) { return node.op_type() == "Constant"; }

void addUses(const onnx::NodeProto &node, Names &uses);

/// What a body reads of the graphs around it.
void addUses(const onnx::GraphProto &body, Names &uses) {
  Names inner, own;
  for (const auto &node : body.node()) {
    addUses(node, inner);
    own.insert(node.output().begin(), node.output().end());
  }
  for (const auto &output : body.output())
    inner.insert(output.name());
  for (const auto &input : body.input())
    own.insert(input.name());
  for (const auto &tensor : body.initializer())
    own.insert(tensor.name());
  for (const std::string &name : inner)
    if (!own.count(name))
      uses.insert(name);
}

void addUses(const onnx::NodeProto &node, Names &uses) {
  for (const std::string &input : node.input())
    if (!input.empty())
      uses.insert(input);
  for (const auto &attribute : node.attribute()) {
    if (attribute.has_g())
      addUses(attribute.g(), uses);
    for (const auto &body : attribute.graphs())
      addUses(body, uses);
  }
}

void addNames(const onnx::NodeProto &node, Names &names) {
  for (const std::string &output : node.output())
    if (!output.empty())
      names.insert(output);
}

bool steersShapes(const KnownValue &value) {
  return value.shape.size() <= 1 && value.bytes.size() <= kMostSteering * format::byteSize(value.dtype) &&
         !format::isFloat(value.dtype) && isComputed(value.dtype);
}

class PartMaker {
public:
  PartMaker(const LoadedModel &model, const PartOptions &options)
      : model(model), from(model.proto->graph()), options(options) {}

  Result<ModelPart> make() {
    part.set_ir_version(model.proto->ir_version());
    *part.mutable_opset_import() = model.proto->opset_import();
    *part.mutable_functions() = model.proto->functions();
    part.set_producer_name("cupola");
    graph().set_name("part");
    chooseNodes();
    CUPOLA_TRY(addInputs());
    CUPOLA_TRY(addOutputs());
    putTensorsBack();
    if (part.ByteSizeLong() > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
      return Status::limit("a part of " + std::to_string(options.nodes.size()) + " nodes has " +
                           std::to_string(part.ByteSizeLong()) + " bytes, more than Protobuf takes (2^31 - 1)");
    ModelPart result;
    result.onnx = part.SerializeAsString();
    for (const auto &input : part.graph().input())
      result.inputs.push_back(input.name());
    for (const auto &output : part.graph().output())
      result.outputs.push_back(output.name());
    return result;
  }

private:
  onnx::GraphProto &graph() { return *part.mutable_graph(); }

  /// The nodes, the constants that they read, and who reads what.
  void chooseNodes() {
    const std::set<uint32_t> chosen(options.nodes.begin(), options.nodes.end());
    for (int i = 0; i < from.node_size(); ++i)
      addUses(from.node(i), chosen.count(static_cast<uint32_t>(i)) ? uses : usesOfOthers);
    for (int i = 0; i < from.node_size(); ++i) {
      const onnx::NodeProto &node = from.node(i);
      const bool isIn = chosen.count(static_cast<uint32_t>(i)) > 0;
      if (!isIn && !(isConstant(node) && node.output_size() == 1 && uses.count(node.output(0))))
        continue;
      *graph().add_node() = node;
      addNames(node, isIn ? made : constants);
    }
  }

  Status addInputs() {
    Names initializers, inputs;
    for (const auto &tensor : from.initializer())
      if (initializers.insert(tensor.name()).second && uses.count(tensor.name()))
        *graph().add_initializer() = tensor;
    for (const auto &input : from.input())
      inputs.insert(input.name());
    for (const std::string &name : uses) {
      if (made.count(name) || constants.count(name) || initializers.count(name))
        continue;
      CUPOLA_ASSIGN(const KnownValue *value, valueOf(name));
      const bool isInput = inputs.count(name) > 0;
      if (isInput ? options.pinned.count(name) > 0 : steersShapes(*value))
        addInitializer(*value, name);
      else
        declare(*graph().add_input(), name, *value);
    }
    return {};
  }

  Status addOutputs() {
    for (const auto &output : from.output())
      usesOfOthers.insert(output.name());
    for (const auto &node : graph().node())
      for (const std::string &name : node.output()) {
        if (!made.count(name) || !usesOfOthers.count(name))
          continue;
        CUPOLA_ASSIGN(const KnownValue *value, valueOf(name));
        declare(*graph().add_output(), name, *value);
      }
    return graph().output_size() ? Status::ok() : Status::unsupported("nothing reads what the part computes");
  }

  Result<const KnownValue *> valueOf(const std::string &name) const {
    const auto known = options.values.find(name);
    if (known == options.values.end())
      return Status::unsupported("the value of " + quoted(name) + " is not known");
    return &known->second;
  }

  static void declare(onnx::ValueInfoProto &info, const std::string &name, const KnownValue &value) {
    info.set_name(name);
    auto &type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(format::rowOf(value.dtype).onnx);
    type.mutable_shape();
    for (const int64_t extent : value.shape)
      type.mutable_shape()->add_dim()->set_dim_value(extent);
  }

  void addInitializer(const KnownValue &value, const std::string &name) {
    onnx::TensorProto &tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(format::rowOf(value.dtype).onnx);
    tensor.mutable_dims()->Add(value.shape.begin(), value.shape.end());
    tensor.set_raw_data(value.bytes.data(), value.bytes.size());
  }

  void putTensorsBack() {
    walkTensors(part, [&](onnx::TensorProto &tensor, const TensorPlace &) {
      const Blob *blob = model.blobs.find(tensor);
      if (!blob)
        return true;
      tensor.clear_metadata_props();
      tensor.mutable_dims()->Clear();
      tensor.mutable_dims()->Add(blob->dims.begin(), blob->dims.end());
      tensor.set_raw_data(blob->bytes.data(), blob->bytes.size());
      return true;
    });
  }

  const LoadedModel &model;
  const onnx::GraphProto &from;
  const PartOptions &options;
  onnx::ModelProto part;
  Names uses, usesOfOthers; ///< by the nodes of the part, by all else
  Names made, constants;    ///< by the nodes of the part, of the constants beside them
};

} // namespace

std::vector<NodeOfModel> nodesOfModel(const onnx::ModelProto &model) {
  std::vector<NodeOfModel> nodes;
  for (int i = 0; i < model.graph().node_size(); ++i)
    if (const onnx::NodeProto &node = model.graph().node(i); !isConstant(node))
      nodes.push_back({static_cast<uint32_t>(i), node.name(), node.op_type()});
  return nodes;
}

void returnEveryValue(onnx::ModelProto &model) {
  onnx::GraphProto &graph = *model.mutable_graph();
  Names taken;
  for (const auto &output : graph.output())
    taken.insert(output.name());
  for (const auto &tensor : graph.initializer()) // which an input may name, too
    taken.insert(tensor.name());
  const auto add = [&](const std::string &name) {
    if (!name.empty() && taken.insert(name).second)
      graph.add_output()->set_name(name);
  };
  for (const auto &input : graph.input())
    add(input.name());
  for (const NodeOfModel &node : nodesOfModel(model))
    for (const std::string &output : graph.node(static_cast<int>(node.index)).output())
      add(output);
}

Result<ModelPart> partOfModel(const LoadedModel &model, const PartOptions &options) {
  return PartMaker(model, options).make();
}

} // namespace cupola::onnx_import
