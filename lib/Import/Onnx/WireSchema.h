//===- lib/Import/Onnx/WireSchema.h - the fields of onnx.proto that count --===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_WIRESCHEMA_H
#define CUPOLA_LIB_IMPORT_ONNX_WIRESCHEMA_H

#include "lib/Import/Onnx/Limits.h"

namespace cupola::onnx_import {

enum class Message : uint8_t {
  Model,
  Graph,
  Node,
  Attribute,
  Tensor,
  SparseTensor,
  ValueInfo,
  Type,
  TensorType,
  NestedType,
  Shape,
  Dimension,
  Function,
  OperatorSet,
  Training,
  Entry,
  Annotation,
  Opaque, ///< skipped as a whole; Protobuf's own limits apply inside
};

enum class FieldKind : uint8_t {
  Message, ///< walked when `child` is not Opaque
  Name,    ///< text, at most Limits::nameBytes
  Text,    ///< text, at most Limits::textBytes
  Bytes,
  Varints, ///< numbers, packed or not; counted by the byte when packed
  Floats,  ///< likewise, four bytes each
};

struct FieldRule {
  Message owner;
  uint32_t number;
  const char *name;
  FieldKind kind;
  Message child = Message::Opaque;
  int64_t Limits::*limit = nullptr; ///< on the number of occurrences
  bool wholeFile = false;           ///< counted over the file, else per owner
};

/// The rule of a field, or null for a field that needs no attention.
const FieldRule *findField(Message owner, uint32_t number);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_WIRESCHEMA_H
