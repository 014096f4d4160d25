//===- lib/Target/CUDA/WindowParts.h - a reduction over windows of an image ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_WINDOWPARTS_H
#define CUPOLA_LIB_TARGET_CUDA_WINDOWPARTS_H

#include "dialects/Kernel/Kernel.h"

namespace cupola::cuda {

/// An axis of the grid along which windows overlap: point i reads what lies at stride * i + tap.
struct WindowAxis {
  unsigned axis, loop; ///< of the grid, of the reduction
  int64_t stride, taps;
};

/// A kernel that is one reduction over windows, as depthwise convolutions and pools are, and what follows it.
struct WindowParts {
  kernel::ReduceOp reduce;
  std::optional<WindowAxis> rows; ///< none: windows of one axis
  WindowAxis columns;
  unsigned lanes;                            ///< the axis of the grid along which results lie in memory
  llvm::SmallVector<kernel::LoadOp> image;   ///< of the reduction: those that see places and taps as their sum
  llvm::SmallVector<kernel::LoadOp> weights; ///< and those that see no place

  /// Some elements are in several windows.
  bool overlaps() const { return columns.taps > columns.stride || (rows && rows->taps > rows->stride); }
  bool runsAlongColumns() const { return lanes == columns.axis; }
  /// The bytes of a vector of the image.
  int64_t bytesOf(int64_t vector) const { return vector * graph::byteSize(kernel::LoadOp(image[0]).getType()); }
  int64_t taps() const { return columns.taps * (rows ? rows->taps : 1); }
  /// What threads ask of memory that compute so many points each, over the least there is.
  double accesses(int64_t rowsOfThread, int64_t columnsOfThread) const;
};

std::optional<WindowParts> windowParts(kernel::FuncOp func, kernel::Variables &vars);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_WINDOWPARTS_H
