//===- lib/Target/CUDA/Horizontal.h - several kernels in one launch ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_HORIZONTAL_H
#define CUPOLA_LIB_TARGET_CUDA_HORIZONTAL_H

#include "dialects/Graph/Graph.h"
#include "dialects/Simt/Simt.h"
#include "lib/Target/CUDA/CudaDialect.h"

#include "mlir/IR/BuiltinOps.h"

namespace cupola::cuda {

/// How a kernel is launched, as its simt.func says.
struct LaunchShape {
  int64_t threads = 0, sharedBytes = 0;
  int64_t registers = 0; ///< of a thread, about: its arrays and some more
  Expr blocks, counters; ///< over n0, n1, ..: of the launch, and of the workspace
  /// Neither clusters nor tensor copies nor roles of warpgroups nor barriers of the grid: others may run beside it.
  bool isPlain = false;

  static LaunchShape of(simt::FuncOp func);
};

/// Bytes of shared memory that a block needs, once simt.smem ops have their places.
int64_t sharedBytes(simt::FuncOp func);

/// The kernels of a launch, in order.
llvm::SmallVector<kernel::FuncOp> partsOf(HorizontalOp op);

/// Makes one fusion of several, in the place of the first, where all that they read is there but constants, which move.
/// Its kernel is a cuda.horizontal behind the kernels.
class FusionJoiner {
public:
  explicit FusionJoiner(mlir::ModuleOp module) : symbols(module) {}
  void join(llvm::ArrayRef<graph::FusionOp> fusions);

private:
  mlir::FlatSymbolRefAttr kernelOf(llvm::ArrayRef<graph::FusionOp> fusions);

  mlir::SymbolTable symbols;
};

/// An expression over n0, n1, .. of a kernel whose scalars have `first` others before them.
Expr behindScalars(const Expr &expr, size_t first);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_HORIZONTAL_H
