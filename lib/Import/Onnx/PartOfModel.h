//===- lib/Import/Onnx/PartOfModel.h - some nodes of a model, by themselves ===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_PARTOFMODEL_H
#define CUPOLA_LIB_IMPORT_ONNX_PARTOFMODEL_H

#include "lib/Import/Onnx/LoadModel.h"
#include "lib/Runtime/Format/ElementTypes.h"

#include <map>
#include <set>

namespace cupola::onnx_import {

/// A node of the main graph, after inlining.
struct NodeOfModel {
  uint32_t index = 0;
  std::string name, op; ///< the name may be empty
};

/// What a part can be made of, in the model's order: all nodes but constants, which go where they are read.
std::vector<NodeOfModel> nodesOfModel(const onnx::ModelProto &model);

/// Makes outputs of the inputs and of what every such node computes, behind the model's own; they declare no type.
void returnEveryValue(onnx::ModelProto &model);

/// In row-major order.
struct KnownValue {
  format::DType dtype;
  std::vector<int64_t> shape;
  std::string_view bytes; ///< the owner's
};

struct PartOptions {
  std::vector<uint32_t> nodes;              ///< indices, ascending
  std::map<std::string, KnownValue> values; ///< of returnEveryValue, by name
  std::set<std::string> pinned;             ///< inputs of the model that are constants in a part
};

struct ModelPart {
  std::string onnx;                         ///< the bytes of a model
  std::vector<std::string> inputs, outputs; ///< its names
};

/// A model of these nodes, all weights inside. What they read of others is an input with the shape of its
/// value; small integers of rank 0 or 1, which steer shapes, are initialisers. Outputs: what others read, and outputs
/// of the model. Code::Unsupported where a value is not known, Code::Limit above the 2 GiB of Protobuf.
Result<ModelPart> partOfModel(const LoadedModel &model, const PartOptions &options);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_PARTOFMODEL_H
