//===- lib/Target/CPU/DepthKernel.h - the innermost tile of a contraction of few columns ---===//
// SPDX-License-Identifier: Apache-2.0
//
// tile[i, j] = sum over k of lhs[min(i, rows - 1), k] * rhs[k, j] for i < DepthKernel::rows and
// j < DepthKernel::columns. Every sum is a vector along the depth, whose lanes are added at the end.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_DEPTHKERNEL_H
#define CUPOLA_LIB_TARGET_CPU_DEPTHKERNEL_H

#include "lib/Target/CPU/Code.h"

namespace cupola::cpu {

struct DepthKernel {
  mlir::Type element;     ///< f32 or f64
  unsigned rows, columns; ///< at most a vector of results; the tile's rows lie one behind the other
  int64_t vectors;        ///< full ones of the depth, or of a run
  unsigned rest;          ///< elements of a last vector that is not full
  int64_t runs;           ///< of a row, of full vectors alone; 0: a row is in one piece
};

/// The function, made in `module` when it is not there yet:
///   void (lhs, lhsStride, rows, rhs, tile)
/// lhsStride counts elements from a row of lhs to the next, or lhs is a table of runs (Emitter::runsAt); rhs has a
/// vector of each column, then the next ones (PanelShape::alongDepth), with 0 behind the depth.
mlir::LLVM::LLVMFuncOp depthKernel(mlir::ModuleOp module, const DepthKernel &shape, const CpuArchitecture &isa);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_DEPTHKERNEL_H
