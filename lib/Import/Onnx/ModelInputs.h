//===- lib/Import/Onnx/ModelInputs.h - extents of the model's inputs -------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_MODELINPUTS_H
#define CUPOLA_LIB_IMPORT_ONNX_MODELINPUTS_H

#include "lib/Import/Onnx/CompositeInputs.h"
#include "lib/Import/Onnx/Symbols.h"

namespace onnx {
class GraphProto;
class TensorProto;
class TensorShapeProto;
class ValueInfoProto;
} // namespace onnx

namespace cupola::onnx_import {

/// The graph inputs that are no defaults of initialisers, in order.
std::vector<const onnx::ValueInfoProto *> realInputs(const onnx::GraphProto &graph);

/// Another rank, or another extent where both are known.
bool contradicts(const onnx::TensorShapeProto &declared, llvm::ArrayRef<Expr> shape);

/// Gives every input that is not pinned to a value, and every element of one that is no tensor, its extents: constants,
/// the user's values, or symbols (one per name of a dimension; one each for dimensions without a name, which the user
/// calls "x[0]"). Wrong or contradicting options are Usage errors.
class ModelInputs {
public:
  ModelInputs(const onnx::GraphProto &graph, ShapeOptions options, Symbols &symbols, Diagnostics &diagnostics);
  ~ModelInputs();

  const std::vector<const onnx::ValueInfoProto *> &inputs() const { return list; }
  /// Those that consist of some of inputs().
  const std::vector<format::Composite> &composites() const { return composed; }
  /// The element type of composites()[index], by ONNX's number.
  int32_t elementType(size_t index) const { return parts.elementTypes()[index]; }
  /// The extents of inputs()[index]; empty after errors.
  const Exprs &shape(size_t index) const { return shapes[index]; }
  /// The values of the inputs that the user pinned.
  const std::vector<std::unique_ptr<onnx::TensorProto>> &pinned() const { return values; }

private:
  ShapeOptions options;
  CompositeInputs parts;
  std::vector<const onnx::ValueInfoProto *> list;
  std::vector<format::Composite> composed;
  std::vector<std::unique_ptr<onnx::TensorProto>> values;
  std::vector<Exprs> shapes;
  Symbols &symbols;
  Diagnostics &diagnostics;
  std::map<std::string, int64_t> fixed;    ///< symbols that the user gave a value
  std::map<std::string, Expr> created;     ///< name -> symbol
  std::map<std::string, std::string> from; ///< name -> which option fixed it

  void fix(const std::string &name, int64_t value, const std::string &option);
  void readOptions();
  void pin(const onnx::ValueInfoProto &input, const std::string &text);
  void readShape(const onnx::ValueInfoProto &input, std::set<std::string> &dimensions);
  void checkNames(const std::set<std::string> &dimensions);
  Exprs shapeOf(const onnx::ValueInfoProto &input);
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_MODELINPUTS_H
