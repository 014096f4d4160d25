//===- lib/Import/Onnx/SubByte.cpp - constants of 2 and 4 bits -------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/SubByte.h"

#include "lib/Import/Onnx/ModelNames.h"
#include "lib/Import/Onnx/TensorData.h"

#include "onnx/onnx_pb.h"

#include <set>

namespace cupola::onnx_import {
namespace {

using T = onnx::TensorProto;
using Names = std::set<std::string>;

/// The type of a byte that holds all values of `type`; UNDEFINED where `type` has a byte or more.
int32_t widerType(int32_t type) {
  if (type == T::INT4 || type == T::INT2)
    return T::INT8;
  return type == T::UINT4 || type == T::UINT2 ? T::UINT8 : T::UNDEFINED;
}

/// What is read by anything but DequantizeLinear, in the graph or its bodies, by name: one that stands for two values
/// counts for both.
void addOtherUses(const onnx::GraphProto &graph, Names &names) {
  for (const auto &output : graph.output())
    names.insert(output.name());
  for (const auto &input : graph.input()) // a default that a caller may replace
    names.insert(input.name());
  for (const auto &node : graph.node()) {
    if (node.op_type() != "DequantizeLinear" || !canonicalDomain(node.domain()).empty())
      names.insert(node.input().begin(), node.input().end());
    for (const auto &attribute : node.attribute()) {
      if (attribute.has_g())
        addOtherUses(attribute.g(), names);
      for (const auto &body : attribute.graphs())
        addOtherUses(body, names);
    }
  }
}

/// One byte per element: the first of those in a byte has its lowest bits.
std::string unpacked(const TensorValue &tensor, bool isSigned) {
  const auto bits = static_cast<size_t>(elementBits(tensor.dataType));
  const size_t count = static_cast<size_t>(*elementCount(tensor.dims)), perByte = 8 / bits;
  std::string bytes(count, '\0');
  for (size_t i = 0; i < count; ++i) {
    const auto packed = static_cast<unsigned char>(tensor.bytes[i / perByte]);
    const unsigned high = static_cast<unsigned>(packed) << (8 - bits * (i % perByte + 1)) & 0xffu;
    bytes[i] = static_cast<char>(isSigned ? static_cast<signed char>(high) >> (8 - bits) : high >> (8 - bits));
  }
  return bytes;
}

void widen(T &tensor, BlobStore &blobs) {
  const int32_t type = widerType(tensor.data_type());
  if (type == T::UNDEFINED)
    return;
  const TensorValue value = readTensor(tensor, blobs);
  auto bytes = std::make_shared<const std::string>(unpacked(value, type == T::INT8));
  T wide;
  wide.set_name(tensor.name());
  wide.set_data_type(type);
  if (bytes->size() > BlobStore::threshold) {
    blobs.leaveStub(wide, blobs.add({type, value.dims, *bytes, bytes}));
  } else {
    wide.mutable_dims()->Add(value.dims.begin(), value.dims.end());
    wide.set_raw_data(*bytes);
  }
  tensor = std::move(wide);
}

void widenIn(onnx::GraphProto &graph, const Names &others, BlobStore &blobs) {
  for (auto &tensor : *graph.mutable_initializer())
    if (!others.count(tensor.name()))
      widen(tensor, blobs);
  for (auto &node : *graph.mutable_node())
    for (auto &attribute : *node.mutable_attribute()) {
      if (attribute.has_t() && node.op_type() == "Constant" && !others.count(node.output(0)))
        widen(*attribute.mutable_t(), blobs);
      if (attribute.has_g())
        widenIn(*attribute.mutable_g(), others, blobs);
      for (auto &body : *attribute.mutable_graphs())
        widenIn(body, others, blobs);
    }
}

} // namespace

void widenSubByte(onnx::ModelProto &model, BlobStore &blobs) {
  Names others;
  addOtherUses(model.graph(), others);
  widenIn(*model.mutable_graph(), others, blobs);
}

} // namespace cupola::onnx_import
