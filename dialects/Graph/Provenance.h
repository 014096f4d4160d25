//===- dialects/Graph/Provenance.h - which nodes of the model an op comes from ---===//
// SPDX-License-Identifier: Apache-2.0
//
// An op's location names the ONNX nodes it computes: loc("name"("Op")) for one node,
// a fused location for several. Names are for people; they never reach generated code.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_DIALECTS_GRAPH_PROVENANCE_H
#define CUPOLA_DIALECTS_GRAPH_PROVENANCE_H

#include "dialects/Graph/Graph.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/SetVector.h"

namespace cupola::graph {

/// An ONNX node: its name, unique in the model, and its op type.
struct NodeRef {
  mlir::StringAttr name, op;
  bool operator==(const NodeRef &other) const { return name == other.name; }
};

mlir::Location nodeLocation(mlir::MLIRContext *context, llvm::StringRef name, llvm::StringRef op);

/// The nodes of a location, each once, in order of appearance.
llvm::SmallVector<NodeRef> nodesOf(mlir::Location location);

/// The nodes that ops inside `root` name.
using NodeNames = llvm::SetVector<mlir::StringAttr>;
NodeNames namedNodes(mlir::Operation *root);

/// The module's graph.provenance; null where it was not imported (hand-written, of tests).
ProvenanceOp provenanceOf(mlir::ModuleOp module);

/// Why no op need name a node. The module's graph.provenance keeps the names of both kinds;
/// what it does not keep must be named. Nothing is kept where there is no such op.
///   Folded   its results are known to the compiler: extents, constants
///   Dead     no result of the model needs it, or it did nothing
enum class Fate { Folded, Dead };
void recordFate(mlir::Operation *func, const NodeNames &nodes, Fate fate);
/// Those of `nodes` that `func` does not name are gone.
void recordGone(mlir::Operation *func, const NodeNames &nodes, Fate fate);
NodeNames goneNodes(mlir::ModuleOp module, Fate fate);

/// "name" of the only node or "first (+2)"; "?" where the location has none.
std::string displayName(mlir::Location location);

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_PROVENANCE_H
