//===- lib/Target/CallDescriber.h - fusions in a library's words ---===//
// SPDX-License-Identifier: Apache-2.0
//
// What the targets' descriptions of contractions have in common; what a library can compute
// is up to the describer of each.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CALLDESCRIBER_H
#define CUPOLA_LIB_TARGET_CALLDESCRIBER_H

#include "dialects/Graph/Graph.h"
#include "lib/Runtime/Format/LibraryCall.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace cupola {

/// A description, or why there is none.
struct CallDescription {
  format::LibraryCall call;          ///< without buffers; of kind None where `refused` says why
  llvm::SmallVector<int64_t> inputs; ///< of the fusion: source, weights, operands of the post-ops
  std::string refused;
};

/// Describes one fusion with a contraction, its hero.
class CallDescriber {
public:
  CallDescriber(graph::FusionOp fusion, mlir::Operation *hero) : fusion(fusion), hero(hero) {}
  virtual ~CallDescriber() = default;
  CallDescription describe();

protected:
  /// The call without post-ops, and its first two inputs.
  virtual bool describeHero() = 0;
  /// A unary or binary op of the epilogue, on `current`, that is no sum with a tensor.
  virtual bool addPostOp(mlir::Operation *op, mlir::Value current) = 0;
  /// Whether the last post-op may follow those before it.
  virtual bool isInOrder() const { return true; }

  bool refuse(const llvm::Twine &why) {
    made.refused = why.str();
    return false;
  }
  static std::vector<int64_t> staticShape(mlir::Value value) { return graph::typeOf(value).getShape().vec(); }
  /// The position of an input of the fusion whose bytes `value` is, in whatever grouping of dimensions.
  static std::optional<int64_t> inputOf(mlir::Value value);

  graph::FusionOp fusion;
  mlir::Operation *hero;
  CallDescription made;

private:
  bool isAllDense();
  bool describeEpilogue();
  bool addTensor(mlir::Value other, mlir::RankedTensorType type);
};

/// Gives every fusion in `main` that has a contraction its description by `Describer`, or the reason why not.
using DescribeCall = llvm::function_ref<CallDescription(graph::FusionOp fusion, mlir::Operation *hero)>;
void describeContractions(mlir::func::FuncOp main, DescribeCall describe);

} // namespace cupola

#endif // CUPOLA_LIB_TARGET_CALLDESCRIBER_H
