//===- lib/Import/Onnx/DeclaredTypes.cpp - tensors, sequences, optionals ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/DeclaredTypes.h"

#include "onnx/onnx_pb.h"

namespace cupola::onnx_import {

using format::Composite;

DeclaredType declaredTypeOf(const onnx::TypeProto &type) {
  DeclaredType declared;
  const onnx::TypeProto *inner = &type;
  if (inner->has_optional_type()) {
    declared.composite = Composite::Optional;
    inner = &inner->optional_type().elem_type();
  }
  if (inner->has_sequence_type()) {
    declared.composite = declared.composite ? Composite::OptionalSequence : Composite::Sequence;
    inner = &inner->sequence_type().elem_type();
  }
  if (inner->has_tensor_type()) {
    declared.tensor = &inner->tensor_type();
    declared.elementType = declared.tensor->elem_type();
  }
  return declared;
}

std::string kindText(Composite::Kind kind) {
  return kind == Composite::Sequence   ? "a sequence"
         : kind == Composite::Optional ? "an optional"
                                       : "an optional sequence";
}

std::string elementName(const std::string &name, Composite::Kind kind, size_t index) {
  return kind == Composite::Optional ? name : name + "[" + std::to_string(index) + "]";
}

bool isElement(const onnx::ValueInfoProto &input, const std::string &name) {
  const std::string &whole = input.name();
  if (declaredTypeOf(input.type()).composite.value_or(Composite::Optional) == Composite::Optional ||
      name.compare(0, whole.size() + 1, whole + "[") != 0 || name.size() < whole.size() + 3 || name.back() != ']')
    return false;
  return name.find_first_not_of("0123456789", whole.size() + 1) == name.size() - 1;
}

} // namespace cupola::onnx_import
