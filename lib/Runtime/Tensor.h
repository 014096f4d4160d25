//===- lib/Runtime/Tensor.h - The caller's tensors ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TENSOR_H
#define CUPOLA_LIB_RUNTIME_TENSOR_H

#include "lib/Runtime/Format/Plan.h"
#include "lib/Runtime/ShapeBinding.h"

namespace cupola::runtime {

/// Memory of the caller: row-major, not owned.
struct TensorRef {
  /// Null only where there are no elements, and for an output whose shape a run finds (Session::fetch).
  void *data = nullptr;
  format::DType dtype = format::DType::F32;
  Shape shape;
  bool onDevice = false; ///< `data` is an address of the session's device
  /// Empty: dense. Others only where an input and an output share their memory.
  Strides strides = {};
};

/// A tensor that owns its memory.
struct HostTensor {
  format::DType dtype = format::DType::F32;
  Shape shape;
  std::vector<uint8_t> bytes;          ///< of strings: their numbers in a session
  std::vector<std::string> texts = {}; ///< of strings: the elements

  TensorRef ref() { return {bytes.empty() ? nullptr : bytes.data(), dtype, shape, false, {}}; }
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TENSOR_H
