//===- lib/Import/Onnx/OnnxImporter.h - from a model to the graph dialect --===//
// SPDX-License-Identifier: Apache-2.0
//
// The result is a module with graph.provenance, graph.symbol and graph.assume ops
// and one `func.func @main`. Names of the model stand in locations and in what is
// for people: `graph.name` of arguments and results, and graph.provenance. An
// operation's location is NameLoc(node name)(NameLoc(op)). A sequence or optional is as many
// arguments or results as it has tensors. Where facts changed the
// type of an argument, its `graph.dims` keeps the extents that the model declares.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_ONNXIMPORTER_H
#define CUPOLA_LIB_IMPORT_ONNX_ONNXIMPORTER_H

#include "lib/Import/Onnx/Decisions.h"
#include "lib/Import/Onnx/LoadModel.h"
#include "lib/Import/Onnx/ShapeOptions.h"
#include "lib/Runtime/Format/Plan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace cupola::onnx_import {

class OpLibrary;

/// The model as a module, with what is not in there.
struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< null after errors
  std::vector<format::Composite> composites;
  std::vector<Decision> decisions; ///< what the inputs of a run decided
};

/// Loads the graph and func dialects into `context`. Ops that Cupola has none of may be in `library`. On errors the
/// module is null; all nodes that cannot be imported are listed at once. Weights are resources that share the memory of
/// `model.blobs` and keep it alive.
ImportedModel importModel(const LoadedModel &model, const ShapeOptions &shapes, const Limits &limits,
                          mlir::MLIRContext &context, Diagnostics &diagnostics, const OpLibrary &library);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_ONNXIMPORTER_H
