//===- lib/Import/Onnx/TensorData.h - element types and inline tensor data -===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_TENSORDATA_H
#define CUPOLA_LIB_IMPORT_ONNX_TENSORDATA_H

#include "lib/Import/Onnx/BlobStore.h"

#include <optional>
#include <string>
#include <vector>

namespace cupola::onnx_import {

/// "float32", "int64"... for messages; "type 99" for a number ONNX does not define.
std::string elementTypeName(int32_t dataType);

/// Bits of one element; 0 for strings and unknown types.
int64_t elementBits(int32_t dataType);

/// Product of the dimensions; nullopt when one is negative or it overflows.
std::optional<int64_t> elementCount(const std::vector<int64_t> &dims);

/// Bytes of a dense tensor (sub-byte elements packed); nullopt as above.
std::optional<int64_t> tensorBytes(int32_t dataType, const std::vector<int64_t> &dims);

std::vector<int64_t> dimsOf(const onnx::TensorProto &tensor);

/// Looks at which data field is filled and how far, against `count` elements of
/// the tensor's type. Returns what is wrong, or empty. Strings pass.
std::string checkInlineData(const onnx::TensorProto &tensor, int64_t count);

/// The elements in canonical form (little-endian, row-major, packed). Asks for a
/// tensor that checkInlineData found right; typed fields are converted.
std::string inlineBytes(const onnx::TensorProto &tensor);

/// A tensor's type, shape and data, from a stub's blob or from the proto itself.
struct TensorValue {
  int32_t dataType = 0;
  std::vector<int64_t> dims;
  std::string_view bytes;
  std::shared_ptr<const void> owner; ///< keeps `bytes` alive
};
TensorValue readTensor(const onnx::TensorProto &tensor, const BlobStore &blobs);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_TENSORDATA_H
