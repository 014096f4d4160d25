//===- lib/Import/Onnx/BlobStore.h - the weights, outside of the ModelProto ===//
// SPDX-License-Identifier: Apache-2.0
//
// Tensors over 1 KB leave the ModelProto for this store before any ONNX library
// code walks the model, without a copy where they were raw_data. What stays
// behind is a stub: same name and data type, dims [0], and one metadata entry
// with the number of the blob (intake removes such entries that a file brings).
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_BLOBSTORE_H
#define CUPOLA_LIB_IMPORT_ONNX_BLOBSTORE_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace onnx {
class TensorProto;
}

namespace cupola::onnx_import {

struct Blob {
  int32_t dataType = 0; ///< onnx::TensorProto_DataType
  std::vector<int64_t> dims;
  std::string_view bytes;            ///< little-endian, row-major, at least 16-aligned
  std::shared_ptr<const void> owner; ///< keeps `bytes` alive
};

class BlobStore {
public:
  static constexpr size_t threshold = 1024; ///< bytes that may stay in the ModelProto

  uint32_t add(Blob blob);
  /// The address of a blob's bytes never changes.
  const Blob &at(uint32_t index) const { return blobs[index]; }
  size_t size() const { return blobs.size(); }
  int64_t totalBytes() const;

  /// Turns `tensor` into the stub of blob `index`.
  void leaveStub(onnx::TensorProto &tensor, uint32_t index) const;
  /// The blob behind a stub; null for a tensor that holds its own data.
  const Blob *find(const onnx::TensorProto &tensor) const;

private:
  std::vector<Blob> blobs;
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_BLOBSTORE_H
