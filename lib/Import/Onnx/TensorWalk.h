//===- lib/Import/Onnx/TensorWalk.h - every tensor, wherever it hides ------===//
// SPDX-License-Identifier: Apache-2.0
//
// The one list of the places where onnx.proto can hold a TensorProto:
// initialisers, sparse initialisers (values and indices), attributes (t, tensors,
// sparse_tensor, sparse_tensors) of nodes and of function defaults, in the main
// graph, in subgraphs, in local functions and in training information.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_TENSORWALK_H
#define CUPOLA_LIB_IMPORT_ONNX_TENSORWALK_H

#include <functional>
#include <string>

namespace onnx {
class ModelProto;
class TensorProto;
} // namespace onnx

namespace cupola::onnx_import {

struct TensorPlace {
  std::string text; ///< "initialiser 'w'", "attribute 'value' of node 'c1' (Constant)"
  bool sparse;      ///< values or indices of a sparse tensor
};

/// The walk ends at the first false and returns it.
using TensorVisitor = std::function<bool(onnx::TensorProto &tensor, const TensorPlace &place)>;

bool walkTensors(onnx::ModelProto &model, const TensorVisitor &visit);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_TENSORWALK_H
