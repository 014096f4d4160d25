//===- dialects/Graph/Provenance.h - which nodes of the model an op comes from ---===//
// SPDX-License-Identifier: Apache-2.0
//
// An op's location names the ONNX nodes it computes: loc("name"("Op")) for one node,
// a fused location for several. Names are for people; they never reach generated code.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_DIALECTS_GRAPH_PROVENANCE_H
#define CUPOLA_DIALECTS_GRAPH_PROVENANCE_H

#include "mlir/IR/Location.h"

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

/// "name" of the only node or "first (+2)"; "?" where the location has none.
std::string displayName(mlir::Location location);

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_PROVENANCE_H
