//===- lib/Target/CPU/MicroKernel.h - the innermost tile of a contraction ---===//
// SPDX-License-Identifier: Apache-2.0
//
// tile[i, j] (+)= sum over k of lhs[min(i, rows - 1), k] * rhs[k, j] for
// i < MicroKernel::rows and j < vectors * lanes, in registers.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_MICROKERNEL_H
#define CUPOLA_LIB_TARGET_CPU_MICROKERNEL_H

#include "lib/Target/CPU/Code.h"

#include "mlir/IR/OwningOpRef.h"

#include <vector>

namespace cupola::cpu {

/// What the names of micro-kernels begin with, of those along the depth (DepthKernel.h), too.
inline constexpr char kMicroKernelPrefix[] = "micro_";

struct MicroKernel {
  mlir::Type element;
  unsigned rows;
  unsigned vectors;      ///< of columns
  bool masked;           ///< the last vector has only some columns
  bool prefetches;       ///< a line of `ahead` per step of k
  int64_t tileStride;    ///< elements from a row of the tile to the next
  int64_t depth = 0;     ///< of all calls, 0: the argument says
  int64_t unit = 1;      ///< an element of an operand is 2 of i16, or 4 of ui8 and i8, whose products are summed; with
                         ///< blocks rhs is ui8
  int64_t block = 0;     ///< so many elements of the depth have a scale; 0: there are none
  int64_t run = 0;       ///< lhs is a table of runs of so many elements (Emitter::runsAt); 0: its rows are in one piece
  bool nibbles = false;  ///< of rhs, with blocks: Contraction::areNibbles; a row has two elements of the depth
  bool extended = false; ///< for processors with CpuArchitecture::dots
};

/// The function, made in `module` when it is not there yet:
///   void (lhs, lhsStride, rows, rhs, rhsStride, depth, tile, accumulate, columns, ahead)
/// and, with blocks, (.., starts, columnScales, rowScales, rowScaleStride): sums of a block are i32 and begin with the
/// start of the row; the tile is f32 and gets them times both scales. Rows of starts are as far apart as those of
/// scales; scales of columns have a row of tileStride elements for a block. Strides count elements from a row to the
/// next, that of lhs what its elements consist of; rows of lhs are contiguous along k, or along a run, rows of rhs
/// along columns. `ahead`: memory that is read soon, for the second cache.
mlir::LLVM::LLVMFuncOp microKernel(mlir::ModuleOp module, const MicroKernel &shape, const CpuArchitecture &isa);

/// Moves each micro-kernel of `module` that is wanted, by its name, to a module of its own; of all of them declarations
/// stay. Those of one name and one level are equal in all modules.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>> takeMicroKernels(mlir::ModuleOp module,
                                                                llvm::function_ref<bool(llvm::StringRef)> isWanted);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_MICROKERNEL_H
