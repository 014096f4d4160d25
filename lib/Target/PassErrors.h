//===- lib/Target/PassErrors.h - what passes complain of, by ONNX node ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_PASSERRORS_H
#define CUPOLA_LIB_TARGET_PASSERRORS_H

#include "lib/Runtime/Status.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

#include <set>

namespace cupola {

/// Collects the errors and warnings that its thread has in one context while it lives. The importer has
/// accepted the model, so whatever a pass or a target cannot do with it is a bug of ours.
class PassErrors {
public:
  explicit PassErrors(mlir::MLIRContext *context);
  /// `what` failed: with the errors, each with its node, if there are any.
  Status status(const std::string &what) const;
  const std::string &text() const { return messages; }
  /// Each once, without its node.
  std::set<std::string> takeWarnings() { return std::move(warnings); }
  /// The same of a Status that something between the passes returned.
  Status added(const Status &status) const;

private:
  std::string messages;
  std::set<std::string> warnings;
  mlir::ScopedDiagnosticHandler handler;
};

/// "node 'conv1' (Conv)", or "nodes 'conv1' (Conv) and 2 more"; empty without a node.
std::string nodesText(mlir::Location location);

} // namespace cupola

#endif // CUPOLA_LIB_TARGET_PASSERRORS_H
