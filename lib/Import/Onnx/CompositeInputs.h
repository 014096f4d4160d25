//===- lib/Import/Onnx/CompositeInputs.h - inputs that are no tensors ------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_COMPOSITEINPUTS_H
#define CUPOLA_LIB_IMPORT_ONNX_COMPOSITEINPUTS_H

#include "lib/Import/Onnx/DeclaredTypes.h"
#include "lib/Import/Onnx/Diagnostic.h"
#include "lib/Import/Onnx/ShapeOptions.h"

#include <memory>

namespace onnx {
class ValueInfoProto;
}

namespace cupola::onnx_import {

/// Of one input: each is an input of the package.
inline constexpr int64_t mostElements = 32768;

/// Inputs of a model as tensors: an input for each element of a sequence, of which there are as many as `--sequence` or
/// the inputs of a run say, and for an optional that is there. Where that is not known, or no shape, an error says what
/// would tell it. The rank of elements without one is what `--shape` gives.
class CompositeInputs {
public:
  /// `--shape x=..` of a sequence becomes that of its elements in `options`.
  CompositeInputs(const std::vector<const onnx::ValueInfoProto *> &declared, ShapeOptions &options,
                  Diagnostics &diagnostics);
  ~CompositeInputs();

  const std::vector<const onnx::ValueInfoProto *> &tensors() const { return list; }
  /// In order; `first` and `count` are places in tensors().
  const std::vector<format::Composite> &composites() const { return found; }
  /// The element type of each, by ONNX's number.
  const std::vector<int32_t> &elementTypes() const { return types; }

private:
  std::vector<std::unique_ptr<onnx::ValueInfoProto>> made;
  std::vector<const onnx::ValueInfoProto *> list;
  std::vector<format::Composite> found;
  std::vector<int32_t> types;
  ShapeOptions &options;
  Diagnostics &diagnostics;

  void add(const onnx::ValueInfoProto &input, const DeclaredType &type);
  bool count(format::Composite &composite);
  bool countGiven(format::Composite &composite);
  void addElement(const onnx::ValueInfoProto &input, const DeclaredType &type, size_t index);
  std::optional<std::vector<int64_t>> shapeOf(const std::string &element, const std::string &input, bool isDeclared);
  void checkNames();
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_COMPOSITEINPUTS_H
