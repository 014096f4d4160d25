//===- lib/Compiler/Blame.h - what 16 bits cost, op by op ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_COMPILER_BLAME_H
#define CUPOLA_LIB_COMPILER_BLAME_H

#include "lib/Compiler/Compilation.h"
#include "lib/Pipelines/Pipelines.h"
#include "lib/Reference/Reference.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cupola::compiler {

/// The errors of one narrowing of a graph, for one set of inputs. Bodies of branches and loops
/// have local errors; across their borders none accumulate.
class Blame {
public:
  /// `graph`: through all passes but that of precision; it must outlive the object.
  Blame(mlir::ModuleOp graph, const PipelineOptions &options);

  /// `inputs` by position, as `graph` declares them; `strings` has their texts.
  Status run(llvm::ArrayRef<reference::Tensor> inputs, reference::Strings &strings);

  /// Ops whose narrowing shows, the worst first: overflows in program order, then by local error.
  std::vector<NodeError> worstFirst() const;
  /// The largest accumulated error of an output; infinite where one overflows.
  double outputError = 0;

private:
  struct Error {
    double relative = 0;
    bool overflow = false;
  };
  static Error errorOf(const reference::Tensor &found, const reference::Tensor &expected);
  static mlir::func::FuncOp mainOf(mlir::ModuleOp module);
  llvm::SmallVector<mlir::Value> wayOf(mlir::Value value) const;
  static Result<reference::Tensor> along(llvm::ArrayRef<mlir::Value> way, const reference::Tensor &tensor);
  void findLastUses();
  Status compare(const reference::Step &step);
  Status note(const reference::Step &step, mlir::Operation *twin, const reference::Tensor &local,
              const reference::Tensor &accumulated);
  std::vector<std::string> blamedFor(mlir::Operation *twin, const Error &error, const Error &stored) const;

  mlir::ModuleOp wide;
  mlir::OwningOpRef<mlir::ModuleOp> narrow;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> twinOf; ///< of ops of `wide`, in `narrow`
  llvm::DenseSet<mlir::Operation *> isTwin;                    ///< the others are casts that the pass inserted
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> dying; ///< what an op reads for the last time
  llvm::DenseMap<mlir::Value, reference::Tensor> carried;                  ///< narrowed values with the errors so far
  std::vector<std::pair<mlir::Operation *, NodeError>> nodes;              ///< in the order of computation
  llvm::DenseMap<mlir::Operation *, size_t> places;                        ///< in `nodes`
  Status status;
};

} // namespace cupola::compiler

#endif // CUPOLA_LIB_COMPILER_BLAME_H
