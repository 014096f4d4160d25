//===- lib/Import/Onnx/WireSchema.cpp - the fields of onnx.proto that count ===//
// SPDX-License-Identifier: Apache-2.0
//
// Follows onnx.proto of ONNX 1.23 (IR version 14). Fields that are missing here
// are single numbers; unknown fields are skipped as Protobuf does.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/WireSchema.h"

namespace cupola::onnx_import {
namespace {

using M = Message;
using K = FieldKind;
using L = Limits;

// clang-format off
constexpr FieldRule rules[] = {
    {M::Model, 2, "producer_name", K::Name},
    {M::Model, 3, "producer_version", K::Name},
    {M::Model, 4, "domain", K::Name},
    {M::Model, 6, "doc_string", K::Text},
    {M::Model, 7, "graph", K::Message, M::Graph},
    {M::Model, 8, "opset_import", K::Message, M::OperatorSet, &L::listEntries},
    {M::Model, 14, "metadata_props", K::Message, M::Entry, &L::listEntries},
    {M::Model, 20, "training_info", K::Message, M::Training, &L::listEntries},
    {M::Model, 25, "functions", K::Message, M::Function, &L::functions, true},
    {M::Model, 26, "configuration", K::Message, M::Opaque, &L::listEntries},

    {M::Graph, 1, "node", K::Message, M::Node, &L::nodes, true},
    {M::Graph, 2, "name", K::Name},
    {M::Graph, 5, "initializer", K::Message, M::Tensor, &L::initializers, true},
    {M::Graph, 10, "doc_string", K::Text},
    {M::Graph, 11, "input", K::Message, M::ValueInfo, &L::initializers},
    {M::Graph, 12, "output", K::Message, M::ValueInfo, &L::initializers},
    {M::Graph, 13, "value_info", K::Message, M::ValueInfo, &L::valueInfos, true},
    {M::Graph, 14, "quantization_annotation", K::Message, M::Annotation, &L::valueInfos, true},
    {M::Graph, 15, "sparse_initializer", K::Message, M::SparseTensor, &L::initializers, true},
    {M::Graph, 16, "metadata_props", K::Message, M::Entry, &L::listEntries},

    {M::Node, 1, "input", K::Name, M::Opaque, &L::nodeOperands},
    {M::Node, 2, "output", K::Name, M::Opaque, &L::nodeOperands},
    {M::Node, 3, "name", K::Name},
    {M::Node, 4, "op_type", K::Name},
    {M::Node, 5, "attribute", K::Message, M::Attribute, &L::nodeAttributes},
    {M::Node, 6, "doc_string", K::Text},
    {M::Node, 7, "domain", K::Name},
    {M::Node, 8, "overload", K::Name},
    {M::Node, 9, "metadata_props", K::Message, M::Entry, &L::listEntries},
    {M::Node, 10, "device_configurations", K::Message, M::Opaque, &L::listEntries},

    {M::Attribute, 1, "name", K::Name},
    {M::Attribute, 4, "s", K::Bytes},
    {M::Attribute, 5, "t", K::Message, M::Tensor},
    {M::Attribute, 6, "g", K::Message, M::Graph},
    {M::Attribute, 7, "floats", K::Floats, M::Opaque, &L::attributeElements},
    {M::Attribute, 8, "ints", K::Varints, M::Opaque, &L::attributeElements},
    {M::Attribute, 9, "strings", K::Bytes, M::Opaque, &L::attributeElements},
    {M::Attribute, 10, "tensors", K::Message, M::Tensor, &L::initializers, true},
    {M::Attribute, 11, "graphs", K::Message, M::Graph, &L::listEntries},
    {M::Attribute, 13, "doc_string", K::Text},
    {M::Attribute, 14, "tp", K::Message, M::Type},
    {M::Attribute, 15, "type_protos", K::Message, M::Type, &L::listEntries},
    {M::Attribute, 21, "ref_attr_name", K::Name},
    {M::Attribute, 22, "sparse_tensor", K::Message, M::SparseTensor},
    {M::Attribute, 23, "sparse_tensors", K::Message, M::SparseTensor, &L::initializers, true},

    {M::Tensor, 1, "dims", K::Varints, M::Opaque, &L::listEntries},
    {M::Tensor, 6, "string_data", K::Bytes, M::Opaque, &L::attributeElements, true},
    {M::Tensor, 8, "name", K::Name},
    {M::Tensor, 12, "doc_string", K::Text},
    {M::Tensor, 13, "external_data", K::Message, M::Entry, &L::listEntries},
    {M::Tensor, 16, "metadata_props", K::Message, M::Entry, &L::listEntries},

    {M::SparseTensor, 1, "values", K::Message, M::Tensor},
    {M::SparseTensor, 2, "indices", K::Message, M::Tensor},
    {M::SparseTensor, 3, "dims", K::Varints, M::Opaque, &L::listEntries},

    {M::ValueInfo, 1, "name", K::Name},
    {M::ValueInfo, 2, "type", K::Message, M::Type},
    {M::ValueInfo, 3, "doc_string", K::Text},
    {M::ValueInfo, 4, "metadata_props", K::Message, M::Entry, &L::listEntries},

    {M::Type, 1, "tensor_type", K::Message, M::TensorType},
    {M::Type, 4, "sequence_type", K::Message, M::NestedType},
    {M::Type, 5, "map_type", K::Message, M::NestedType},
    {M::Type, 6, "denotation", K::Name},
    {M::Type, 8, "sparse_tensor_type", K::Message, M::TensorType},
    {M::Type, 9, "optional_type", K::Message, M::NestedType},
    {M::TensorType, 2, "shape", K::Message, M::Shape},
    {M::NestedType, 1, "elem_type", K::Message, M::Type},
    {M::NestedType, 2, "value_type", K::Message, M::Type},
    {M::Shape, 1, "dim", K::Message, M::Dimension, &L::listEntries},
    {M::Dimension, 2, "dim_param", K::Name},
    {M::Dimension, 3, "denotation", K::Name},

    {M::Function, 1, "name", K::Name},
    {M::Function, 4, "input", K::Name, M::Opaque, &L::nodeOperands},
    {M::Function, 5, "output", K::Name, M::Opaque, &L::nodeOperands},
    {M::Function, 6, "attribute", K::Name, M::Opaque, &L::nodeAttributes},
    {M::Function, 7, "node", K::Message, M::Node, &L::nodes, true},
    {M::Function, 8, "doc_string", K::Text},
    {M::Function, 9, "opset_import", K::Message, M::OperatorSet, &L::listEntries},
    {M::Function, 10, "domain", K::Name},
    {M::Function, 11, "attribute_proto", K::Message, M::Attribute, &L::nodeAttributes},
    {M::Function, 12, "value_info", K::Message, M::ValueInfo, &L::valueInfos, true},
    {M::Function, 13, "overload", K::Name},
    {M::Function, 14, "metadata_props", K::Message, M::Entry, &L::listEntries},

    {M::OperatorSet, 1, "domain", K::Name},
    {M::Training, 1, "initialization", K::Message, M::Graph},
    {M::Training, 2, "algorithm", K::Message, M::Graph},
    {M::Training, 3, "initialization_binding", K::Message, M::Entry, &L::listEntries},
    {M::Training, 4, "update_binding", K::Message, M::Entry, &L::listEntries},
    {M::Entry, 1, "key", K::Name},
    {M::Entry, 2, "value", K::Text},
    {M::Annotation, 1, "tensor_name", K::Name},
    {M::Annotation, 2, "quant_parameter_tensor_names", K::Message, M::Entry, &L::listEntries},
};
// clang-format on

constexpr size_t messageCount = static_cast<size_t>(Message::Opaque);
constexpr size_t fieldCount = 32;

struct Lookup {
  const FieldRule *at[messageCount][fieldCount] = {};
};

constexpr Lookup makeLookup() {
  Lookup lookup;
  for (const FieldRule &rule : rules)
    lookup.at[static_cast<size_t>(rule.owner)][rule.number] = &rule;
  return lookup;
}

} // namespace

const FieldRule *findField(Message owner, uint32_t number) {
  static constexpr Lookup lookup = makeLookup();
  return number < fieldCount ? lookup.at[static_cast<size_t>(owner)][number] : nullptr;
}

} // namespace cupola::onnx_import
