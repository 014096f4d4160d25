//===- lib/Import/Onnx/ModelOutputs.h - what a model gives -----------------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_MODELOUTPUTS_H
#define CUPOLA_LIB_IMPORT_ONNX_MODELOUTPUTS_H

#include "lib/Import/Onnx/OpBinder.h"
#include "lib/Import/Onnx/ShapeOptions.h"
#include "lib/Runtime/Format/Plan.h"

namespace onnx {
class ValueInfoProto;
}

namespace cupola::onnx_import {

/// The results of `main`: the outputs of the model, of which those that are no tensors are several or none.
class ModelOutputs {
public:
  ModelOutputs(GraphBuilder &builder, TensorPool &pool, const ShapeOptions &shapes, Diagnostics &diagnostics)
      : builder(builder), pool(pool), shapes(shapes), diagnostics(diagnostics) {}

  /// Throws NodeError. Outputs are found by their names, so one that is listed twice is one. A value that differs from
  /// what is declared is told. One that declares nothing, which is none of the model's outputs, is left out where it
  /// has no number of tensors.
  void add(const onnx::ValueInfoProto &output, Tensor tensor);

  struct Output {
    std::string name;
    Type element; ///< as the model has it
  };
  const std::vector<Value> &values() const { return results; } ///< as they stand at the interface
  const std::vector<Output> &list() const { return outputs; }  ///< of values()
  const std::vector<format::Composite> &composites() const { return composed; }

private:
  GraphBuilder &builder;
  TensorPool &pool;
  const ShapeOptions &shapes;
  Diagnostics &diagnostics;
  std::vector<Value> results;
  std::vector<Output> outputs;
  std::set<std::string> listed, taken; ///< names: of the model's outputs, of tensors
  std::vector<format::Composite> composed;

  void addValue(std::string name, Value value, Type element);
  /// As two tensors: the values, [rows, labels], which have the output's name, and the labels, NAME[labels].
  void addMaps(const std::string &name, const TensorRecord &maps);
  void addComposite(const onnx::ValueInfoProto &output, Tensor tensor, format::Composite::Kind kind);
  void checkDeclared(const onnx::ValueInfoProto &output, Value value, Type found);
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_MODELOUTPUTS_H
