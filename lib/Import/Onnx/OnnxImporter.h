//===- lib/Import/Onnx/OnnxImporter.h - from a model to the graph dialect --===//
// SPDX-License-Identifier: Apache-2.0
//
// The result is a module with graph.provenance, graph.symbol and graph.assume ops
// and one `func.func @main`. Names of the model stand in locations and in what is
// for people: `graph.name` of arguments and results, and graph.provenance. An
// operation's location is NameLoc(node name)(NameLoc(op)). Where facts changed the
// type of an argument, its `graph.dims` keeps the extents that the model declares.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_ONNXIMPORTER_H
#define CUPOLA_LIB_IMPORT_ONNX_ONNXIMPORTER_H

#include "lib/Import/Onnx/LoadModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <optional>
#include <vector>

namespace cupola::onnx_import {

/// A dimension that the user bounds: --dim past=1..4096.
struct DimBounds {
  int64_t min = 0;
  int64_t max = 0; ///< 0: unbounded
};

class OpLibrary;

/// What the user fixes before shapes are inferred. Names are those of the model.
struct ShapeOptions {
  std::map<std::string, std::vector<int64_t>> inputs; ///< --shape x=1x3x224x224
  std::map<std::string, int64_t> symbols;             ///< --shape batch=16
  std::map<std::string, DimBounds> bounds;            ///< --dim past=1..4096
  std::map<std::string, std::string> values;          ///< --set sr=16000: the input becomes a constant
};

/// Loads the graph and func dialects into `context`. Ops that Cupola has none of may be in `library`. On errors the
/// module is null; all nodes that cannot be imported are listed at once. Weights are resources that share the memory of
/// `model.blobs` and keep it alive.
mlir::OwningOpRef<mlir::ModuleOp> importModel(const LoadedModel &model, const ShapeOptions &shapes,
                                              const Limits &limits, mlir::MLIRContext &context,
                                              Diagnostics &diagnostics, const OpLibrary &library);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_ONNXIMPORTER_H
