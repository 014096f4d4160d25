//===- lib/Import/Onnx/DeclaredTypes.h - tensors, sequences, optionals -----===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_DECLAREDTYPES_H
#define CUPOLA_LIB_IMPORT_ONNX_DECLAREDTYPES_H

#include "lib/Runtime/Format/Plan.h"

#include <optional>
#include <string>

namespace onnx {
class TypeProto;
class TypeProto_Tensor;
class ValueInfoProto;
} // namespace onnx

namespace cupola::onnx_import {

/// What a model says that a value is.
struct DeclaredType {
  std::optional<format::Composite::Kind> composite; ///< nothing: a tensor
  const onnx::TypeProto_Tensor *tensor = nullptr;   ///< of which it consists; null: of none (a map, a sparse tensor)
  int32_t elementType = 0;                          ///< of those
};
DeclaredType declaredTypeOf(const onnx::TypeProto &type);

/// "a sequence", "an optional", "an optional sequence"
std::string kindText(format::Composite::Kind kind);

/// What the package calls an element of an input or output that is no tensor: "x[0]"; of an optional tensor, "x".
std::string elementName(const std::string &name, format::Composite::Kind kind, size_t index);
/// Whether `name` is "x[3]" and the input a sequence x.
bool isElement(const onnx::ValueInfoProto &input, const std::string &name);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_DECLAREDTYPES_H
