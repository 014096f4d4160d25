//===- lib/Target/CUDA/BestValue.h - the position of the best value, of a thread and of all ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_BESTVALUE_H
#define CUPOLA_LIB_TARGET_CUDA_BESTVALUE_H

#include "lib/Target/CUDA/Lowering.h"

namespace cupola::cuda {

/// What one thread knows of an arg_reduce: the best of the values it took, in the order of their positions, and where
/// that stands. NaN beats every number, as in numpy.
class BestValue {
public:
  BestValue(Lowering &low, kernel::ArgReduceOp op);

  /// The value of the current iteration.
  void take(mlir::Value value);
  /// One that stands at a position.
  void take(mlir::Value value, mlir::Value position);
  /// The position, -1 if there was no value.
  mlir::Value position() { return low.get(where); }
  /// The best value of all threads, and the position of that, in each of them. `combine` gives what comes of all
  /// threads' accumulators.
  struct Found {
    mlir::Value value, position;
  };
  Found ofAll(llvm::function_ref<mlir::Value(const Accumulator &)> combine);

private:
  mlir::Value binary(graph::BinaryKind kind, mlir::Value lhs, mlir::Value rhs);
  mlir::Value predicate(graph::UnaryKind kind, mlir::Value value);
  mlir::Value isBetter(mlir::Value value, mlir::Value old, mlir::Value place);
  mlir::Value isNone(mlir::Value place);

  Lowering &low;
  kernel::ArgReduceOp op;
  mlir::Type type;         ///< of the values
  mlir::Value best, where; ///< variables
};

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_BESTVALUE_H
