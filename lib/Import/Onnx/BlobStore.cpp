//===- lib/Import/Onnx/BlobStore.cpp - the weights, outside the ModelProto -===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/BlobStore.h"

#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

namespace cupola::onnx_import {
namespace {
constexpr const char *stubKey = "cupola.blob";
}

uint32_t BlobStore::add(Blob blob) {
  blobs.push_back(std::move(blob));
  return static_cast<uint32_t>(blobs.size() - 1);
}

int64_t BlobStore::totalBytes() const {
  int64_t total = 0;
  for (const Blob &blob : blobs)
    total += static_cast<int64_t>(blob.bytes.size());
  return total;
}

void BlobStore::leaveStub(onnx::TensorProto &tensor, uint32_t index) const {
  onnx::TensorProto stub;
  stub.set_name(tensor.name());
  stub.set_data_type(tensor.data_type());
  stub.add_dims(0);
  auto *entry = stub.add_metadata_props();
  entry->set_key(stubKey);
  entry->set_value(std::to_string(index));
  tensor.Swap(&stub);
}

const Blob *BlobStore::find(const onnx::TensorProto &tensor) const {
  for (const auto &entry : tensor.metadata_props())
    if (entry.key() == stubKey)
      if (const auto index = parseCount(entry.value()); index && *index < int64_t(blobs.size()))
        return &blobs[static_cast<size_t>(*index)];
  return nullptr;
}

} // namespace cupola::onnx_import
