//===- lib/Pipelines/ProvenanceAudit.h - that no node of the model gets lost ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_PIPELINES_PROVENANCEAUDIT_H
#define CUPOLA_LIB_PIPELINES_PROVENANCEAUDIT_H

#include "dialects/Plan/Plan.h"
#include "lib/Runtime/Status.h"

#include "mlir/IR/BuiltinOps.h"

namespace cupola {

/// Every op on tensors names nodes of the model (graph.provenance of the module), and none
/// that the model does not have; every node is named, folded or dead (graph::Fate). An
/// error of this is one of our own passes. IR that was not imported (hand-written, of tests) passes.
///
/// It remembers locations, so that one audit after each of many passes costs a walk, not a search.
class ProvenanceAudit {
public:
  explicit ProvenanceAudit(mlir::ModuleOp module);

  /// The first violation in `module`, which is the constructor's or a copy, as an error of the op.
  mlir::LogicalResult check(mlir::ModuleOp module);
  /// The same of a finished plan: every node is in a step, in a constant, folded or dead.
  Status checkPlan(mlir::ModuleOp module, plan::ProgramOp program);

private:
  /// What a location names.
  struct Names {
    bool any = false;     ///< a node or an initializer
    bool unknown = false; ///< one that the model does not have
  };
  struct Visited {
    unsigned audit = 0; ///< the last one that came here
    Names names;
  };

  Names visit(mlir::Location location);
  void visitAll(mlir::Operation *root);
  void visitGone(mlir::ModuleOp module);
  mlir::LogicalResult checkOp(mlir::Operation *op);
  /// What is wrong with the first node that this audit did not come across; empty: nothing.
  std::string lostNode() const;

  bool imported;
  std::vector<mlir::StringAttr> nodes;
  llvm::DenseMap<mlir::StringAttr, unsigned> places; ///< in `nodes`
  std::vector<unsigned> found;                       ///< per node: the last audit that came across it
  llvm::DenseMap<mlir::Attribute, Visited> visited;  ///< per location
  unsigned audit = 0;                                ///< counts up
};

} // namespace cupola

#endif // CUPOLA_LIB_PIPELINES_PROVENANCEAUDIT_H
