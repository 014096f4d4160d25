//===- lib/Target/CUDA/RecurrenceTiles.h - which part of a recurrence a block has ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_RECURRENCETILES_H
#define CUPOLA_LIB_TARGET_CUDA_RECURRENCETILES_H

#include "dialects/Graph/Recurrence.h"
#include "dialects/Kernel/Kernel.h"
#include "lib/Runtime/Format/Architectures.h"

namespace cupola::cuda {

/// A block has `units` neighbouring elements of every state of a direction, and with them the columns of weights that
/// make them, in the registers of its `warps`: `split` lanes share the depth of a column. It takes `rows` of the states
/// through all steps at a time.
struct RecurrenceTiles {
  int64_t rows, units, split, warps;

  int64_t threads() const { return warps * 32; }
  /// Two have room on a multiprocessor.
  static constexpr int64_t resident = 2;
  int64_t blocksOf(int64_t width) const { return llvm::divideCeilSigned(width, units); }
  /// Of a vector of weights and of the left operand, which has `width` elements.
  int64_t vector(int64_t width) const { return width % 4 == 0 ? 4 : 1; }
  /// Vectors of a column that a lane has, and elements of a column that all of them have.
  int64_t steps(int64_t width) const { return llvm::divideCeilSigned(width, split * vector(width)); }
  int64_t depth(int64_t width) const { return steps(width) * split * vector(width); }
};

/// What the choice depends on.
struct RecurrenceShape {
  int64_t directions, width;
  std::optional<int64_t> rows;
  llvm::SmallVector<int64_t> gates; ///< of each product: columns for every element of a state
};

/// None where the weights do not fit into the registers of so many blocks as run at once on a usual device, or where
/// so many rows are better multiplied step by step.
std::optional<RecurrenceTiles> chooseTiles(const RecurrenceShape &shape, const GpuArchitecture &target);
/// Of a loop; none where an element type has no schedule.
std::optional<RecurrenceShape> shapeOf(const graph::Recurrence &loop);
/// On which all blocks run at once; 0 where each direction is alone in one.
uint32_t multiprocessorsFor(const RecurrenceShape &shape, const RecurrenceTiles &tiles);

/// The parts of a kernel that the schedule knows.
struct RecurrenceParts {
  kernel::ForOp steps;
  llvm::SmallVector<kernel::DotOp> dots; ///< of its body; the left operand of each is a tile of it
  Expr rows;
  RecurrenceShape shape;

  /// The tile that a product reads all elements of.
  static kernel::ExtractOp leftOf(kernel::DotOp dot);
};
/// None where the function is not such a kernel.
std::optional<RecurrenceParts> recurrenceParts(kernel::FuncOp func);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_RECURRENCETILES_H
